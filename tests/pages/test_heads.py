"""Heads: every weight is sent, how far each spreads, what each does, and what stands below."""

from __future__ import annotations

import json
import shutil
import threading
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
from engine.lessons.heads import live, measured, parts, roles, tags
from engine.live import cache
from engine.models.base import Model
from engine.runs import store
from engine.storage.run_folder import HEADS
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
    tags.find_tags(run, wait=True)  # measured between two keys, all would be sent anew
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
        assert (found["most"][1][:, layer, head] == weight[layer, head].argmax(1)).all()
        other = [
            max((row[s] for s in range(1, count) if s != t), default=0)
            for t, row in enumerate(rows, 1)
        ]
        np.testing.assert_allclose(found["other"][1][1:, layer, head], other, atol=1e-6)
        assert found["other"][1][0, layer, head] == 0


def test_what_is_known_of_the_text_before_is_not_computed_anew() -> None:
    """By texts that go on, become shorter, change in the middle, and are others."""
    model = cache.model(cache.runs("transformer")[0], Model)
    for text in (
        "the old",
        "the old sea",
        "the old s",
        "the red sea",
        "the red sea",
        "a",
        "",
        "an",
    ):
        trace = model.trace(text, fields=("attention",))
        if not len(trace):
            continue
        found = live.derive(model, trace, {})
        live._last.clear()
        for name, (axes, values) in live.derive(model, trace, {}).items():
            assert found[name][0] == axes
            np.testing.assert_allclose(found[name][1], values, atol=1e-6, err_msg=f"{text} {name}")


def test_what_a_head_was_measured_to_do() -> None:
    run, model = model_of("transformer")
    found = tags.find_tags(run, wait=True)
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


@pytest.fixture
def mine(small_runs: Path, monkeypatch: pytest.MonkeyPatch) -> store.Run:
    """A run of one's own, of which nothing is known yet."""
    place = store.RunStore().roots[-1] / "mine"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree((small_runs / "transformer").resolve(), place)
    monkeypatch.setattr(tags, "_begun", {})
    return store.RunStore().find("mine")


def test_heads_are_measured_once_and_kept_beside_the_run(
    mine: store.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = roles.measure(store.RunStore().load(mine))
    shares: list[float] = []
    monkeypatch.setattr(
        tags.Measuring, "share", property(lambda _: 0, lambda _, x: shares.append(x)), raising=False
    )
    found = tags.find_tags(mine, wait=True)
    assert found is not None and found.names == again.names
    assert shares == sorted(shares) and 0.5 < shares[-1] < 1
    # of another session, another day: nothing is measured
    monkeypatch.setattr(tags, "_begun", {})
    monkeypatch.setattr(tags, "Measuring", None)
    kept = tags.find_tags(mine)
    assert kept is not None and kept.names == again.names
    for part in ("score", "baseline", "z"):
        np.testing.assert_allclose(getattr(kept, part), getattr(again, part), atol=1e-5)
    assert (kept.given() == again.given()).all()


def test_what_was_kept_of_another_run_or_is_damaged_is_not_believed(mine: store.Run) -> None:
    found = tags.find_tags(mine, wait=True)
    assert found is not None and measured.find_kept(mine) is not None
    whole = {"version": 1, "recipe": mine.note["recipe"], **measured.row(found)}
    changes = ({"version": 0}, {"recipe": "another"}, {"z": [[[1.0]]]}, {"names": None})
    damaged = [json.dumps(whole | change) for change in changes]
    for words in (*damaged, "", "[]", json.dumps(whole)[:-9]):
        (mine.folder / HEADS).write_text(words)
        assert measured.find_kept(mine) is None, words[:40]


def test_a_large_model_is_measured_by_a_process_of_its_own(
    mine: store.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = roles.measure(store.RunStore().load(mine))
    monkeypatch.setattr(roles, "is_large", lambda model: True)  # here; in the process it is small
    monkeypatch.setattr(tags, "measure", None)
    *shares, end = [block.share for block in tags.wait_for_tags(mine)]
    found = tags.find_tags(mine)
    assert found is not None and shares == sorted(shares) and end < 1
    np.testing.assert_allclose(found.score, here.score, atol=1e-4)


def test_the_page_says_how_far_it_is(mine: store.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()

    def slow(_run: Any, _keep: Any, tell: Any) -> roles.Tags:
        tell(0.4)
        done.wait(120)
        return again

    again = roles.measure(store.RunStore().load(mine))
    monkeypatch.setattr(tags, "_measure", slow)
    at = opened("heads", run="mine")
    (bar,) = at.get("progress")
    assert bar.proto.value == 40 and bar.proto.text.startswith(tags.BUSY)
    done.set()
    assert tags.find_tags(mine, wait=True) is again
    assert not at.run().get("progress") and not at.exception


def test_what_can_not_be_measured_is_said_once(
    mine: store.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_of: Any) -> None:
        raise ValueError("there is not enough memory for it")

    monkeypatch.setattr(tags, "measure", fails)
    assert tags.find_tags(mine, wait=True) is None and tags.find_share(mine) is None
    said = "The heads of this run could not be measured: there is not enough memory for it."
    with pytest.raises(ValueError, match=said):
        list(tags.wait_for_tags(mine))
    assert not (mine.folder / HEADS).exists() and parts.told.blocks(run=mine)[0].share() is None


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
    found = tags.find_tags(model_of("transformer")[0], wait=True)
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

"""Attention scores: what the parts of the lesson say is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.registry import scores
from engine.frame.blocks import Chart, Controls, Note, Problem, Progress
from engine.frame.control import WANTED
from engine.lessons.scores import filled, mixed_reading, parts
from engine.lessons.scores.by_hand import CONCAT, DOT, GENERAL, KINDS
from engine.lessons.scores.shown import SHOWN, chosen
from engine.models.seq2seq import NONE
from engine.runs.store import SHIPPED, RunStore
from engine.text.corpora.phrases import CORPUS
from tests.conftest import shipped, together
from tests.lessons.blocks import tables as rows

EVERY = [f"score_{kind}_{looks}" for kind in scores.ids() for looks in ("after", "before")]


def runs() -> Any:
    return [run for run in RunStore().all("seq2seq") if run.folder.parent == SHIPPED]


def test_runs_are_chosen_by_their_score_and_order() -> None:
    every = runs()
    assert [*chosen(every, "after")] == [*chosen(every, "before")] == scores.listed()
    for looks in ("after", "before"):
        assert SHOWN.make(every, looks)["location"].id == f"score_location_{looks}"
    plain = [run for run in every if run.id == "seq2seq"]
    assert chosen(plain, "after") == {} and [*SHOWN.make(plain, "after")] == [NONE]
    assert [*chosen(every, "scope")] == ["global", "local-m", "local-p", "hard"]
    only = [run for run in every if run.id in ("seq2seq", "score_dot_before")]
    assert SHOWN.values({"runs": only, "looks": "after"}) == {"looks": "before"}


def test_what_was_measured_is_told_of_each() -> None:
    (table,) = rows(parts.measured.blocks(runs=runs()))
    want = [f"score_{kind}_{looks}" for looks in ("after", "before") for kind in scores.listed()]
    want += ["scope_local_m", "scope_local_p", "scope_hard"]
    for row, id in zip(table, want, strict=True):
        run, model = RunStore().find(id), shipped(id)
        assert run.note["held_out"]["exact"] > 0.9
        assert row["sentences right"].values["p"] == run.note["held_out"]["exact"]
        counted = sum(p.numel() for p in model.net.score.parameters())
        assert row["numbers that the score learns"] == counted
    assert isinstance(parts.measured.blocks(runs=[])[-1], Problem)


def test_filling_without_a_mask_takes_its_share_of_the_softmax() -> None:
    """q = (0.5, 1) meets the keys with 0.5, 1 and 1.5; each place of zeros with 0."""
    for mask, want in ((False, 4 / (4 + np.exp([0.5, 1, 1.5]).sum())), (True, 0)):
        found = parts.hand.blocks(hand_score=DOT, hand_filled=4, hand_mask=mask)
        share = next(one.values["share"] for one in found if "share" in getattr(one, "values", ()))
        assert share == pytest.approx(want)
    with_it, fixed = rows(parts.hand.blocks(hand_score=CONCAT))[-1]  # language_models T28
    assert (with_it["word 1"], fixed["word 1"]) == ("0.359338", "0.369501")


@together("kind", KINDS)
def test_only_matrices_that_count_can_be_changed(kind: str) -> None:
    placed = [one.names for one in parts.hand.blocks(hand_score=kind) if isinstance(one, Controls)]
    more = {GENERAL: ["general"], CONCAT: ["concat", "v"]}.get(kind, [])
    assert placed == [["keys", "query", *more]]
    empty = parts.hand.values({"hand_score": kind, "general": ((float("nan"), 0.0), (0.0, 0.0))})
    last = parts.hand.blocks(**empty)[-1]
    assert isinstance(last, Problem) == (kind == GENERAL) and WANTED in (WANTED, str(last))
    swapped = parts.hand.blocks(hand_score=kind, keys=((0.0, 1.0), (1.0, 0.0), (1.0, 1.0)))
    assert rows(swapped)[-1][1] == rows(parts.hand.blocks(hand_score=kind))[-1][1]


@together("looks", ["after", "before"])
def test_a_masked_filling_changes_nothing(looks: str) -> None:
    shown = SHOWN.make(runs(), looks)
    models = {kind: shipped(run.id) for kind, run in shown.items()}
    given = {"shown": shown, "models": models}
    assert parts.filling.values(given)["filling_score"] == CONCAT
    found = parts.filling.blocks(**given, filling_places=3, filling_way=filled.OPEN)
    (table,) = rows(found)
    masked, open_, _ = table
    assert masked["as if alone"] == "yes" and not masked["weight on the filling"].values["p"]
    source = models[CONCAT].source("The black cat ate").ids
    _, look_TS = filled.written(models[CONCAT], source, 3, filled.OPEN)
    share = open_["weight on the filling"].values["p"]
    assert share == pytest.approx(look_TS[:, -3:].sum(1).mean()) and share > 1e-4
    (chart,) = (one for one in found if isinstance(one, Chart))
    np.testing.assert_array_equal(chart.entries[0].values, look_TS)
    assert chart.source == f"score_additive_{looks}"
    assert isinstance(found[-1], Note) and str(found[-1].words).count(masked["what it writes"])
    none = {"shown": {NONE: RunStore().find("seq2seq")}, "models": {NONE: shipped("seq2seq")}}
    last = parts.filling.blocks(**none)[-1]
    assert isinstance(last, Problem) and "no attention" in last.words
    assert isinstance(parts.filling.blocks(**given, filling_text=" ")[-1], Problem)


def test_new_sentences_are_read_with_fewer_and_fewer_right_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts, "SENTENCES", 30)
    parts.read.cache_clear()
    model = shipped("score_bilinear_after")
    made = [*parts.exposure.answer("test", general=model)]
    shares = [one.share for one in made if isinstance(one, Progress)]
    assert shares == sorted(shares) and len(shares) == len(parts.SHARES)
    known = {pair.english for pair in CORPUS.pairs}
    new = CORPUS.unseen(30, parts.SEED)
    assert len(new) == 30 and not known & {english for english, _ in new}
    forced, free = (mixed_reading.measured(model, model.numbered(new), p) for p in (1.0, 0.0))
    ((row,),) = rows(made)
    assert row["nats, forced"] == f"{forced.nats:.4f}" and row["nats, free"] == f"{free.nats:.4f}"
    assert row["words right, free"].values["p"] == free.right
    assert row["sentences right"].values["p"] == free.whole
    (chart,) = (one for one in made if isinstance(one, Chart))
    assert chart.figure().frame["value"].tolist()[0] == pytest.approx(forced.nats)
    parts.read.cache_clear()
    assert [*parts.exposure.answer("again", general=None)][-1].words.endswith(".")

"""Attention scores: what the parts of the lesson say, one step by hand, and the numbers of its live pictures."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis import soft_lookup
from engine.analysis.qkv.attend import softmax
from engine.core.registry import scores
from engine.frame.blocks import Chart, Controls, Note, Problem, Progress
from engine.frame.control import WANTED
from engine.lessons.scores import by_hand, filled, free_running, hard_choice, live, parts
from engine.lessons.scores.by_hand import CONCAT, GENERAL, KINDS
from engine.lessons.scores.mixed_reading import measured
from engine.lessons.scores.shown import SHOWN, chosen
from engine.models.seq2seq import NONE, SCOPES
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


def test_a_step_by_hand_is_that_of_the_specification() -> None:
    """language_models T28, with concat; and with the last key whatever the weights are."""
    with_it, fixed = rows(parts.hand.blocks(hand_score=CONCAT))[-1]
    for row, want in ((with_it, (0.359338, 0.356967)), (fixed, (0.369501, 0.330989))):
        assert [float(row[f"word {n}"]) for n in (1, 2)] == pytest.approx(want, abs=1e-6)
    # language_models T28: the whole step, and c = h3 in both places.
    context_H = softmax(by_hand.scores("additive", GIVEN)) @ GIVEN["keys"]
    found = by_hand.output(context_H, GIVEN)
    np.testing.assert_allclose(found.new_H, [0.393903, 0.672215], atol=1e-6)
    np.testing.assert_allclose(found.logit_V, [0.312397, 0.305775, 0.076034], atol=1e-6)
    np.testing.assert_allclose(found.p_V, [0.359338, 0.356967, 0.283695], atol=1e-6)
    fixed = by_hand.output(GIVEN["keys"][2], GIVEN)
    np.testing.assert_allclose(fixed.p_V, [0.369501, 0.330989, 0.299510], atol=1e-6)


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


def test_new_sentences_with_fewer_right_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SENTENCES", 30)
    parts.read.cache_clear()
    model = shipped("score_bilinear_after")
    made = [*parts.exposure.made({"general": model})]
    shares = [one.share for one in made if isinstance(one, Progress)]
    assert shares == sorted(shares) and len(shares) == len(parts.SHARES)
    known = {pair.english for pair in CORPUS.pairs}
    new = CORPUS.unseen(30, parts.SEED)
    assert len(new) == 30 and not known & {english for english, _ in new}
    forced, free = (measured(model, model.numbered(new), p) for p in (1.0, 0.0))
    ((row,),) = rows(made)
    assert row["nats, forced"] == f"{forced.nats:.4f}" and row["nats, free"] == f"{free.nats:.4f}"
    assert row["words right, free"].values["p"] == free.right
    assert row["sentences right"].values["p"] == free.whole
    (chart,) = (one for one in made if isinstance(one, Chart))
    assert chart.figure().frame["value"].tolist()[0] == pytest.approx(forced.nats)
    parts.read.cache_clear()
    assert [*parts.exposure.made({"general": None})][-1].words.endswith(".")


GIVEN = {name: np.array(values, float) for name, values in by_hand.GIVEN.items()}


def test_general_score_and_entropy() -> None:
    draw = np.random.default_rng(3)
    given = GIVEN | {"general": draw.normal(size=(2, 2)), "query": draw.normal(size=(1, 2))}
    layer = torch.nn.Bilinear(2, 2, 1, bias=False).double()
    layer.weight.data = torch.tensor(given["general"])[None]
    query_SH = torch.tensor(given["query"]).expand(3, 2).contiguous()
    wanted = layer(query_SH, torch.tensor(given["keys"]))[:, 0].detach().numpy()
    np.testing.assert_allclose(by_hand.scores("bilinear", given), wanted)
    with pytest.raises(KeyError):
        by_hand.scores("location", given)
    # language_models T31: 2 bits of four alike, .241941 of one that has nearly all.
    assert soft_lookup.entropy(np.full(4, 0.25)) == 2
    one = np.array([0.97, 0.01, 0.01, 0.01])
    assert soft_lookup.entropy(one) == pytest.approx(0.241941, abs=1e-6)
    assert soft_lookup.entropy(np.array([1.0, 0])) == 0


@together("looks", ["before", "after"])
def test_a_mask_makes_the_filling_nothing(looks: str) -> None:
    model: Any = shipped(f"score_additive_{looks}")
    source = model.source("The black cat ate").ids
    alone, look_TS = filled.written(model, source, 0, filled.MASKED)
    assert alone == model.translated(torch.from_numpy(source)[None])[0]
    same, masked_TS = filled.written(model, source, 3, filled.MASKED)
    assert same == alone and not masked_TS[:, -3:].any()
    np.testing.assert_allclose(masked_TS[:, :-3], look_TS, atol=1e-6)
    for way in (filled.OPEN, filled.UNMASKED):
        _, open_TS = filled.written(model, source, 3, way)
        assert open_TS[0, -3:].sum() > 1e-4
        np.testing.assert_allclose(open_TS.sum(1), 1, atol=1e-5)
    with pytest.raises(ValueError, match="no way"):
        filled.written(model, source, 1, "half")


TEXT = "The key is white and it is small\nLa clé est blanche et il est"


def derived(id: str, **asks: object) -> tuple[Any, Any, dict[str, Any]]:
    model: Any = shipped(id)
    trace = model.trace(TEXT)
    of = live.of_scopes if id.startswith("scope") else live.of_scores
    return model, trace, {name: values for name, (_, values) in of(model, trace, asks).items()}


@together(("kind", "looks"), product(scores.listed(), ("after", "before")))
def test_a_score_is_the_sum_that_is_shown(kind: str, looks: str) -> None:
    model, trace, found = derived(f"score_{kind}_{looks}", by=kind)
    score_TS = trace.field("cross.score").values[0, 0]
    np.testing.assert_array_equal(found["score"], score_TS)
    if kind == "additive":
        made_TS = found["part"].sum(2)
    elif kind == "location":
        made_TS = found["asked"][:, : score_TS.shape[1]]
    else:
        made_TS = found["asked"] @ found["keys"].T
    np.testing.assert_allclose(made_TS, score_TS, atol=1e-4)
    look_TS = trace.field("cross.attention").values[0, 0]
    np.testing.assert_array_equal(found["most"], look_TS.argmax(1))
    np.testing.assert_allclose(found["weight"] @ found["place"], found["centre"], atol=1e-4)
    tokens = model.tokens(TEXT)
    free = free_running.run(model, tokens.source.ids, tokens.ids[1:].tolist())
    wrote = found["free.writes"][np.isfinite(found["free.writes"])]
    assert wrote.astype(int).tolist() == [*free.ids]
    assert found["typed"] == len(tokens.ids) - 1
    assert "free.writes" not in derived(f"score_{kind}_{looks}", by="another")[2]


def test_where_free_running_parts_from_what_was_typed() -> None:
    _model, trace, found = derived("score_dot_after", by="dot", handed=100)
    vocab = shipped("score_dot_after").tokenizer.vocab
    first = int(found["first"])
    assert vocab[int(found["free.writes"][first])] == "elle"
    assert vocab[int(found["right"][first])] == "il" and found["number"] == first + 1
    count = len(trace.ids)  # every right word is handed out: mixed is forced
    np.testing.assert_array_equal(found["mixed.reads"][:count], found["forced.reads"][:count])
    assert not found["mixed.own"][:count].any()


@together("scope", SCOPES[1:])
def test_the_weights_of_a_window(scope: str) -> None:
    _model, trace, found = derived(f"scope_{scope.replace('-', '_')}")
    weighs = "cross.weight" if "cross.weight" in trace else "cross.attention"
    want_TS = trace.field(weighs).values[0, 0]
    np.testing.assert_allclose(np.nan_to_num(found["weight"]), want_TS, atol=1e-6)
    if found["belled"]:
        made_TS = np.nan_to_num(found["look"] * found["bell"])
        np.testing.assert_allclose(made_TS, want_TS, atol=1e-4)
        sums_T, middle_T = found["foretold"].sum(1), found["middle"]
        np.testing.assert_allclose(want_TS.shape[1] / (1 + np.exp(-sums_T)), middle_T, rtol=1e-4)


def test_draws_come_to_the_exact_slope() -> None:
    model, trace, found = derived("scope_hard", draws="1000", heat="2")
    reward_TS = hard_choice.choices(model, trace, trace.ids[1:]).reward_TS
    power_TS = np.exp(trace.field("cross.score").values[0, 0].astype(float) / 2)
    look_TS = power_TS / power_TS.sum(1, keepdims=True)
    for t, (look_S, reward_S) in enumerate(zip(look_TS, reward_TS, strict=True)):
        want_S = look_S * (reward_S - look_S @ reward_S)
        np.testing.assert_allclose(found["exact"][t], want_S, atol=1e-6)
    ten = derived("scope_hard", draws="10", heat="2")[2]
    assert found["away.drawn"].mean() < ten["away.drawn"].mean()
    assert (found["scatter.best"] <= found["scatter.none"] + 1e-9).all()

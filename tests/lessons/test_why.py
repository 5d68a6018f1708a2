"""The page on attribution: which methods a model can be asked, what a reply says of them, and the shipped numbers of
planted truth."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from engine.analysis.attribution import curves
from engine.analysis.attribution.game import BASELINES, MOST, ZERO
from engine.analysis.attribution.net import MaskGame
from engine.core.registry import corpora
from engine.frame.blocks import Chart, Problem, Progress, Rows, Warn, blocks_in
from engine.language.message import Message
from engine.lessons.why import bag, live, methods, parts, planted
from engine.live.request import Request
from engine.live.stage import Stage
from engine.runs.store import SHIPPED, RunStore
from tests.conftest import shipped, spread

KEYS = "The keys to the old cabinet"
RUNS = {
    "transformer_agreement": KEYS,
    "lstm_agreement": KEYS,
    "ngram": "He went out of the",
    "hmm": "He went out of the",
    "bert": "The United [MASK] is made of England and Wales.",
    "textcnn": "a great film, but boring",
    "sentiment": "a great film, but boring",
    "pooling_attention": "cat ! oak bread",
    "feedforward": "he went out of the",
    "convolution": "The old man",
    "dual_memory": "The old",
    "ntm": "The old",
}


def run_of(id: str) -> Any:
    return RunStore(SHIPPED).find(id)


def reply(stage: Stage, text: str, **more: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Numbers, and fields by name."""
    (reading,), _ = stage.answer(Request.read({"text": text, **more}, 10_000))
    fields = {one.names[0]: one.values[0] for one in reading.together}
    return dict(reading.part.get("said", {}).get("numbers", {})), fields


# ------------------------------------------------------------------ methods


def test_every_model_is_asked_what_it_can_answer() -> None:
    asked = {run: methods.methods_of(shipped(run)) for run in RUNS}
    assert asked["transformer_agreement"][-2:] == (methods.ATTENTION, methods.ROLLOUT)
    assert len(asked["transformer_agreement"]) == 9
    assert methods.LEDGER in asked["lstm_agreement"] and methods.LEDGER in asked["sentiment"]
    assert methods.LEDGER not in asked["dual_memory"]
    assert asked["ngram"] == (*methods.OF_SETS, methods.ORDERS)
    assert asked["hmm"] == methods.OF_SETS
    assert methods.ATTENTION in asked["pooling_attention"]
    for run, text in RUNS.items():
        model = shipped(run)
        of = methods.question(model, model.tokens(text))
        for name in asked[run]:
            found = of.ask(name)
            assert found.shape == (of.game.count,) and np.isfinite(found).all()
            assert name not in methods.UNSIGNED or (found >= 0).all()
    for run in ("translator", "tagger", "skipgram"):
        with pytest.raises(ValueError, match="neither predicts the next token nor"):
            methods.question(shipped(run), shipped(run).tokens("The king"))


def test_a_masked_word_is_asked_from_both_sides() -> None:
    model = shipped("bert")
    tokens = model.tokens(RUNS["bert"])
    of = methods.question(model, tokens)
    assert isinstance(of.game, MaskGame) and of.game.at == tokens.labels.index("[MASK]")
    p_V = model.trace("", fields=("fill",), tokens=tokens).field("fill").values[of.game.at]
    np.testing.assert_allclose(of.game.p_V, p_V, atol=1e-5)
    assert of.game.at not in of.game.players and "wales" in of.game.labels
    hidden = methods.question(
        model, model.tokens("The United Kingdom is made of England and Wales."), at=3
    )
    assert hidden.game.tokens.labels[3] == "[MASK]"
    np.testing.assert_allclose(hidden.game.p_V, p_V, atol=1e-5)
    numbers, fields = reply(live.stage(run_of("bert")), RUNS["bert"], whole=of.game.at)
    assert numbers["place"] == of.game.at and numbers["p"] == pytest.approx(
        float(p_V.max()), abs=1e-5
    )
    worth_MT = fields["worth"]
    assert (
        np.isnan(worth_MT[:, of.game.at]).all() and np.isfinite(worth_MT[0, of.game.players]).all()
    )
    row = methods.methods_of(model).index(methods.OCCLUSION)
    np.testing.assert_allclose(worth_MT[row, of.game.players], of.ask(methods.OCCLUSION), atol=1e-4)
    for empty in ("", " ", "\n"):
        assert reply(live.stage(run_of("bert")), empty, whole=0) == ({}, {})
    far = methods.question(model, model.tokens("the king went away. " * 200), at=600)
    assert len(far.game.tokens) <= methods.READ and far.game.count == MOST


def test_attention_of_one_layer_or_head() -> None:
    model = shipped("transformer_agreement")
    weight = model.trace(KEYS, fields=("attention",)).field("attention").values[:, :, -1]
    tokens = model.tokens(KEYS)
    for heads, wanted in {"1": weight[0].mean(0), "2.1": weight[1, 0]}.items():
        of = methods.question(model, tokens, heads=heads)
        np.testing.assert_allclose(of.ask(methods.ATTENTION), wanted[of.game.players], atol=1e-6)
    for heads in ("9.9", "", "None"):
        assert methods.question(model, tokens, heads=heads).heads == methods.ALL
    with_one, __ = (
        reply(live.stage(run_of("transformer_agreement")), KEYS, heads=heads)[1]["worth"]
        for heads in ("2.1", "all")
    )
    row = methods.methods_of(model).index(methods.ATTENTION)
    np.testing.assert_allclose(with_one[row][: len(weight[1, 0])][-1], weight[1, 0][-1], atol=1e-6)
    assert [*methods.heads_of(shipped("gru"))] == [methods.ALL]


def test_attention_is_the_mean_and_orders_are_shares() -> None:
    model = shipped("transformer_agreement")
    of = methods.question(model, model.tokens(KEYS))
    weight = model.trace(KEYS, fields=("attention",)).field("attention").values[:, :, -1]
    np.testing.assert_allclose(of.ask(methods.ATTENTION), weight.mean((0, 1))[1:], atol=1e-6)
    model = shipped("ngram")
    text = RUNS["ngram"]
    of = methods.question(model, model.tokens(text))
    mass = model.ladder_of(text, (5, 6), of.game.target.word)["part"][0]
    np.testing.assert_allclose(of.orders, mass[5:1:-1] / mass.sum(), rtol=1e-4)


def test_what_is_affordable_is_the_cheapest() -> None:
    model = shipped("transformer")
    of = methods.question(model, model.tokens("The old man looked at the sea"))
    price = methods.prices(model, of.game)
    some = methods.affordable(model, of.game, 1e10)
    assert methods.PATH in some and methods.LIME not in some
    assert sum(price[name] for name in some) <= 1e10
    assert {methods.ATTENTION, methods.ROLLOUT} == {*methods.affordable(model, of.game, 0)}


# ------------------------------------------------------------------ live


def test_a_key_and_a_moment_of_rest() -> None:
    stage = live.stage(run_of("transformer_agreement"))
    numbers, fields = reply(stage, KEYS)
    names = methods.methods_of(shipped("transformer_agreement"))
    known = {n for n, row in zip(names, fields["worth"], strict=True) if np.isfinite(row).any()}
    assert known == {methods.GRADIENT, methods.TIMES, methods.ATTENTION, methods.ROLLOUT}
    assert np.isnan(fields["settled"]).all() and "deletion" not in fields
    numbers, fields = reply(stage, KEYS, whole=6)
    assert np.isfinite(fields["worth"][:, 1:]).all() and np.isnan(fields["worth"][:, 0]).all()
    np.testing.assert_allclose(np.nanmax(np.abs(fields["share"]), 1), 1, rtol=1e-6)
    assert fields["settled"].tolist()[-1] == 1 and numbers["place"] == 6
    model = shipped("transformer_agreement")
    of = methods.question(model, model.tokens(KEYS))
    made = curves.curves(of.game, np.stack([of.ask(n) for n in names]))
    np.testing.assert_allclose(fields["deletion"], curves.area(made.deletion), atol=1e-4)
    np.testing.assert_allclose(fields["insertion"], curves.area(made.insertion), atol=1e-4)
    whole, none = of.game.ends()
    shap = names.index(methods.SHAPLEY)
    assert fields["sum"][shap] == pytest.approx(whole - none, abs=1e-3) == fields["due"][shap]
    assert np.diag(fields["rho"]) == pytest.approx(1)
    np.testing.assert_allclose(fields["rho"], fields["rho"].T)


def test_marks_lead_to_what_is_asked_in_place_of_a_word() -> None:
    stage = live.stage(run_of("bert"))
    last = len(shipped("bert").tokens(KEYS)) - 1
    numbers, fields = reply(stage, KEYS, whole=last)  # [SEP]
    place = int(numbers["place"])
    assert place == last - 1 and np.flatnonzero(fields["settled"] == 1).tolist() == [0, place, last]
    numbers, fields = reply(stage, KEYS, whole=2)
    assert numbers["place"] == 2 and np.flatnonzero(fields["settled"] == 1).tolist() == [2]


def test_any_run_has_a_grammar_to_begin_with() -> None:
    for run in ("lstm_stories", "lstm_tunes", "lstm_copying", "lstm"):
        first = parts.truth.values({"run": run_of(run)})["grammar"]
        assert first == ("copying" if "copying" in run else "agreement")


def test_what_is_asked_can_be_chosen() -> None:
    stage, model = live.stage(run_of("transformer_agreement")), shipped("transformer_agreement")
    vocab = model.tokenizer.vocab

    def answer(**more: Any) -> tuple[str, str]:
        numbers, _ = reply(stage, KEYS, whole=6, **more)
        other = int(numbers["other"])
        return vocab[int(numbers["word"])], vocab[other] if other >= 0 else ""

    assert answer() == ("are", "") and answer(by="against")[0] == "are" != answer(by="against")[1]
    assert answer(next="is") == ("is", "") and answer(next="is", by="against") == ("are", "is")
    assert answer(next="zebra", by="nonsense")[1] == ""  # read as the unknown word
    before, _ = reply(stage, KEYS, whole=2)
    assert before["place"] == 2
    _, fields = reply(stage, KEYS, whole=2)
    assert np.isnan(fields["worth"][:, 3:]).all()
    again, fields = reply(stage, KEYS, **{"with": "mean"})  # the same token, another baseline
    assert again["place"] == 2 and fields["settled"][2] == 1
    first = {way: reply(stage, KEYS, whole=6, **{"with": way})[1]["worth"] for way in BASELINES}
    path = methods.methods_of(model).index(methods.PATH)
    assert not np.allclose(first["zero"][path, 1:], first["mean"][path, 1:])


ODD = ("", "a", "🙂🙂", "x" * 5_000, "the cat " * 600)
ASKED: tuple[dict[str, Any], ...] = (
    {},
    {"whole": 0},
    {"whole": 1},
    {"by": "against", "with": "mark"},
)


@pytest.mark.parametrize(("run", "texts"), spread([run for run in RUNS if run != "ntm"], ODD))
def test_odd_texts(run: str, texts: str | list[str]) -> None:
    stage = live.stage(run_of(run))
    every = [texts] if isinstance(texts, str) else texts
    for text, more in product(every, ASKED):
        numbers, fields = reply(stage, text, **more)
        if fields:
            assert {"worth", "share", "first", "settled"} <= fields.keys()
            assert all(np.isfinite(x) for x in numbers.values())


def test_a_run_of_another_kind_is_refused() -> None:
    for run in ("tagger", "translator"):
        with pytest.raises(ValueError, match="neither predicts the next token nor"):
            live.stage(run_of(run))


# ------------------------------------------------------------------ planted truth


def test_swapping_the_cause_makes_the_rival_right() -> None:
    """By the grammar itself: the swapped line, with the rival's answer, is one of its lines too."""
    for grammar in planted.GRAMMARS:
        of: Any = corpora.get(grammar)
        for line, fact in list(planted.facts(grammar, 40)):
            (a, b), (begin, end) = fact.first, fact.second
            rival = planted.rivals(grammar, line[begin:end], line)[0]
            made = planted.swapped(grammar, line, fact, rival)
            assert made != line[:begin] and made[b - a :] is not None
            if grammar in ("agreement", "copying"):
                whole = made + rival + line[end:]
                if grammar == "agreement":
                    assert any(f.second[0] == len(made) for f in of.facts(whole))
                else:
                    assert made[a] == rival
            elif grammar == "lag":
                assert made[begin - 6] == rival
            else:
                assert of.facts(made + rival)[-1].second == (begin, end)


def test_wilsons_interval() -> None:
    low, high = planted.Score(8, 10, 0, 0).interval
    assert (low, high) == (pytest.approx(0.4902, abs=1e-3), pytest.approx(0.9433, abs=1e-3))
    assert planted.Score(0, 10, 0, 0).interval[0] == pytest.approx(0, abs=1e-9)


def near(found: dict[str, list[float]], told: Any) -> None:
    assert {*found} == {*told}
    for name, (first, texts, gain, error) in found.items():
        score = told[name]
        assert texts == score.texts and abs(first - score.first) <= 2, name  # of other processors
        assert gain == pytest.approx(score.gain, abs=0.02)
        assert error == pytest.approx(score.error, abs=0.01)


def test_planted_truth_is_what_is_shipped() -> None:
    near(
        planted.measured(shipped("lstm_agreement"), "agreement", ZERO),
        planted.shipped()["lstm_agreement"][ZERO],
    )


@pytest.mark.slow
@pytest.mark.parametrize("grammar", planted.GRAMMARS)
@pytest.mark.parametrize("kind", planted.KINDS)
def test_all_planted_truth_is_what_is_shipped(grammar: str, kind: str) -> None:
    run = f"{kind}_{grammar}"
    for way in BASELINES:
        near(planted.measured(shipped(run), grammar, way), planted.shipped()[run][way])


# ------------------------------------------------------------------ parts


def made(part: Any, run: str, **more: Any) -> list[Any]:
    text = RUNS.get(run, KEYS)
    found = list(blocks_in(part.blocks(run=run_of(run), model=shipped(run), above=text, **more)))
    assert not any(isinstance(block, Problem | Warn) for block in found)
    return found


def said(found: list[Any]) -> str:
    return " ".join(str(block) for block in found if isinstance(block, str | Message))


def test_planted_truth_on_the_page() -> None:
    found = made(parts.truth, "transformer_agreement")
    (table,) = [block for block in found if isinstance(block, Rows)]
    row = next(row for row in table.rows if row["method"] == methods.PATH)
    told = planted.shipped()["transformer_agreement"][ZERO][methods.PATH]
    assert row["Transformer: first"] == told.first / told.texts == 1
    assert "**integrated gradients, attention** (100 %)" in said(found)


def test_a_run_of_ones_own_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted, "TEXTS", 5)
    monkeypatch.setattr(planted, "shipped", dict)
    model = shipped("lstm_lag")
    taking = parts.judged(model=model, grammar="lag", baseline=ZERO)
    steps = []
    try:
        while True:
            steps.append(next(taking))
    except StopIteration as end:
        scores = end.value
    assert all(isinstance(step, Progress) for step in steps)
    assert scores[methods.OCCLUSION].texts == len(steps) == 5


def test_curves_over_many_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_ASKED", 4)
    for run in ("lstm_agreement", "textcnn", "ngram"):
        found = made(parts.referee, run, many=True, this=True)
        assert sum(isinstance(block, Chart) for block in found) == 2
        (table,) = [block for block in found if isinstance(block, Rows)]
        assert len(table.rows) == len(methods.methods_of(shipped(run))) + 1
        assert all(0 <= row["insertion"] <= 1 for row in table.rows)


def test_the_sum_is_said_as_it_is() -> None:
    found = made(parts.complete, "lstm_agreement", steps=64)
    model = shipped("lstm_agreement")
    whole, none = methods.question(model, model.tokens(KEYS)).game.ends()
    assert f"**{whole - none:.3f}** bits" in said(found) and "Missing: **0.000**" in said(found)
    problem = [*parts.complete.blocks(model=shipped("ngram"), above="He went out")][-1]
    assert isinstance(problem, Problem) and "no vectors" in problem.words


def test_shapley_values_on_the_page() -> None:
    found = made(parts.values, "lstm_agreement", orders=64)
    (table,) = [block for block in found if isinstance(block, Rows)]
    exact = [row["exact"] for row in table.rows]
    model = shipped("lstm_agreement")
    whole, none = methods.question(model, model.tokens(KEYS)).game.ends()
    assert sum(exact) == pytest.approx(whole - none, abs=1e-4) and len(exact) == 6
    assert "of 6 exact values lie within" in said(found)
    longer = "The keys to the old cabinet near the lamp behind the chair"
    found = parts.values.blocks(model=model, above=longer)
    (table,) = [block for block in found if isinstance(block, Rows)]
    assert "exact" not in table.rows[0] and len(table.rows) == 12


def test_a_bag_of_words_is_a_sum() -> None:
    game = bag.BagGame("A great film, but the end is boring zzz")
    whole, none = game.ends()
    assert whole - none == pytest.approx(game.added_P.sum())
    posterior = bag.counted().read("A great film, but the end is boring zzz").posterior_C
    assert posterior is not None
    assert whole == pytest.approx(float(np.log2(posterior[1] / posterior[0])), abs=1e-6)
    by_word = dict(zip(game.labels, game.added_P, strict=True))
    assert by_word["great"] > 0 > by_word["boring"] and by_word["zzz"] == 0
    for run in ("ngram", "lstm_agreement", "transformer_agreement"):
        found = made(parts.known, run)
        assert ("mixes orders" in said(found)) == (run == "ngram")
        assert ("The memory of this net" in said(found)) == (run == "lstm_agreement")


def test_limits() -> None:
    for run in ("lstm_agreement", "ngram", "sentiment"):
        assert "**The baseline.**" in said(made(parts.limits, run))

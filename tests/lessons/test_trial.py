"""On trial: scores against scikit-learn and scipy, the temperature against a grid, near duplicates by brute force."""

from __future__ import annotations

import math
import random
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from engine.analysis import interval
from engine.analysis.calibration import fit_temperature, temper
from engine.analysis.measure import score
from engine.frame.blocks import Problem
from engine.lessons.trial import bias, cases, changes, checklist, head, kinds, live, parts, twin
from engine.lessons.trial.overlap import WORDS, index
from engine.models.abilities import Translates, able
from engine.runs.store import Run, RunStore
from tests.conftest import shipped
from tests.lessons.blocks import asked, charts, said, tables

LINES = (
    "The old captain went on board, and the ship sailed.",
    "A wonderful film with great acting.",
    "She was not happy; he took her hat.",
    "Nobody knew the flurble.",
)


def finished(making: Generator[Any, None, Any]) -> Any:
    while True:
        try:
            next(making)
        except StopIteration as end:
            return end.value


def run_of(id: str) -> Run:
    return RunStore().find(id)


def trial_of(id: str, lines: tuple[str, ...] = (), **more: Any) -> head.Trial:
    run = run_of(id)
    return head.Trial(run, run.key, lines or LINES, "these lines", 0, **more)


def page(id: str, **more: Any) -> dict[str, Any]:
    return {"trial": trial_of(id, **more), "tagger": shipped("tagger")}


# ------------------------------------------------------------------ cases


@pytest.mark.parametrize("id", ["ngram", "transformer", "lstm"])
def test_the_bits_of_all_cases_are_those_of_score(id: str) -> None:
    found = finished(cases.read(shipped(id), run=id, lines=LINES))
    whole = score(shipped(id), "\n".join(LINES))
    assert len(found) == whole.tokens
    assert found.bits_N.sum() == pytest.approx(whole.bits, rel=1e-4)


def test_a_long_line_is_read_in_windows() -> None:
    line = " ".join(LINES * 12)
    model = shipped("transformer")
    found = finished(cases.read(model, run="long", lines=(line, line)))
    assert model.context is not None and len(found) / 2 > model.context
    assert found.bits_N.sum() == pytest.approx(2 * score(model, line).bits, rel=1e-4)


def test_scores_against_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    p_NV = rng.dirichlet(np.ones(5), 300)
    true_N = rng.integers(5, size=300)
    found = cases.scores(p_NV, true_N)
    assert -np.log(found["p_N"]).mean() == pytest.approx(
        metrics.log_loss(true_N, p_NV, labels=[*range(5)])
    )
    brier = metrics.brier_score_loss(true_N, p_NV, labels=[*range(5)], scale_by_half=False)
    assert found["brier_N"].mean() == pytest.approx(brier)
    top = metrics.top_k_accuracy_score(true_N, p_NV, k=2, labels=[*range(5)])
    assert (found["rank_N"] <= 2).mean() == pytest.approx(top)
    assert (found["said_N"] == true_N).mean() == metrics.accuracy_score(true_N, p_NV.argmax(1))


def test_wilson_against_scipy() -> None:
    for hits, count in ((0, 9), (3, 10), (50, 50), (123, 456)):
        theirs = stats.binomtest(hits, count).proportion_ci(0.95, "wilson")
        assert interval.of_share(hits, count) == pytest.approx((theirs.low, theirs.high), abs=1e-6)
    assert all(map(math.isnan, interval.of_share(0, 0)))


def test_temperature_is_the_best_of_a_grid() -> None:
    rng = np.random.default_rng(1)
    logits_NV = rng.normal(size=(2000, 6)) * 2
    p_NV = np.exp(temper(logits_NV, 1.0))
    true_N = np.array([rng.choice(6, p=p / p.sum()) for p in p_NV])
    sharp_NV = temper(logits_NV, 0.4)  # too sure: 2.5 brings it back
    found = fit_temperature(sharp_NV, true_N)
    at_N = np.arange(len(true_N))
    cost = {t: -temper(sharp_NV, t)[at_N, true_N].mean() for t in np.linspace(0.5, 5, 451)}
    assert found == pytest.approx(min(cost, key=cost.__getitem__), abs=0.011)
    assert found == pytest.approx(2.5, rel=0.1)


def test_labels_and_tags() -> None:
    text = ("positive\tA wonderful film.", "negative\tA dull and boring film.", "odd\tNothing.")
    found = finished(cases.read(shipped("sentiment"), run="s", lines=text))
    assert len(found) == 2 and found.left_out == 1
    model = shipped("sentiment")
    p = model.trace("A wonderful film.", fields=("label",)).field("label").values[-1]
    assert found.p_N[0] == pytest.approx(p[model.names.index("positive")])
    line = head.SAMPLE.splitlines()[0]
    for id in ("tagger", "hmm_tagger", "trigram_tagger"):
        tags = finished(cases.read(shipped(id), run=id, lines=(line, line)))
        assert [tags.names[a] for a in tags.true_N[:3]] == ["PRON", "AUX", "VERB"]
        assert tags.piece(5) == "door" and len(tags) + tags.left_out == 14


# ------------------------------------------------------------------ changes


def test_changes() -> None:
    text = "Mary was not happy, and John can't see the quiet harbour."
    typo = changes.change(text, "typo", 1)
    assert typo != text and sorted(typo) == sorted(text)
    assert changes.change(text, "case", 1) == text.upper()
    assert "was happy" in changes.change(text, "not", 1)
    assert changes.change("They can see.", "not", 1) == "They can not see."
    assert changes.change("I don't know.", "not", 1) == "I do know."
    other = changes.change(text, "name", 1)
    assert not {"Mary", "John"} & {*WORDS.findall(other)} and "happy" in other
    order = changes.change(text, "order", 1)
    assert order != text and sorted(WORDS.findall(order)) == sorted(WORDS.findall(text))
    assert all(changes.change("", kind, 1) == "" for kind in changes.KINDS)


@pytest.mark.parametrize("kind", [*changes.KINDS])
def test_a_text_that_is_typed_on_keeps_its_changes(kind: str) -> None:
    text = "The captain was glad when Mary looked at the quiet harbour again"
    first = changes.change(text, kind, 3)
    longer = changes.change(text + " and went home", kind, 3)
    assert longer.split()[:9] == first.split()[:9]


def test_tokens_are_matched() -> None:
    assert twin.matched([1, 2, 3], [1, 2, 3]).tolist() == [0, 1, 2]
    assert twin.matched([1, 2, 3], [1, 7, 8, 9, 3]).tolist() == [0, 3, 4]
    assert twin.matched([1, 2, 3], [1, 3]).tolist() == [0, -1, 1]
    assert twin.matched([], [1]).tolist() == []
    at_T = twin.matched([1, 2, 3], [1, 7, 8, 9, 3])
    assert live.inserted(at_T, np.array([1, 7, 8, 9, 3])).T.tolist()[1] == [-1, 7, 8]


@pytest.mark.parametrize("id", ["transformer", "ngram", "sentiment", "hmm_tagger"])
def test_the_live_numbers_are_those_of_the_model(id: str) -> None:
    model, text = shipped(id), "Mary was tired; she looked at the old man"
    trying, name = live.Trying(), cases.answer_field(shipped(id))
    asks = {"ways": "name", "pattern": 2}
    for end in (len(text) - 4, len(text)):  # it goes on from what was derived before
        trace = model.trace(text[:end])
        found = {n: v for n, (__, v) in trying(model, trace, asks).items()}
    other = model.trace(changes.change(text, "name", 2))
    p_TV, q_UV = trace.field(name).values, other.field(name).values
    if name == "probability":
        at = np.arange(1, len(trace.ids))
        assert np.allclose(found["p"][1:], p_TV[at - 1, trace.ids[1:]])
        bits = np.log2(q_UV[np.arange(len(other.ids) - 1), other.ids[1:]]).sum()
        assert found["after"] == pytest.approx(-bits, rel=1e-4)
        assert found["rank"][-1] == 1 + (p_TV[-2] > p_TV[-2, trace.ids[-1]]).sum()
    else:
        assert np.allclose(found["p"], p_TV.max(-1))
        assert found["q"][-1] == pytest.approx(q_UV[-1, p_TV[-1].argmax()])
    same = trying(model, model.trace("xx"), {"ways": "name", "pattern": 1})
    assert float(same["differs"][1]) == 0 and float(same["flips"][1]) == 0


def test_of_a_long_text_what_is_shown_is_changed() -> None:
    model, text = shipped("ngram"), "Mary was tired. " * 50
    total = len(model.tokens(text))
    trace = model.trace(text, fields=("probability",), window=(total - 20, total))
    found = live.Trying()(model, trace, {"ways": "name", "pattern": 1})
    assert len(found["q"][1]) == 20 and found["changed"][1].sum() >= 4


# ------------------------------------------------------------------ tests and pairs


def test_checklist() -> None:
    text = "MFT: The {a|b} {c|d} => x > y\nINV: {a|b} {c|d}\nDIR: {a|b} e => + x"
    mft, inv, dir = checklist.parse(text)
    assert [len(t.cases) for t in (mft, inv, dir)] == [4, 2, 1] and dir.one == "x"
    assert inv.cases[0] == ("a c", "b c") and mft.cases[0] == ("The a c",)
    for wrong in ("", "MFT: a", "INV: a b", "DIR: {a|b} => x", "what is this"):
        with pytest.raises(ValueError, match="MFT"):
            checklist.parse(wrong)
    with pytest.raises(ValueError, match="is none of them"):
        checklist.outcome(shipped("sentiment"), checklist.parse("MFT: fine => odd")[0], ("fine",))


def test_a_continuation_costs_what_its_tokens_cost() -> None:
    model = shipped("transformer")
    whole = score(model, "The girl near the doors was").bits
    before = score(model, "The girl near the doors").bits
    both = [model.trace(t) for t in ("The girl near the doors", "The girl near the doors was")]
    sums = [float(np.nansum(-np.log2(bits_of(one)))) for one in both]
    found = checklist.continued(model, "The girl near the doors", "was")
    assert found == pytest.approx(sums[1] - sums[0], abs=1e-3) and whole != before


def bits_of(trace: Any) -> np.ndarray:
    p_TV = trace.field("probability").values
    return np.asarray(p_TV[np.arange(len(trace.ids) - 1), trace.ids[1:]], float)


def test_pairs_of_words_by_hand() -> None:
    model = shipped("ngram")
    found = bias.differences(model, ["_ was a doctor."], ["He"], ["She"])

    def rest(word: str) -> float:
        trace = model.trace(f"{word} was a doctor.")
        return float(np.log2(bits_of(trace)[1:]).sum())

    assert found[0, 0] == pytest.approx(rest("He") - rest("She"), rel=1e-5)
    some = np.array([0.1, 0.5, -0.2, 0.4])
    theirs = stats.ttest_1samp(some, 0).confidence_interval(0.95)
    assert interval.of_mean(some)[1:] == pytest.approx((theirs.low, theirs.high))
    with pytest.raises(ValueError, match="needs one _"):
        bias.templates("no place")
    with pytest.raises(ValueError, match="at least two"):
        bias.templates("_ was a doctor.")


# ------------------------------------------------------------------ overlap


def test_overlap_by_brute_force() -> None:
    rng, n = random.Random(0), 3
    words = [f"w{i}" for i in range(30)]
    text = [" ".join(rng.choices(words, k=rng.randint(1, 9))) for _ in range(200)]
    held = [" ".join(rng.choices(words, k=rng.randint(1, 9))) for _ in range(60)] + text[:20]
    found_in = index(text, n)

    def grams(line: str, size: int) -> list[tuple[str, ...]]:
        w = line.split()
        return [tuple(w[i : i + size]) for i in range(len(w) - size + 1)]

    for line in held:
        size = min(n, len(line.split()))
        known = {gram for one in text for gram in grams(one, size)}
        mine = grams(line, size)
        found = found_in.look_up(line)
        assert found.share == pytest.approx(sum(g in known for g in mine) / len(mine))
        assert found.exact == any(f" {line} " in f" {one} " for one in text), line
        assert not found.share or found.nearest in text
    assert found_in.look_up("").share == 0 and index([], 5).look_up("a b c").share == 0


def test_case_and_punctuation_do_not_count() -> None:
    found_in = index(["The quick brown fox, they say, jumps.", "Another line."], 3)
    found = found_in.look_up("the QUICK brown fox they say")
    assert found.exact and found.share == 1 and found.nearest.startswith("The quick")


# ------------------------------------------------------------------ the page


@pytest.mark.parametrize("id", ["ngram", "sentiment", "tagger", "translator"])
def test_every_part_answers_for_every_kind_of_run(id: str) -> None:
    run = run_of(id)
    given: dict[str, Any] = {"run": run}
    held = head.HEAD.values(given)
    __, trial = head.HEAD.answer({**given, **held, "most": 20})
    assert trial is not None and len(trial.lines) <= 20
    of = {"trial": trial, "tagger": shipped("tagger")}
    for part in parts.PARTS:
        problems = [b.words for b in asked(part, of) if isinstance(b, Problem)]
        expected = part.id == "pairs" and id == "tagger"
        expected |= part.id in ("pairs", "tests") and id == "translator"
        assert bool(problems) == expected, (part.id, problems)


def test_confusion_is_that_of_scikit_learn() -> None:
    lines = head.held_out("reviews", "labelled", 0)[:60]
    found = finished(cases.read(shipped("textcnn"), run="c", lines=lines))
    blocks = asked(parts.confusion, page("textcnn", lines=lines))
    theirs = metrics.confusion_matrix(found.true_N, found.said_N)
    ours = charts(blocks)["confusion"].values
    assert sorted(ours.ravel().tolist()) == sorted(theirs.ravel().tolist())
    wrong = int((found.true_N != found.said_N).sum())
    assert sum(row["times"] for row in tables(blocks)[0]) == wrong


def test_errors_add_up() -> None:
    of = page("ngram", lines=head.held_out("reviews", "text", 0)[:30])
    total = len(
        finished(cases.read(shipped("ngram"), run=of["trial"].run_key, lines=of["trial"].lines))
    )
    for by in ("kind", "part", "length", "often", "place", "line"):
        rows = tables(asked(parts.errors, of, by=by))[0]
        assert total - 40 <= sum(row["cases"] for row in rows) <= total
    assert kinds.ranged(1, (2, 5)) == "0 – 1" and kinds.ranged(7, (2, 5)) == "5 –"


def test_contamination_of_a_text_of_ones_own() -> None:
    of = page("ngram")
    text = f"{LINES[0]}\nA wonderful film with great acting and more.\nSomething else."
    blocks = asked(parts.contamination, of, training=head.OWN, own=text, n=3)
    words = said(blocks)
    assert "Of 4 lines **2** stand in it word for word" in words
    rows = {row["score of"]: row["cases"] for row in tables(blocks)[-1]}
    assert rows["all lines"] == rows["the rest alone"] + rows["found there"]


def test_unknown_words_are_said_to_be_cheap() -> None:
    lines = head.held_out("reviews", "text", 0)[:30]
    assert "more words that this model does not know" in said(
        asked(parts.robustness, page("ngram", lines=lines))
    )
    assert "more words" not in said(asked(parts.robustness, page("lstm", lines=lines)))


def test_what_a_run_has_learned_from_is_known() -> None:
    assert head.trained_on(run_of("lstm_agreement")) == "agreement"
    assert head.trained_on(run_of("transformer")) == ""
    assert "Its training text is not here" in said(asked(parts.fit, page("ngram")))


def test_wrong_lines_are_refused_kindly() -> None:
    given: dict[str, Any] = {"run": run_of("sentiment")}
    values = {**given, **head.HEAD.values(given), "corpus": head.OWN, "own": "no label here"}
    blocks, found = head.HEAD.answer(values)
    assert found is None and "is not a label, a tab and a text" in str(blocks[-1])
    blocks, found = head.HEAD.answer(
        {**values, "own": " ", "upload": ("x.txt", b"\x00\xff\x00\x01" * 9)}
    )
    assert found is None and isinstance(blocks[-1], Problem)


def test_a_translator_is_asked_about_its_target() -> None:
    model = shipped("translator")
    lines = head.held_out("phrases", "parallel", 0)[:3]
    found = finished(cases.read(model, run="t", lines=lines))
    theirs = able(model, Translates).judge(lines)
    assert np.log(2) * found.bits_N.mean() == pytest.approx(theirs["nats"], abs=1e-5)
    assert changes.change("The cat saw it\tLe chat", "case", 1, True) == "THE CAT SAW IT\tLe chat"
    blocks = asked(parts.robustness, page("translator", lines=lines), change="case")
    assert "lines change" in said(blocks)
    lone = live.Trying()(model, model.trace("The cat"), {})
    assert lone == {"untranslated": ((), 1)}

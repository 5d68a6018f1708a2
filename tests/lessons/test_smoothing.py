"""Smoothing: its numbers against fractions by hand and against dictionaries; T3 to T12, T2 and T16 of
the inventory."""

from __future__ import annotations

import math
from fractions import Fraction as F
from typing import Any

import pytest

from engine.core.registry import smoothings
from engine.lessons.counting_context import read
from engine.lessons.counting_texts import FRANCISCO, PRESETS, Counted, Preset
from engine.lessons.smoothing import changes, ladder, parts
from engine.lessons.smoothing import methods as every
from engine.ngram.smoothing.add_k import AddK
from engine.ngram.smoothing.base import Smoothing
from engine.ngram.smoothing.jelinek_mercer import JelinekMercer
from engine.ngram.smoothing.katz import Katz
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.ngram.smoothing.laplace import Laplace
from engine.ngram.smoothing.mle import MLE
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey
from engine.ngram.smoothing.stupid_backoff import StupidBackoff
from engine.ngram.smoothing.witten_bell import WittenBell
from tests.conftest import together
from tests.lessons.blocks import said, tables

CATS = PRESETS[0]
JM, MKN = JelinekMercer("0.5,0.3,0.2"), ModifiedKneserNey()


def rungs(
    method: Smoothing, order: int, after: str, word: str, preset: Preset = CATS
) -> tuple[Any, list[ladder.Rung]]:
    of = Counted(preset, order).study
    context, _said = read(of, after, False)
    made, id = of.smoothed(method), parts.token_of(of, word)
    assert id is not None
    return made, ladder.rungs(made, context, id)


@together(
    ("method", "order", "after", "word", "p"),
    [
        (MLE(), 3, "the cat", "saw", F(1, 4)),
        (Laplace(), 2, "the", "cat", F(5, 16)),  # V is 10 here: nine tokens and <unk>
        (AddK(k=0.1), 2, "the", "cat", F(41, 70)),
        (JM, 3, "the cat", "saw", F(14, 65)),
        (JM, 3, "cat saw", "the", F(51, 260)),
        (StupidBackoff(), 2, "the", "the", F(6, 65)),
        (StupidBackoff(), 3, "the cat", "the", F(4, 10) * F(4, 10) * F(6, 26)),
        (MKN, 3, "the cat", "saw", F(1049, 4488)),
        (MKN, 3, "cat saw", "the", F(27, 187)),
        (MKN, 3, "saw the", "dog", F(141, 1870)),
        (MKN, 3, "the dog", "</s>", F(461, 4488)),
        (MKN, 3, "bird", "mat", F(45, 374)),  # an unknown context: the unigrams answer
    ],
)
def test_the_ladder_ends_in_the_probability_by_hand(
    method: Smoothing, order: int, after: str, word: str, p: F
) -> None:
    _model, found = rungs(method, order, after, word)
    assert found[0].p == pytest.approx(float(p), rel=1e-5)
    assert sum(r.part for r in found) == pytest.approx(float(p), rel=1e-5)


def test_every_number_of_the_ladder_of_modified_kneser_ney() -> None:
    """The cat saw: 1/2 is taken of 1 of 4; of 1 of 3; 35/22 of 2 of 17; a tenth of the rest."""
    found = said(parts.backoff.blocks(study=Counted(CATS, 3), mine="", word="saw"))
    for line in (
        r"P_3 = \frac{1 - 0.5}{4} + 0.5 \cdot 0.2175 = 0.2337",
        r"P_2 = \frac{1 - 0.5}{3} + 0.5 \cdot 0.1016 = 0.2175",
        r"P_1 = \frac{2 - 1.591}{17} + 0.7754 \cdot 0.1 = 0.1016",
        r"P_0 = \frac{1}{V} = \frac{1}{10} = 0.1",
        "“saw” gets **23.4 %**, most of it, 12.5 %, from order 3",
    ):
        assert line in found


@together(
    ("method", "line"),
    [
        (WittenBell(), r"\frac{1 + 3 \cdot"),
        (KneserNey(), r"\frac{1 - 0.7273}{4} + 0.5455 \cdot"),
        (Katz(), r"0.5 \cdot \frac{1}{4} = 0.125"),  # of ragged counts half of a 1 is kept
        (AddK(k=0.1), r"\frac{1 + 0.1}{4 + 0.1 \cdot 10}"),
        (StupidBackoff(), r"S_3 = \frac{1}{4} = 0.25"),
    ],
)
def test_the_formula_of_a_method_has_its_numbers(method: Smoothing, line: str) -> None:
    made, found = rungs(method, 3, "the cat", "saw")
    assert line in ladder.formula(made, found[0], found[1].p)


def chance(model: Any, context: Any, word: int) -> float:
    """By the model: tests/ngram/test_smoothing_oracle.py has it against dictionaries."""
    return float(model.distributions(context.places(model))[-1][word])


def test_the_ladder_ends_in_the_probability_of_every_method() -> None:
    for preset, after, word in (
        (CATS, "the cat", "saw"),
        (CATS, "on the", "dog"),
        (CATS, "sat", "mat"),
        (FRANCISCO, "i lost", "glasses"),
    ):
        study = Counted(preset, 3).study
        context, id = read(study, after, False)[0], parts.token_of(study, word)
        assert id is not None
        for d in (0.25, 0.75):
            for model in every.models(study, 0.1, d, 0.4).values():
                found = ladder.rungs(model, context, id)
                assert found[0].p == pytest.approx(chance(model, context, id), rel=1e-5)


def test_every_row_sums_to_one_but_stupid_back_off() -> None:
    of = Counted(CATS, 3).study
    context, _said = read(of, "the cat", False)
    models = every.models(of, 0.1, 0.0, 0.4)
    found = every.expected(of, models, context)
    rows = dict(zip(models, found.field.values.sum(1).tolist(), strict=True))
    assert {*rows} == {*smoothings.ids()}
    assert rows.pop("stupid_backoff") == pytest.approx(361 / 325, abs=1e-5)
    assert list(rows.values()) == pytest.approx([1.0] * len(rows), abs=1e-5)
    seen = dict(zip(models, found.field.values[:, : found.seen].sum(1), strict=True))
    assert (seen["mle"], seen["laplace"]) == pytest.approx((1, 7 / 14))
    assert seen["modified_kneser_ney"] == pytest.approx(2 * 0.233734 + 0.352718, abs=1e-5)


def test_perplexity_is_never_a_bare_infinity() -> None:
    (table,) = tables(parts.methods.blocks(study=Counted(CATS, 3), mine=""))
    words = {row["method"]: str(row["held-out perplexity"]) for row in table}
    # the dog sat on the mat </s>: 1/3 of <s> the, sat after "the dog" never, then 1, 1, 1/2, 1
    begins = "1 of 7 tokens impossible; perplexity of the rest "
    assert words["Maximum likelihood"].startswith(begins)
    rest = float(words["Maximum likelihood"].rsplit(" ", 1)[1])
    assert rest == pytest.approx(2 ** (-math.log2(F(3, 4) * F(1, 3) * F(1, 2)) / 6), rel=1e-3)
    assert all("inf" not in w and "nan" not in w for w in words.values())
    assert words["Stupid back-off"].endswith("of scores: no perplexity")


def test_kneser_ney_prefers_glasses() -> None:
    ranks, (plain, better) = tables(parts.francisco.blocks(study=Counted(FRANCISCO, 2)))
    often, wide = (
        {row[word]: row[n] for row in ranks}
        for word, n in (("by how often", "occurs"), ("by words before it", "different words"))
    )
    assert often["francisco"] == often["glasses"] == 3 and wide["glasses"] == 3
    assert wide.get("francisco", 1) == 1
    assert plain["francisco"] == plain["glasses"]  # by frequency both alike
    study = Counted(FRANCISCO, 2).study
    context, model = read(study, "lost", False)[0], study.smoothed(KneserNey())
    for word in ("francisco", "glasses"):
        id = parts.token_of(study, word)
        assert id is not None
        want = chance(model, context, id)
        assert float(better[word].rstrip(" %")) / 100 == pytest.approx(want, rel=5e-3)
    yours = said(parts.francisco.blocks(study=Counted(CATS, 3), follow="cat"))
    assert "“cat” occurs 4 times, after 1 different token: 0.25 contexts" in yours


def test_the_counts_and_their_lines() -> None:
    counts, lines = tables(parts.counts.blocks(study=Counted(CATS, 3), mine="", line="saw"))
    assert {row["next"]: row["count"] for row in counts} == {"</s>": 2, "sat": 1, "saw": 1}
    assert [[*row.values()] for row in lines] == [[1, "", "the cat saw", "a dog"]]


def test_one_zero_is_enough() -> None:
    found = parts.zero.blocks(study=Counted(CATS, 2), mine="")
    product = (
        r"$\displaystyle 0.25 \cdot 0 \cdot 0.25 \cdot 1 \cdot 1 \cdot 0.1667 \cdot 0.3333 = 0$"
    )
    assert f"Maximum likelihood: {product}" in said(found)
    assert "1 of 7 factors of maximum likelihood are 0 (“cat”)" in said(found)
    (table,) = tables(found)
    p = math.prod(float(row["P, smoothed"]) for row in table)
    assert math.log10(p) == pytest.approx(-5.435883, abs=2e-3)


def test_a_probability_off_the_counts_makes_the_text_less_likely() -> None:
    """T2: log L = -16.296 nats; 4 ln(.3 / (2/3)) + 2 ln(.7 / (1/3)) = -1.710 beside it."""
    given: dict[str, Any] = {"study": Counted(CATS, 2), "mine": "", "after": "the"}
    found = parts.likelihood.blocks(**given)
    formula = next(b.latex for b in found if hasattr(b, "latex"))
    assert "-16.296" in formula and "-18.006" in formula
    assert "“cat” was counted 4 of 6 times after “the”. At 30 % in place of 66.7 %" in said(found)
    assert "**0.181** times as likely" in said(found)  # e to the power of -1.710
    assert "**1.000** times as likely" in said(parts.likelihood.blocks(**given, to=0.67))


def test_unknown_words_follow_the_least_count() -> None:
    given: dict[str, Any] = {"study": Counted(CATS, 2), "mine": "", "after": "the"}
    found = said(parts.unknown.blocks(**given))
    assert ":red-background[mat]" in found and ":red-background[cat]" not in found
    assert "P(`<unk>` | “the”) = **0.167**" in found
    rare = "the cat :red-background[sat] :red-background[on] the :red-background[mat]"
    assert rare in said(parts.unknown.blocks(**given, least=3))
    alone = said(parts.unknown.blocks(study=Counted(CATS, 1), mine="", least=3))
    assert "P(`<unk>`) = **0.346**" in alone  # 9 of 26 tokens


def test_the_cache() -> None:
    """T16: .104231 becomes .160475, and the cat's .587203 becomes .528483."""
    found = changes.cache.blocks(study=Counted(CATS, 3))
    (table,) = tables(found)
    rows = {row["word"]: row for row in table}
    for word, before, with_it in (("dog", 0.104231, 0.160475), ("cat", 0.587203, 0.528483)):
        numbers = rows[word]["without"], rows[word]["with"]
        assert numbers == pytest.approx((before, with_it), abs=1e-6)
    formula = next(b.latex for b in found if hasattr(b, "latex"))
    assert formula.endswith(r"= 0.9 \cdot 0.1042 + 0.1 \cdot 0.6667 = 0.1605")
    (empty,) = tables(changes.cache.blocks(study=Counted(CATS, 3), recent="", weight=0.9))
    assert all(row["without"] == row["with"] for row in empty)


def in_context(**given: Any) -> dict[str, float]:
    (table,) = tables(changes.blank.blocks(study=Counted(CATS, 3), **given))
    return {row["word"]: row["in context"] for row in table if row["in context"]}


def test_both_sides_of_a_gap() -> None:
    """T16, Kneser-Ney and maximum likelihood."""
    want = {"cat": 0.726129, "dog": 0.171855, "mat": 0.046977, "saw": 0.018346}
    want |= {"the": 0.013760, "a": 0.009173, "sat": 0.009173, "on": 0.004587}
    assert in_context(gap="the _ sat") == pytest.approx(want, abs=1e-6)
    certain = in_context(gap="the _ sat", smooth="mle")
    assert certain == pytest.approx({"cat": 3 / 4, "dog": 1 / 4})
    assert "gives everything probability 0" in said(
        changes.blank.blocks(study=Counted(CATS, 3), gap="on _ on", smooth="mle")
    )


def test_a_slip_in_context() -> None:
    """T16: .945183 to .054817 for cat and sat after “the”, .140426 to .859574 after “cat”."""
    for before, cat, sat in (("the", 0.945183, 0.054817), ("cat", 0.140426, 0.859574)):
        found = in_context(gap=f"{before} xat")
        assert {*found} == {"cat", "mat", "sat"}
        assert found["cat"] / found["sat"] == pytest.approx(cat / sat, rel=1e-5)

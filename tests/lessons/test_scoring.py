"""Scoring: its numbers are those worked out by hand, whatever text it is given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.analysis.study import Study
from engine.core.registry import smoothings, views
from engine.core.trace import Table, TableSpec
from engine.frame.blocks import Problem, Warn, blocks_in
from engine.lessons.counting_texts import PRESETS, Counted
from engine.lessons.scoring import log, parts
from engine.lessons.scoring.scored import scored, without_floor
from engine.lessons.smoothing import parts as smoothing_parts
from engine.lessons.sparsity import parts as sparsity_parts
from engine.ngram.closed import Closed
from engine.ngram.smoothing.laplace import Laplace
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey
from engine.saving.export import render
from engine.text.tokenizers.words import never_of
from tests.conftest import together
from tests.lessons.blocks import said, tables

CATS = PRESETS[0]
X1, X2 = "the cat saw the dog", "a cat sat on the dog"
BY_HAND: dict[str, Any] = {"floor": False, "k": 0.1, "katz_k": 2}


# log2 P, H, perplexity; H and perplexity without </s>; of X1 and of X2; none where one is impossible.
# Of every method: tests/ngram/test_smoothing_oracle.py.
TABLE = """
2 | Maximum likelihood | -8.169925 1.361654 2.569797 1.316993 2.491462 |
2 | Laplace (add-1) | -13.937127 2.322854 5.003212 2.270433 4.824679
    | -18.101102 2.585872 6.003783 2.586023 6.004413
2 | Stupid back-off (scores) | -8.169925 1.361654 2.569797 1.316993 2.491462
    | -12.192293 1.741756 3.344420 1.767888 3.405551
2 | Modified Kneser-Ney | -11.714008 1.952335 3.870003 1.856299 3.620776
    | -18.057613 2.579659 5.977984 2.604183 6.080472
3 | Maximum likelihood | |
3 | Jelinek-Mercer | -12.730322 2.121720 4.352126 1.959083 3.888149
    | -16.949960 2.421423 5.356991 2.335843 5.048457
3 | Back-off, fixed discount | -13.906891 2.317815 4.985766 2.116993 4.337887
    | -17.260528 2.465790 5.524292 2.323100 5.004063
"""


@pytest.mark.parametrize("which", [0, 1], ids=["X1", "X2"])
def test_every_method_by_hand(which: int) -> None:
    for line in TABLE.strip().replace("\n    |", " |").split("\n"):
        order, title, *both = (cell.strip() for cell in line.split("|"))
        want = [float(number) for number in both[which].split()]
        given = {**BY_HAND, "lambdas": "0.7,0.3" if order == "2" else "0.5,0.3,0.2"}
        if title.startswith("Back-off"):
            given = {"floor": False, "discount": 0.5}
        s = scored(counted=Counted(CATS, int(order)), lines=(X1, X2)[which], **given)
        (row,) = (r for r in (parts.measured(s, id) for id in s.models) if r["method"] == title)
        found = [str(cell) for cell in [*row.values()][1:]]
        if want:
            assert [float(cell) for cell in found] == pytest.approx(want, abs=1e-5), title
        else:
            assert "impossible" in found[0] and all("of the rest" in cell for cell in found[1:])


def test_surprisal_is_drawn_and_what_is_impossible_marked() -> None:
    """What the first minute says of its bars."""
    found = parts.surprisal(scored(Counted(CATS, 2), X1)).entries[0]
    assert isinstance(found, Table)
    bits = dict(zip(found.columns["token"], found.columns["bits"], strict=True))
    assert max(bits, key=bits.__getitem__) == "dog" and f"{bits['dog']:.2f}" == "3.30"
    columns = {"token": np.array(["a", "b", "</s>"], object), "group": np.array([0, 2, 1])}
    columns |= {"bits": np.array([1.5, np.nan, 2.0]), "probability": np.array([0.35, 0.0, 0.25])}
    table = Table(TableSpec("surprisal", tuple(columns), "S."), columns)
    figure = views.get("surprisal").draw(table, mean=1.75)
    drawn = render(figure, "svg").decode()
    assert "probability 0" in drawn
    assert "∞" not in drawn
    assert "NaN" not in drawn
    assert "1 token has probability 0" in figure.alt_text


def blocks(part: Any, lines: str, order: int = 2, **given: Any) -> list[Any]:
    given = {"study": Counted(CATS, order), "mine": "", "lines": lines, "floor": False, **given}
    if not {"floor", "lines"} <= {*part.controls}:
        given = {n: v for n, v in given.items() if n in part.parameters}
    return list(part.blocks(**given))


def test_one_sentence_in_every_base() -> None:
    found = said(blocks(parts.number, X1, method="mle"))
    assert "2^{1.36165} = e^{0.94383} = 10^{0.40990} = 2.56980" in found
    assert "2^{0.94383} = 1.924" in found and "e^{1.36165} = 3.903" in found  # the wrong base
    product = said(blocks(parts.chain, X1, method="mle"))
    factors = ((3, 4), (4, 6), (1, 4), (1, 2), (1, 6), (1, 3))
    written = r" \cdot ".join(rf"\frac{{{a}}}{{{b}}}" for a, b in factors)
    assert rf"{written} = \frac{{1}}{{288}}" in product
    assert r"\frac{4 / 26}{6 / 26} = \frac{4}{6}" in product


@together(("unit", "h"), [("bits", "1.36165"), ("nats", "0.94383"), ("dits", "0.40990")])
def test_units(unit: str, h: str) -> None:
    (ways,) = tables(blocks(parts.number, X1, method="mle", unit=unit))
    assert ways[0][f"{unit} per token"] == h and ways[0]["perplexity"] == "2.56980"


def test_leaks_sentences_and_divergence() -> None:
    found = said(blocks(parts.chain, X1, factor="3. saw"))
    assert r"P(\text{saw} \mid \text{cat})" in found
    assert r"\frac{2}{4} = 0.5$" in found and "0.5 of the probability would be lost" in found
    assert r"\frac{2}{3} = 0.6667$" in said(blocks(parts.chain, "the dog sat", factor="3. sat"))
    text = "\n".join(CATS.lines)
    found = said(blocks(parts.number, text, method="kneser_ney", unit="nats"))
    assert "Per **sentence** the loss is 6.21659 nats" in found and "= 500.99" in found
    assert "= 0.95640" in found and "**2.60**" in found
    given = {"study": Counted(CATS, 2), "mine": "", "after": "the", "floor": False}
    found = parts.divergence.blocks(**given, method="kneser_ney")
    assert "1.64231 = 1.25163 + 0.39069" in said(found)


def test_zero_events_and_unknown_words() -> None:
    found = blocks(parts.zero, X2, method="mle")
    (rows,) = tables(found)
    (row,) = rows
    assert "Zero events: 1 of 7 tokens" in said(found)
    why = "This token never follows this context."
    assert (row["token"], row["after"], row["why"]) == ("cat", "a", why)
    rest = (1 / 4 * 1 / 4 * 1 * 1 * 1 / 6 * 1 / 3) ** (-1 / 6)
    assert f"perplexity **{rest:.4f}**" in said(found)
    assert "has no finite loss" in said(blocks(parts.number, X2, method="mle"))
    (rows,) = tables(blocks(parts.zero, "the bird sat", floor=True))
    assert rows[0]["token"] == "bird" and "Read as the unknown token" in rows[0]["why"]
    (ways,) = tables(blocks(parts.number, "the bird sat", floor=True))
    assert [row["N"] for row in ways] == [4, 3, 3, 2]
    found = blocks(parts.zero, "the bird sat", method="kneser_ney")
    assert "Zero events: 1 of 4" in said(found) and "keeps nothing" in tables(found)[1][0]["why"]


def test_who_types_a_mark_is_sent_to_no_switch_that_is_not_there() -> None:
    sent = {}
    for part in (*parts.PARTS, *smoothing_parts.PARTS, *sparsity_parts.PARTS):
        given = {"study": Counted(CATS, 2), "mine": "<s> the"}
        known = {name: value for name, value in given.items() if name in part.parameters}
        warned = [str(b.words) for b in blocks_in(part.blocks(**known)) if isinstance(b, Warn)]
        if any("reserved" in words for words in warned):
            sent[part] = any("Switch on" in words for words in warned)
    assert len(sent) > 3
    assert all(there == ("start" in part.controls) for part, there in sent.items())


def test_a_closed_vocabulary_predicts_only_what_was_counted() -> None:
    for tokenizer in ("words", "chars"):
        study = Study.of("\n".join(PRESETS[0].lines), 2, tokenizer, hold_out=False)
        for id in smoothings.ids():
            method = without_floor(smoothings.get(id)())
            model = Closed.estimate(method, study.raw, never_of(study.tokenizer))
            p_TV = model.distributions(study.raw.places(study.stream[:-1])).astype(np.float64)
            if model.method.is_probability and id != "modified_kneser_ney":
                assert p_TV.sum(1) == pytest.approx(1, abs=1e-5), id
            assert not p_TV[:, study.tokenizer.unknown].any()
    seen = int((study.raw.orders[0].count_G > 0).sum())
    assert Closed.estimate(Laplace(), study.raw).predicted == seen


# --- lines of a log


def test_lines_that_do_not_belong_cost_more_than_normal_ones() -> None:
    of = log.watch(log.written(log.NORMAL, 1))
    usual = np.array([of.score(line) for line in log.written(log.ODD, 2)])
    strange = log.written(log.ODD, 3, strange=True)
    score = np.array([of.score(line) for line in strange])
    most = of.threshold(0.05)
    assert (usual > most).mean() <= 0.05 < 0.8 < (score > most).mean()
    passes = [line for line, bits in zip(strange, score, strict=True) if bits <= most]
    assert passes and all(
        "Accepted publickey for" in line and "backup" not in line for line in passes
    )


def test_a_score_is_the_mean_surprisal_by_hand() -> None:
    """Of a line whose tokens were all counted: -log2 of the model's own probabilities, one after the other."""
    of = log.watch(log.written(400, 4))
    line = "disk: 31 percent of /home used"
    labels, bits = of.tokens(line)
    assert labels[-1] == "</s>" and labels.count("0") == 1
    model = of.study.smoothed(ModifiedKneserNey())
    ids = of.study.tokens(log.cut(line) + "\n").ids
    wanted = [
        -np.log2(model.probabilities(ids[max(0, n - 2) : n + 1])[-1]) for n in range(1, len(ids))
    ]
    np.testing.assert_allclose(bits, wanted, rtol=1e-6)
    assert of.score(line) == pytest.approx(np.mean(wanted))


def test_alarms_on_the_page() -> None:
    typed = "disk: 31 percent of /home used\nsshd[1]: Failed password for root from 1.2.3.4 port 5"
    rows, shares = tables(parts.intruder.blocks(lines=typed, share=0.05))
    assert [row["alarm"] for row in rows] == ["", "⚠"]
    assert shares[0]["alarms"] <= 0.05 < shares[1]["alarms"]
    (rows,) = tables(parts.intruder.blocks(lines=typed, normal=typed * 30))
    assert len(rows) == 2
    assert tables(parts.intruder.blocks(lines=""))[0] == []
    assert isinstance(parts.intruder.blocks(normal="one line")[-1], Problem)

"""The lesson on measures: what is lit is what counts, sums come out as they are written, and the shipped examples."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis.measures import bleu, meteor, pairs, resampling
from engine.analysis.measures.table import BY_ID, MEASURES
from engine.frame.blocks import Awaited, Problem, Rows
from engine.jobs import process
from engine.jobs.status import FINISHED, STOPPED
from engine.lessons.measures import corpus, flaws, live, parts
from engine.lessons.measures.lit import LIT, STATES
from engine.storage.arrays import read_arrays
from tests.analysis.measures.test_measures import LINE

SAID = "Yesterday the captain opens the door and looked at the the sea"
RIGHT = ("The old captain opened the door and looked at the sea yesterday", "He opened a door")
LINES = st.lists(LINE, min_size=1, max_size=3).filter(lambda of: any(one.strip() for one in of))


@pytest.mark.parametrize("id", LIT)
@given(said=LINE, right=LINES)
@settings(max_examples=40, deadline=None)
def test_the_last_sum_is_the_score(id: str, said: str, right: Sequence[str]) -> None:
    found = LIT[id](said, right, "")
    assert found.sums[-1][2] == pytest.approx(BY_ID[id].sentence(said, right), abs=1e-6)
    for row in found.rows:
        assert len(row.words) == len(row.states) == len(row.places)
        assert len(row.marks) in (0, len(row.words))
        assert all(0 <= state < len(STATES) for state in row.states)


@pytest.mark.parametrize("id", LIT)
def test_a_sum_is_worth_what_stands_behind_it(id: str) -> None:
    """Each formula, computed as it is written, to the three digits that it is written with."""
    for said, right in ((SAID, RIGHT), ("a b", ("x y z",)), (SAID, RIGHT[:1]), ("", RIGHT)):
        for _name, formula, value in LIT[id](said, right, "").sums:
            if "“" in formula:
                continue
            written = formula.split(" = ")[-1].split(": ")[-1]
            plain = written.replace("·", "*").replace("−", "-").replace("^", "**")
            plain = plain.replace("³", "**3").replace("e**", "2.718281828459045**")
            if plain.startswith("0.5 *") or not re.search(r"\b0 / 0\b|\(0 \+ 0\)", plain):
                try:
                    assert eval(plain) == pytest.approx(value, rel=0.02, abs=1e-3), formula  # noqa: S307
                except ZeroDivisionError:
                    assert value == 0, formula


def test_what_is_lit_is_what_counts() -> None:
    rows = [LIT["bleu"](SAID, RIGHT, str(n)).rows[0] for n in range(1, 5)]
    found = [sum(state == STATES.index("found") for state in row.states) for row in rows]
    assert found == bleu.row(SAID, RIGHT)[2:6]
    of = LIT["meteor"](SAID, RIGHT, "")
    assert of.reference == 0
    pieces = max(of.rows[0].marks)
    assert pieces == max(of.rows[1].marks) == meteor.best(SAID, RIGHT)[1].chunks[-1]
    stems = [w for w, s in zip(of.rows[0].words, of.rows[0].states, strict=True) if s == 3]
    assert stems == ["opens"]
    shifted = LIT["ter"]("b c a", ("a b c",), "")
    assert [shifted.rows[0].words[i] for i, s in enumerate(shifted.rows[0].states) if s == 8]
    assert shifted.sums[0][1] == "“a”: 3 → 1" and shifted.sums[-1][2] == pytest.approx(100 / 3)
    behind = LIT["ter"]("d a b c", ("a b c d",), "")
    assert behind.sums[0][1] == "“d”: 1 → 4"
    cer = LIT["cer"]("kitten", ("sitting",), "")
    assert [STATES[s] for s in cer.rows[0].states].count("replaced") == 2
    assert [STATES[s] for s in cer.rows[0].states].count("left out") == 1


def test_each_unit_knows_the_word_that_it_stands_in() -> None:
    text = "\n".join((SAID, *RIGHT))
    words = text.split()
    for m, one in enumerate(MEASURES):
        part, derived = live.read(text, (0, len(text)), {"unit": m})
        assert part["labels"] == words
        lit = part["said"]["lit"]
        for row in lit["rows"]:
            for unit, token in zip(row["words"], row["tokens"], strict=True):
                first = re.match(r"\w*", unit.lower())[0]  # type: ignore[index]
                there = "".join(words[token : token + 3]).lower()
                assert token < 0 or first[:3] in there, (one.id, unit)
        assert part["said"]["asked"] == [m, ""]
        points = float(derived["points"][1][m])
        assert lit["sums"][-1][2] == pytest.approx(points)


@pytest.mark.parametrize(
    ("text", "says"),
    [("", ""), ("\n\n", ""), ("a word", "with itself"), ("\nright", ""), ("x\n\n \ny", "")],
)
def test_odd_texts_are_said(text: str, says: str) -> None:
    part, derived = live.read(text, (0, len(text)), {"unit": "nonsense", "order": "99"})
    assert says in part["said"]["why"] and derived["points"][1].shape == (len(MEASURES),)
    assert (part["said"]["lit"] is None) == (not text.strip())
    if text == "a word":
        assert derived["points"][1][0] == pytest.approx(100) and len(part["labels"]) == 2


@pytest.mark.parametrize(
    "text",
    ["😀 👩‍🚀 é\n猫 😀", "x" * 5_000 + "\n" + "y " * 2_500, "a " * 400 + "\n" + "b a " * 200],
)
def test_long_and_odd_texts_are_answered_soon(text: str) -> None:
    for m in range(len(MEASURES)):
        start = time.perf_counter()
        part, _derived = live.read(text, (0, len(text)), {"unit": m})
        assert time.perf_counter() - start < 1.5
        assert part["said"]["lit"] or "TER" in part["said"]["why"]


@pytest.mark.parametrize("id", corpus.EXAMPLES)
def test_the_shipped_examples_are_what_the_measures_make_of_them(id: str) -> None:
    found = corpus.example(id)
    assert len(found.pairs) in (400, 84) and len(found.names) == 2
    some = [BY_ID[one] for one in ("bleu", "ter", "cer", "f1")]
    for s, (_name, said) in enumerate(found.pairs.systems):
        lines = zip(said, found.pairs.references, strict=True)
        row_LK = np.array([[x for one in some for x in one.row(*pair)] for pair in lines], float)
        score_M = resampling.scores(some, row_LK.sum(0, keepdims=True))[0]
        at = [MEASURES.index(one) for one in some]
        assert found.score[s, at] == pytest.approx(score_M)
        np.testing.assert_allclose(found.alone[s][:, at], resampling.alone(some, row_LK), rtol=1e-5)


@pytest.mark.slow
def test_the_shipped_examples_are_what_the_models_write() -> None:
    from engine.lessons.measures import build

    for id, make in (("french", build.french), ("spanish", build.spanish)):
        written = "".join("\t".join(row) + "\n" for row in make())
        assert written == (corpus.ASSETS / f"{id}.tsv").read_text(encoding="utf-8")
        fresh = dict(corpus.compute(corpus.read_example(id)))["done"]
        kept = read_arrays(corpus.ASSETS / f"{id}.safetensors")
        for name, values in fresh.items():
            np.testing.assert_allclose(values, kept[name], rtol=1e-6)


@pytest.mark.slow
def test_how_often_each_test_calls_equals_different() -> None:
    """As the page says: 8 to 11 and 3 to 5 of 100 at p < 0.05, of 400 pairs told apart by coins."""
    some = [BY_ID[one] for one in ("bleu", "chrf", "f1", "ter")]
    for id in corpus.EXAMPLES:
        of = corpus.read_example(id)
        one, other = (
            np.array(
                [
                    [x for m in some for x in m.row(*pair)]
                    for pair in zip(said, of.references, strict=True)
                ],
                float,
            )
            for _name, said in of.systems
        )
        rng, called = np.random.default_rng(1), np.zeros((2, len(some)))
        for n in range(400):
            coin_L1 = rng.integers(2, size=len(of)).astype(bool)[:, None]
            mixed = np.where(coin_L1, one, other), np.where(coin_L1, other, one)
            drawn = [resampling.bootstrap(some, row_LK, 300, n) for row_LK in mixed]
            paired = resampling.compare(some, *mixed, drawn, n)
            called += [
                [p.bootstrap < 0.05 for p in paired],
                [p.randomisation < 0.05 for p in paired],
            ]
        share = called / 400
        assert share[0].min() >= 0.075 and share[0].max() < 0.115
        assert share[1].min() >= 0.03 and share[1].max() < 0.055


def test_what_the_page_says_of_two_systems() -> None:
    blocks = parts.systems.blocks()
    (table,) = (block for block in blocks if isinstance(block, Rows))
    assert [row["measure"] for row in table.rows] == [one.title for one in MEASURES]
    said = " ".join(str(block) for block in blocks if isinstance(block, str))
    assert "**dot attention** is better by CER" in said and "11 measures of 12" in said
    spanish = parts.systems.blocks(pairs="spanish")
    assert any("No measure tells" in str(block) for block in spanish)
    exact = next(
        row
        for block in spanish
        if isinstance(block, Rows)
        for row in block.rows
        if row["measure"] == "Exact match"
    )
    assert exact["p, bootstrap"] == exact["p, randomisation"] == "–" and exact["difference"] == 0


def test_where_two_orders_differ_most() -> None:
    found = corpus.example("spanish")
    rank_LM = parts.ranks(found)[1]
    assert rank_LM.min() >= 0 and rank_LM.max() <= 1
    rows = next(b for b in parts.disagreement.blocks() if isinstance(b, Rows)).rows
    apart = [row["apart"] for row in rows]
    assert apart == sorted(apart, reverse=True) and apart[0] > 50
    ter, chrf = (MEASURES.index(BY_ID[id]) for id in ("ter", "chrf"))
    all_apart = np.abs(
        parts.ranks(found)[found.names.index("likeliest word")][:, [chrf]]
        - parts.ranks(found)[found.names.index("likeliest word")][:, [ter]]
    ).max()
    assert apart[0] == round(100 * all_apart)
    alike_MM = parts.correlations(rank_LM)
    assert alike_MM[ter, MEASURES.index(BY_ID["wer"])] > 0.9
    assert np.allclose(alike_MM, alike_MM.T)


def test_a_sentence_is_spoiled_by_rule() -> None:
    found = {str(name): text for name, text in flaws.spoil("She did not pay 50 dollars, he said.")}
    assert found["negated, or not any more"] == "She did pay 50 dollars, he said."
    assert found["one digit more"] == "She did not pay 500 dollars, he said."
    assert flaws.negate("It was late") == "It was not late"
    assert flaws.negate("He doesn't") == "He does"
    assert flaws.spoil("!") == [("nothing", "!"), ("without punctuation", "")]


def test_a_file_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    small = "x.tsv", b"a b c\ta b\ta b c\nd e\td e\td f\n"
    rows = next(
        b for b in parts.systems.blocks(pairs="own", file=small) if isinstance(b, Rows)
    ).rows
    assert next(r for r in rows if r["measure"] == "Exact match")["A"].startswith("50.00")
    problems = [
        [b for b in part.blocks(pairs="own", file=file) if isinstance(b, Problem)]
        for part in (parts.systems, parts.disagreement)
        for file in (None, ("x.tsv", b"\xff"), ("x.tsv", b"one"))
    ]
    assert all(len(found) == 1 for found in problems)


def test_a_long_file_is_a_job_that_can_be_stopped_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    others = {*psutil.Process().children()}
    lines = "".join(f"the cat {n} sat on the mat\tthe cat sat {n} on mat\n" for n in range(400))
    file = "long.tsv", lines.encode()
    (awaited,) = (b for b in parts.systems.blocks(pairs="own", file=file) if isinstance(b, Awaited))
    folder = corpus.place(file[1])
    corpus.stop(folder)
    state = wait(folder)
    if state == STOPPED:
        said = parts.systems.blocks(pairs="own", file=file)
        assert "It was stopped." in said
        parts.systems.blocks(pairs="own", file=file, again=1)
        state = wait(folder)
    assert state == FINISHED and awaited.share() is None
    rows = next(
        b for b in parts.systems.blocks(pairs="own", file=file, again=1) if isinstance(b, Rows)
    )
    of = pairs.read(file[1])
    row_LK = np.array(
        [BY_ID["ter"].row(*pair) for pair in zip(of.systems[0][1], of.references, strict=True)],
        float,
    )
    score = float(BY_ID["ter"].score(row_LK.sum(0, keepdims=True))[0])
    assert next(r for r in rows.rows if r["measure"] == "TER")["A"].startswith(f"{score:.2f}")
    psutil.wait_procs([one for one in psutil.Process().children() if one not in others], 20)
    process.reap()


def wait(folder: Path) -> str:
    for _ in range(600):
        state = corpus.state(folder)
        if state in (STOPPED, FINISHED) and corpus.share(folder) is None:
            return state
        time.sleep(0.05)
    raise AssertionError("the job did not end")

"""∞-gram: contexts, counts and probabilities against a search through the text, token by token."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from engine.course import rooms
from engine.frame.blocks import Problem, Rows, blocks_in
from engine.lessons.counting_texts import OWN, PRESETS, Counted, texts
from engine.lessons.infinite import held_out, live, parts, stored
from engine.lessons.infinite.fm import Fm
from engine.lessons.infinite.matches import LISTED, Matches, best_of, matches
from engine.live.request import Request
from engine.live.stage import Opening
from engine.ngram.index import FARTHEST, Index
from engine.text.collection import Library
from tests.conftest import together

CATS = Counted(PRESETS[0], 3)


@cache
def python_docs(order: int = 5) -> Counted:
    return Counted(next(one for one in texts().values() if one.id == "python_docs"), order)


def lines_of(of: Matches) -> list[list[int]]:
    """The counted lines, each between its marks."""
    found: list[list[int]] = []
    for id in of.study.stream.tolist():
        if found:
            found[-1].append(id)
        if id == of.boundary:
            found.append([id])
    return found[:-1]


def longest(of: Matches, ids: list[int]) -> tuple[int, list[int]]:
    """By hand: (length of the longest end of ids that something follows, what follows it)."""
    begin = max((n for n, id in enumerate(ids) if id == of.boundary), default=0)
    for length in range(min(len(ids) - begin, FARTHEST), 0, -1):
        end = ids[len(ids) - length :]
        behind = [
            line[i + length]
            for line in lines_of(of)
            for i in range(len(line) - length)
            if line[i : i + length] == end
        ]
        if behind:
            return length, behind
    return 0, [id for line in lines_of(of) for id in line[1:]]


TYPED = (
    "the cat sat on the mat",
    "a dog saw the cat sat on the dog",
    "the bird sat",
    "cat\nthe dog sat on\n",
    "\n\n",
    "on on on the cat",
    "",
)


@together("text", TYPED)
def test_the_longest_context_is_the_one_found_by_hand(text: str) -> None:
    of = matches(CATS)
    ids_T = of.ids(text)
    runs, ids = of.runs(ids_T), ids_T.tolist()
    every = np.arange(len(ids) + 1)
    with np.errstate(all="ignore"):
        p_T, total_T, count_T = of.infinite(runs), of.total(runs, every), of.count(runs)
    for t in range(1, len(ids) + 1):
        length, behind = longest(of, ids[:t])
        assert (runs.context_T[t], total_T[t]) == (length, len(behind))
        (counted, _expected) = next(of.next(runs, np.array([t])))
        by_hand = {id: behind.count(id) for id in behind}
        some = dict(zip(*(each.tolist() for each in counted), strict=True))
        assert some.items() <= by_hand.items() and len(some) == min(LISTED, len(by_hand))
        assert sorted(some.values()) == sorted(by_hand.values())[-LISTED:]
        if t < len(ids):
            assert count_T[t] == behind.count(ids[t])
            assert p_T[t] == behind.count(ids[t]) / len(behind)


def test_bigrams_and_trigrams_of_the_four_sentences() -> None:
    """T2, and the longest n-grams of T16: its n are of the n-gram, the token itself included."""
    of = matches(CATS)
    vocab = of.study.vocab

    def after(text: str) -> dict[str, float]:
        ids_T = of.ids(text)
        ((id_K, count_K), _expected) = next(of.next(of.runs(ids_T), np.array([len(ids_T)])))
        return {vocab[i]: n / count_K.sum() for i, n in zip(id_K, count_K, strict=True)}

    assert after("") == {"the": 3 / 4, "a": 1 / 4}
    assert after("zebra the") == {"cat": 2 / 3, "dog": 1 / 6, "mat": 1 / 6}
    assert after("zebra the cat") == {"</s>": 1 / 2, "sat": 1 / 4, "saw": 1 / 4}
    assert after("zebra on the") == {"cat": 1 / 2, "mat": 1 / 2}
    ids_T = of.ids("the bird sat\n")
    runs = of.runs(ids_T)
    low, high = runs.slices(np.arange(2, 6), np.array([2, 1, 1, 2]))
    assert ((high - low) > 0).tolist() == [True, False, True, False]


def test_of_a_real_text_a_suffix_array_agrees_with_the_bytes() -> None:
    """Contexts of held-out lines: each occurs in the text as bytes, and one token longer does not."""
    of, held = matches(python_docs()), python_docs().study.held_stream
    assert held is not None
    ids_T = held[:600]
    runs, stream = of.runs(ids_T), of.study.stream.astype(">u4").tobytes()

    def occurs(a: int, b: int) -> bool:
        """Whether tokens a to b stand in the text, at whole tokens."""
        wanted, at = ids_T[a:b].astype(">u4").tobytes(), -1
        while (at := stream.find(wanted, at + 1)) >= 0:
            if at % 4 == 0:
                return True
        return False

    for t in range(1, len(ids_T), 3):
        length = int(runs.context_T[t])
        assert length == 0 or occurs(t - length, t)
        begin = max(n for n in range(t) if ids_T[n] == of.boundary)
        if t - length > begin:
            assert not occurs(t - length - 1, t)
    sums = [count.sum() for (_ids, count), _e in of.next(runs, np.arange(1, 600))]
    assert (np.array(sums) <= of.total(runs, np.arange(1, 600))).all()


def test_a_copied_line_is_a_context_of_64_tokens_at_most() -> None:
    of = matches(python_docs())
    line = max(python_docs().study.lines, key=len)
    context_T = of.runs(of.ids(line)).context_T
    assert len(context_T) > FARTHEST and context_T.max() == FARTHEST
    assert (np.diff(context_T) <= 1).all(), "as matching statistics"


def test_the_best_of_many_are_the_first_of_a_sorted_list() -> None:
    for worth in (np.array([3, 1, 3, 0, 2]), np.repeat([1, 5, 2], 40), np.zeros(4), np.ones(9)):
        order = [int(i) for i in np.argsort(-worth, kind="stable") if worth[i] > 0][:LISTED]
        assert best_of(worth).tolist() == order


# ------------------------------------------------------------------ the live part


def answered(text: str, of: Counted = CATS) -> Any:
    read = live.stage(study=of).unread
    assert read is not None
    (found,) = read(text, (0, len(text)), Request.read({"text": text}, 10_000))
    return found.part


@together("text", [*TYPED, "😀", "x" * 5_000, "the cat " * 300, "<s> </s>"])
def test_any_text_has_an_answer(text: str) -> None:
    part = answered(text)
    assert len(part["labels"]) == len(part["spans"]) == part["total"]
    of, ids = matches(CATS), matches(CATS).ids(text)
    if len(ids) > 1:
        derived = live.derive(of, ids, 0, len(ids) - 1)
        some = max(0, len(ids) - 20)
        last = live.derive(of, ids, some, len(ids) - 1)
        for name in ("length", "times", "p", "longest", "many", "follows"):
            whole, cut = np.asarray(derived[name][1], float), np.asarray(last[name][1], float)
            np.testing.assert_array_equal(whole[some:], cut, name)


def test_the_slice_narrows_and_stops_at_the_line() -> None:
    of = matches(CATS)
    ids = of.ids("zebra the cat sat\nthe")
    derived = {name: np.asarray(v[1], float) for name, v in live.derive(of, ids, 0, 6).items()}
    assert derived["many"][3, :4].tolist() == [27, 2, 1, 1] and derived["edge"][3].sum() == 0
    assert derived["many"][3, 4] == 0 and np.isnan(derived["many"][3, 5])
    assert derived["many"][5, :3].tolist() == [27, 6, 3] and derived["edge"][5].tolist()[2] == 1
    assert np.isnan(derived["many"][5, 3]), "no context goes beyond its line"
    assert derived["context"][3, -3:].tolist()[1:] == [1, 2] and derived["length"][3] == 2
    assert derived["strange"].tolist() == [1, 0, 0, 0, 0, 0]


def test_kneser_ney_of_a_token_is_that_of_the_model() -> None:
    of = matches(CATS)
    ids_T = of.ids("the dog sat on the mat")
    p_T = of.smoothed(ids_T)
    place_TM = of.model.counts.places(ids_T)
    p_TV = of.model.distributions(place_TM)
    np.testing.assert_allclose(p_T[1:], p_TV[np.arange(6), ids_T[1:]], rtol=1e-5)


@pytest.mark.slow
def test_a_key_in_500_tokens_takes_at_most_20_ms() -> None:
    of = matches(python_docs())
    ids = of.ids("\n".join(python_docs().study.held_out))[:501]
    live.derive(of, ids, 0, 500)
    took = []
    for _again in range(9):
        began = perf_counter()
        live.derive(of, ids, 0, 500)
        took.append(perf_counter() - began)
    assert min(took) <= 0.020


def test_of_another_text_its_own_sentence_is_read() -> None:
    usual = Opening("infinite", "an example", (), "corpus=python_docs&order=5")
    assert python_docs().opening(usual).steps and python_docs().opening(usual).first == ""
    other = CATS.opening(usual)
    assert other.example == PRESETS[0].sentence and not other.steps
    mine = Counted(OWN, 3, lines=("a line of mine", "another")).opening(usual)
    assert mine.example


# ------------------------------------------------------------------ the parts


@together(
    ("text", "pattern"),
    [
        ("banana", "ana"),
        ("banana", "nab"),
        ("aaaa", "aa"),
        ("mississippi", "issi"),
        ("a$b$", "$"),
        ("😀x😀", "😀"),
        ("abc", "z"),
        ("ab\nab", "b\na"),
    ],
)
def test_backward_search_counts_as_by_hand(text: str, pattern: str) -> None:
    of = Fm(text)
    hand = sum(text.startswith(pattern, i) for i in range(len(text)))
    steps = of.search(pattern)
    assert steps[-1].high - steps[-1].low == hand == of.bisected(pattern)
    ends = sorted(range(len(text) + 1), key=lambda i: [ord(c) for c in text[i:]])
    assert of.start_N.tolist() == ends
    for n, step in enumerate(steps, 1):
        end = pattern[len(pattern) - n :]
        assert step.before == 1 + sum(c < step.letter for c in text) or step.high == 0
        found = [i for i in of.start_N[step.low : step.high].tolist() if text.startswith(end, i)]
        assert len(found) == step.high - step.low


def test_the_lines_go_on_as_counted() -> None:
    tables = [
        block.rows
        for block in blocks_in(parts.evidence.blocks(study=CATS, above="", phrase="zebra the"))
        if isinstance(block, Rows)
    ]
    assert sorted(str(row["next"]) for row in tables[0]) == sorted(["cat"] * 4 + ["dog", "mat"])
    (said,) = parts.evidence.blocks(study=CATS, above="", phrase="zebra")
    assert isinstance(said, Problem)


def measured(of: Counted) -> held_out.Found:
    making = held_out.measured(counted=of)
    while True:
        try:
            next(making)
        except StopIteration as end:
            return end.value


def test_what_is_right_on_held_out_lines_is_counted_anew() -> None:
    of = python_docs()
    found, model = measured(of), matches(of)
    held = of.study.held_stream
    assert held is not None and len(found.p_T) == len(held) - 1
    for t in range(0, 400, 17):
        ids = held[: t + 1]
        line = ids[int(np.flatnonzero(ids == model.boundary)[-1]) :]
        p_V = model.model.distributions(model.model.counts.places(line)[-1:])[0]
        assert found.right_smoothed_T[t] == (p_V.argmax() == held[t + 1])
    rows = parts.by_length(found)
    assert sum(n for _name, n, _a, _b in rows) == len(found.p_T)
    assert all(mine <= n and other <= n for _name, n, mine, other in rows)
    mean = {at: found.bits(at)[~found.judged_T].mean() for at in held_out.LAMBDAS.tolist()}
    assert found.chosen() == min(mean, key=mean.__getitem__)
    saved, low, high = found.saved(found.chosen())
    by_hand = (found.bits(0) - found.bits(found.chosen()))[found.judged_T].mean()
    assert saved == pytest.approx(by_hand) and low < saved < high


def test_without_held_out_lines_there_is_a_sentence() -> None:
    alone = Counted(OWN, 2, lines=("only one line",))
    assert isinstance(parts.right.blocks(study=alone)[-1], Problem)
    assert isinstance(parts.right.blocks(study=CATS)[-1], Problem), "λ needs two lines"


def test_of_a_large_text_of_ones_own_all_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts of the index on the disk, against those of the text without its test part."""
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    lines = [f"the cat number {n % 7} sat on mat {n}" for n in range(60_000)]
    own = Library().add("\n".join(lines), "Many cats")
    of = Counted(next(one for one in texts().values() if one.id == own.id), 2)
    assert of.left_out and stored.stored(of) is not None
    before = parts.whole.blocks(study=of, above="the cat")
    assert not any(isinstance(block, Rows) for block in blocks_in(before))
    made = list(
        parts.whole.blocks(study=of, above="", phrase="zebra cat number 3 sat on", index=True)
    )
    left = own.text().splitlines()
    assert 50_000 < len(left) < 60_000
    followed, found = (block.rows for block in blocks_in(made) if isinstance(block, Rows))
    assert [(row["next"], row["count"]) for row in followed] == [
        ("mat", sum("number 3" in line for line in left))
    ]
    assert {row["line"] for row in found} <= {*left} and found
    assert Index(stored.folder_of(own)).find([]).count == sum(len(x.split()) + 1 for x in left)
    again = list(parts.whole.blocks(study=of, above="qqq"))
    assert any(isinstance(block, Rows) for block in blocks_in(again)), "it is there by now"
    (stored.folder_of(own) / "tokens").write_bytes(b"")
    damaged = parts.whole.blocks(study=of, above="the")
    assert not any(isinstance(block, Rows | Problem) for block in blocks_in(damaged))


def test_the_index_takes_six_bytes_a_token() -> None:
    rows = next(b for b in parts.costs.blocks(study=CATS) if isinstance(b, Rows)).rows
    assert [row["bytes"] for row in rows][:2] == [2 * 27, 4 * 27]


def test_its_parts_are_those_of_the_page() -> None:
    assert [part.id for part in rooms.parts("infinite")] == [
        "evidence",
        "search",
        "right",
        "whole",
        "costs",
    ]

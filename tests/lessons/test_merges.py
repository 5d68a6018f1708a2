"""Learning pieces: a reply of the page, every step of a training, and the parts below."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest

from engine.course.curriculum import lesson
from engine.frame.blocks import Problem
from engine.lessons.merges import live, parts
from engine.live.request import Request
from engine.text.subword import bpe, study, wordpiece
from engine.text.subword.bpe import TIES
from tests.conftest import together
from tests.lessons.blocks import charts, tables

TEXT = lesson("merges").example


def said(text: str, rules: str = "chars_letters") -> dict[str, Any]:
    readings, _ = live.stage().answer(Request.read({"text": text, "rules": rules}, 10_000))
    return dict(readings[0].part["said"])


def rows(part: Any, **held: Any) -> list[list[list[Any]]]:
    found = tables(part.blocks(above=TEXT, **held))
    return [[[*row.values()] for row in table] for table in found]


def test_its_first_reply_is_the_vector_of_the_notes() -> None:
    found = said(TEXT)
    assert found["sizes"] == list(range(9, 19))
    assert found["lengths"] == [41, 36, 31, 27, 24, 21, 18, 16, 14, 12]
    first = [(a, b, n) for a, b, _, n, *_ in found["steps"]][:3]
    assert first == [("l", "o", 5), ("lo", "w", 5), (" ", "low", 4)]
    assert all(rows[0][:3] == [a, b, n] for a, b, _, n, _, rows in found["steps"])
    assert said("low " * 9_000)["steps"] and said("")["steps"] == []


@together(
    ("kind", "text"),
    product(study.KINDS, [TEXT, "aaaa aaa", "café 😀😀 café 😀", "x", "low " * 99]),
)
def test_every_step_is_the_text(kind: str, text: str) -> None:
    """Borders go one by one as the tokens of the trainer do; what is tied is counted by hand."""
    value = 3 if kind == "wordpiece" else 2
    for ties in TIES:
        found = study.study(text, kind, ties)
        for step, length in enumerate(found.lengths):
            assert len(found.tokens(step)) == length
        # two ways to the same letters make one token
        assert found.sizes[-1] - found.sizes[0] <= len(found.steps) <= study.MOST
        known = {*found.symbols, *(s.piece for s in found.steps)}
        assert set(found.tokens(len(found.steps))) <= known
        if kind in ("chars", "whole"):
            assert "".join(found.tokens(len(found.steps))) == text
        for step in found.steps:
            values = [row[value] for row in step.rows]
            assert not values or max(values) == values[0]
            if values and len(values) < study.ROWS:
                assert step.tied == values.count(values[0]) - 1


def test_vocabulary_against_length_and_a_new_word() -> None:
    found = study.study(TEXT, "chars", "letters")
    (chart,) = charts(parts.stop.blocks(above=TEXT)).values()
    assert chart.columns["x"].tolist() == found.sizes
    assert chart.columns["value"].tolist() == found.lengths
    assert isinstance(parts.stop.blocks(above="ab")[-1], Problem)
    for word, cut in ((" lowest", "·lowe | st"), ("newest", "n | e | w | e | st")):
        assert rows(parts.new_word, word=word)[0][-1][1] == cut
    assert rows(parts.new_word, word=" slower")[0][-1][1] == "· | s | low | e | r"


TEXTS = ("low lower lowest newest newer", "aaaa aa aaa ab abc bc abcd", "naïve 👩‍🚀 naïve été", "")
ASKED = ("lowest", " slower  newer", "aaaaa abcabcd", "zero été", "👩‍🚀naïve’s", "  ", "")


@together(("kind", "text", "new"), product(study.KINDS, TEXTS, ASKED))
def test_a_new_text_is_cut_with_what_was_learned(kind: str, text: str, new: str) -> None:
    """As the tokenizers cut it; each row differs from the one before by its own merge alone."""
    found = study.study(text, kind, "letters")
    for step in sorted({0, len(found.steps) // 2, len(found.steps)}):
        made = parts.replayed(found, new, step)
        learned = [*found.symbols, *(s.piece for s in found.steps[:step])]
        if kind == "wordpiece":
            known = dict.fromkeys(learned, 0)
            wanted = [(w, wordpiece.cut(w, known) or ["[UNK]"]) for w in new.split()]
            assert made == wanted
            continue
        words = study.cut(kind, new)
        first = [symbol for word, _ in words for symbol in word]
        seen = list(dict.fromkeys([*learned, *first]))
        numbered = {piece: n for n, piece in enumerate(seen)}
        ready = bpe.Merges(numbered, [(s.a, s.b) for s in found.steps[:step]])
        assert made[0] == ("first symbols", first)
        assert made[-1][1] == [seen[i] for word, _ in words for i in ready.encode(word)]
        for (_, before), (how, after) in pairwise(made):
            n = int(how.removeprefix("merge ").partition(":")[0])
            gone = len(before) - len(after)
            assert gone and after.count(found.steps[n - 1].piece) >= gone


def test_bpe_and_wordpiece_part() -> None:
    text = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)
    by_count, by_score = study.orders(text)
    assert by_count[0][:3] == ("##e", "##s", 9) and by_score[0][:3] == ("##i", "##d", 3)
    assert by_score[0][3] == pytest.approx(1 / 3) and by_count[0][3] == pytest.approx(9 / (17 * 9))
    left, right = rows(parts.orders, sample=text)
    assert left[0][:3] == [1, "##e + ##s", 9] and right[0][:3] == [1, "##i + ##d", 3]
    assert "diverge at merge 1." in str(parts.orders.blocks(above=text)[-1])


def test_all_cuts_of_a_word() -> None:
    """The shares of all cuts sum to 1, and the likeliest one lies over the letters once."""
    made = study.lattice(TEXT, "▁lowest", 30)
    assert made["ways"] == 4
    assert sum(share for start, *_, share, _ in made["edges"] if start == 0) == pytest.approx(1)
    best, pieces = rows(parts.unigram, word=" lowest")
    cuts = [" | ".join(map(parts.write_piece, found)) for found, *_ in made["best"]]
    assert [row[0] for row in best] == cuts
    assert sum(row[1] for row in best) == pytest.approx(1) and len(pieces) == len(made["edges"])
    (chart,) = charts(parts.unigram.blocks(above=TEXT, word=" lowest")).values()
    drawn = chart.columns
    places = zip(drawn["start"], drawn["stop"], drawn["value"], strict=True)
    on = sorted((a, b) for a, b, v in places if v)
    assert [i for a, b in on for i in range(int(a), int(b) + 1)] == list(range(7))

"""Learning pieces: a reply of the page, every step of a training, and the parts below."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest

from engine.course.curriculum import lesson
from engine.frame.blocks import Chart, Problem, Rows, blocks_in
from engine.lessons.merges import live, parts
from engine.live import wire
from engine.live.reply import Reply
from engine.live.request import Request
from engine.text.subword import bpe, study, wordpiece
from engine.text.subword.bpe import TIES
from tests.pages.test_every_page import HOSTILE

TEXT = lesson("merges").example


def said(text: str, rules: str = "chars_letters") -> dict[str, Any]:
    readings, _ = live.stage().answer(Request.read({"text": text, "rules": rules}, 10_000))
    return dict(readings[0].part["said"])


def rows(part: Any, **held: Any) -> list[list[list[Any]]]:
    found = part.blocks(above=TEXT, **held)
    return [[[*r.values()] for r in b.rows] for b in blocks_in(found) if isinstance(b, Rows)]


def test_its_first_reply_is_the_vector_of_the_notes() -> None:
    found = said(TEXT)
    assert found["sizes"] == list(range(9, 19))
    assert found["lengths"] == [41, 36, 31, 27, 24, 21, 18, 16, 14, 12]
    assert [(a, b, n) for a, b, _, n, *_ in found["steps"]][:3] == [
        ("l", "o", 5),
        ("lo", "w", 5),
        (" ", "low", 4),
    ]
    assert all(rows[0][:3] == [a, b, n] for a, b, _, n, _, rows in found["steps"])
    assert said(HOSTILE["5,000 characters"])["steps"] and said("")["steps"] == []


@pytest.mark.parametrize("text", [*HOSTILE.values(), "x", "low " * 25_000])
def test_hostile_texts(text: str) -> None:
    stage = live.stage()
    for rules in ("chars_letters", "bytes_ids", "wordpiece_letters", "whole_seen", "nonsense"):
        readings, (start, stop) = stage.answer(
            Request.read({"text": text, "rules": rules}, len(text))
        )
        (part,) = (reading.part for reading in readings)
        found = part["said"]
        assert len(found["sizes"]) == len(found["steps"]) + 1 <= study.MOST + 1
        assert 0 <= start <= stop <= len(text)
        assert wire.pack(Reply({"page": "merges", "seq": 1, "text": text, "notes": []}, readings))
        assert all(start <= a < b <= max(stop, a + 1) for a, b in part["spans"])


@pytest.mark.parametrize("kind", study.KINDS)
@pytest.mark.parametrize(
    "text", [TEXT, "aaaa aaa", "café 😀😀 café 😀", "x"], ids=["notes", "overlaps", "bytes", "one"]
)
def test_every_step_is_the_text(kind: str, text: str) -> None:
    """Borders go one by one as the tokens of the trainer do; what is tied is counted by hand."""
    for ties in TIES:
        found = study.study(text, kind, ties)
        for step, length in enumerate(found.lengths):
            assert len(found.tokens(step)) == length
        # two ways to the same letters make one token
        assert found.sizes[-1] - found.sizes[0] <= len(found.steps)
        known = {*found.symbols, *(s.piece for s in found.steps)}
        assert set(found.tokens(len(found.steps))) <= known
        whole = "".join(found.tokens(len(found.steps)))
        if kind in ("chars", "whole"):
            assert whole == text
        best = [
            row[3] if kind == "wordpiece" else row[2] for s in found.steps for row in s.rows[:1]
        ]
        for step, value in zip(found.steps, best, strict=True):
            values = [row[3] if kind == "wordpiece" else row[2] for row in step.rows]
            assert max(values) == value
            if len(values) < study.ROWS:
                assert step.tied == values.count(value) - 1


def test_vocabulary_against_length() -> None:
    found = study.study(TEXT, "chars", "letters")
    (chart,) = (b for b in parts.stop.blocks(above=TEXT) if isinstance(b, Chart))
    columns: Any = chart.entries[0]
    assert columns.columns["x"].tolist() == found.sizes
    assert columns.columns["value"].tolist() == found.lengths
    assert isinstance(parts.stop.blocks(above="ab")[-1], Problem)


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        (" lowest", [" lowe", "st"]),
        ("newest", ["n", "e", "w", "e", "st"]),
        (" slower", [" ", "s", "low", "e", "r"]),
    ],
)
def test_a_new_word_is_cut_as_the_notes_say(word: str, cut: list[str]) -> None:
    ((*_, last),) = rows(parts.new_word, word=word)
    assert last[1].split(" | ") == [t.replace(" ", "·") for t in cut]


TEXTS = ("low lower lowest newest newer", "aaaa aa aaa ab abc bc abcd", "naïve 👩‍🚀 naïve été", "")
ASKED = ("lowest", " slower  newer", "aaaaa abcabcd", "zero été", "👩‍🚀naïve’s", "  ", "")


@pytest.mark.parametrize(("kind", "text", "new"), [*product(study.KINDS, TEXTS, ASKED)])
def test_a_new_text_is_cut_with_what_was_learned(kind: str, text: str, new: str) -> None:
    """As the tokenizers cut it: the merges of BPE in their order, the longest pieces of WordPiece; each
    row differs from the one before by its own merge alone."""
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
        ready = bpe.Merges(
            {piece: n for n, piece in enumerate(seen)}, [(s.a, s.b) for s in found.steps[:step]]
        )
        assert made[0] == ("first symbols", first)
        assert made[-1][1] == [seen[i] for word, _ in words for i in ready.encode(word)]
        for (_, before), (how, after) in pairwise(made):
            n = int(how.removeprefix("merge ").partition(":")[0])
            gone = len(before) - len(after)
            assert gone and after.count(found.steps[n - 1].piece) >= gone


def test_bpe_and_wordpiece_part() -> None:
    text = (
        "low low low low low lower lower newest newest newest newest newest newest widest widest"
        " widest"
    )
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
    assert [row[0] for row in best] == [
        " | ".join(map(parts.shown, found)) for found, *_ in made["best"]
    ]
    assert sum(row[1] for row in best) == pytest.approx(1) and len(pieces) == len(made["edges"])
    (chart,) = (
        b
        for b in blocks_in(parts.unigram.blocks(above=TEXT, word=" lowest"))
        if isinstance(b, Chart)
    )
    columns: Any = chart.entries[0]
    drawn = columns.columns
    on = sorted(
        (a, b) for a, b, v in zip(drawn["start"], drawn["stop"], drawn["value"], strict=True) if v
    )
    assert [i for a, b in on for i in range(int(a), int(b) + 1)] == list(range(7))

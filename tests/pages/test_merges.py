"""The Merges page without JavaScript: what a reply holds, the spec's vectors in it, hostile texts,
files, the parts below."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.course.curriculum import lesson
from engine.lessons.merges import live
from engine.live import request, wire
from engine.live.reply import Reply
from engine.live.request import Request
from engine.text.subword import study
from engine.text.subword.bpe import TIES
from pages.ui import saving
from tests.conftest import ROOT, sampled
from tests.pages.test_every_page import HOSTILE, answered, check

HERE = lesson("merges")


def page() -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/115_merges.py")
    return at.run()


def said(at: AppTest, text: str, rules: str = "chars_letters", **more: Any) -> dict[str, Any]:
    header, numbers = answered(at, "merges", text, rules=rules, **more)
    check(header, numbers, text)
    (part,) = header["readings"]
    return dict(part["said"])


def test_it_opens_and_its_first_reply_is_the_vector_of_the_notes() -> None:
    at = page()
    assert not at.exception and len(at.header) == 1
    found = said(at, HERE.example)
    assert found["sizes"] == list(range(9, 19)) and found["lengths"] == [
        41,
        36,
        31,
        27,
        24,
        21,
        18,
        16,
        14,
        12,
    ]
    assert [(a, b, n) for a, b, _, n, *_ in found["steps"]][:3] == [
        ("l", "o", 5),
        ("lo", "w", 5),
        (" ", "low", 4),
    ]
    assert all(rows[0][:3] == [a, b, n] for a, b, _, n, _, rows in found["steps"])
    assert "cuts" not in found  # Unigram waits for a moment of rest
    cuts = said(at, HERE.example, cuts=HERE.example, word=" lowest", pieces=30)["cuts"]
    assert cuts["word"] == "▁lowest" and cuts["of"] == HERE.example and cuts["ways"] == 4
    through_first = [share for start, _, _, _, share, _ in cuts["edges"] if start == 0]
    assert sum(through_first) == pytest.approx(1)
    assert said(at, HOSTILE["5,000 characters"])["steps"] and said(at, "")["steps"] == []


@sampled("kind", study.KINDS)
@pytest.mark.parametrize(
    "text",
    [HERE.example, "aaaa aaa", "café 😀😀 café 😀", "x"],
    ids=["notes", "overlaps", "bytes", "one"],
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


def test_bpe_and_wordpiece_part() -> None:
    by_count, by_score = study.orders(
        "low low low low low lower lower newest newest newest newest newest newest widest widest"
        " widest"
    )
    assert by_count[0][:3] == ("##e", "##s", 9) and by_score[0][:3] == ("##i", "##d", 3)
    assert by_score[0][3] == pytest.approx(1 / 3) and by_count[0][3] == pytest.approx(9 / (17 * 9))


@sampled("text", [*HOSTILE.values(), "x", "low " * 25_000])
def test_hostile_texts(text: str) -> None:
    stage = live.stage()
    for rules in (
        "chars_letters",
        "bytes_ids",
        "wordpiece_letters",
        "whole_seen",
        "nonsense",
        "chars_chars",
    ):
        asked = {"rules": rules, "cuts": text, "word": "<b>", "pieces": "many"}
        request = Request.read({"text": text, **asked}, len(text))
        readings, (start, stop) = stage.answer(request)
        (part,) = (reading.part for reading in readings)
        found = part["said"]
        assert len(found["sizes"]) == len(found["steps"]) + 1 <= study.MOST + 1
        assert 0 <= start <= stop <= len(text) and wire.pack(
            Reply({"page": "merges", "seq": 1, "text": text, "notes": []}, readings)
        )
        assert all(start <= a < b <= max(stop, a + 1) for a, b in part["spans"])


def wished(wish: dict[str, Any]) -> request.Save:
    found = request.save(wish, 10_000)
    assert found
    return found


@pytest.mark.parametrize("format", ["csv", "npz", "py"])
def test_files(format: str) -> None:
    stage = live.stage()
    for panel in ("merges", "growth", "cuts"):
        for text, works in ((HERE.example, True), ("", False)):
            header: dict[str, Any] = {}
            look = {"stop": 2, "rules": "bytes_ids"}
            wish = {"panel": panel, "format": format, "text": text, "selection": look}
            blob = saving.answer(stage, wished(wish), header)
            assert bool(blob) is works and ("problem" in header["file"]) is not works, header
    header = {}
    wish = {"panel": "growth", "format": "csv", "text": HERE.example}
    blob = saving.answer(stage, wished(wish), header)
    assert b"18" in blob and json.dumps(header)

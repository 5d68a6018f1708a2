"""Feed-forward language model: what the page answers in a moment of rest, and which models stand beside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis import windowed
from engine.course.curriculum import lesson
from engine.lessons.feedforward import beside, panels
from engine.live import cache, delta
from engine.live.request import Request
from engine.models.feedforward import FeedForward
from engine.runs.store import Run
from pages.ui.feedforward import limits
from tests.conftest import ROOT

HOSTILE = (
    "",
    "x",
    "one two",
    "\x00 \u200e",
    "The the the the",
    "the 👩‍🚀 😀",
    "old zxqwv-zxq don't",
    "<unk> </s> **b** $x$",
    "word " * 59,
)
MARY = lesson("feedforward").example


def run_of(id: str) -> Run:
    return next(run for run in cache.runs(None) if run.id == id)


def said(stage: Any, text: str, **asks: Any) -> list[Any]:
    request = Request.read({"text": text, "seq": 1, **asks}, 1000)
    readings, _ = stage.answer(request)
    return [reading.part for reading in readings]


def test_those_beside_cut_the_text_alike_and_learned_from_the_same() -> None:
    run = run_of("feedforward")
    found = beside.choose(run)
    assert [(other.id, title) for other, title in found] == [
        ("ngram", "n-gram"),
        ("lstm_words", "LSTM"),
    ]
    assert (
        len({other.note["corpus"]["digest"] for other, _ in found} | {run.note["corpus"]["digest"]})
        == 1
    )


def test_swaps_are_answered_for_the_word_looked_at() -> None:
    run = run_of("feedforward")
    stage = panels.opened(run, beside.choose(run))
    assert all("said" not in part for part in said(stage, MARY)), "no key pays for it"
    stop = MARY.index("come") + 4
    net, grams, lstm = (
        part["said"]["swaps"] for part in said(stage, MARY, swaps={"stop": stop, "with": "he"})
    )
    assert net["word"] == grams["word"] == lstm["word"] == "he"
    assert net["labels"] == lstm["labels"] == "Mary said that she would not come".split()
    assert [c[0] > 0 for c in net["changes"]] == [False, False, *[True] * 5]
    assert all(c[0] > 0 for c in lstm["changes"])
    for odd in (
        {"stop": "x", "with": 5},
        {"stop": -4},
        {"stop": 10**9, "with": "\x00 \u200e "},
        {},
    ):
        for part in said(stage, MARY, swaps=odd):
            assert set(part["said"]["swaps"]) == {"word", "labels", "changes"}
    for part in said(stage, "", swaps={"stop": 3, "with": "he"}):
        assert part["said"]["swaps"]["changes"] == []


def test_without_direct_connections(run_folder: Callable[..., Path]) -> None:
    run = run_of("feedforward_direct")
    model = cache.model(run, FeedForward)
    (part,) = said(panels.opened(run, []), "the old cat")
    weights = model.weights()
    hidden = model.trace("the old cat").field("hidden").values[0]
    p_TV = windowed.read_out(weights["head.weight"], weights["head.bias"], hidden)
    for t, rows in enumerate(part["notes"]):
        assert [p for _, p in rows] == pytest.approx(
            np.sort(p_TV[t])[::-1][: panels.MOST].tolist(), abs=1e-6
        )
    assert part["notes"][-1] != [row[:2] for row in part["top"][-1]]


def test_the_parts_below() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page(f"pages/{lesson('feedforward').page}").run()
    assert not at.exception, at.exception
    words = " ".join(m.value for m in at.markdown)
    assert "“not” adds in two places" in words
    next(box for box in at.text_input if box.key == "word").set_value("").run()
    assert not at.exception and any("Type a word" in info.value for info in at.info)
    at.session_state["part"] = "A wider window"
    at.run()
    assert not at.exception, at.exception
    model = cache.model(run_of("feedforward"), FeedForward)
    learned = sum(x.size for x in model.weights().values() if x.dtype.kind == "f")
    words = " ".join(m.value for m in at.markdown)
    assert f"**{learned:,}** numbers" in words
    assert "**a teenager , speaks fluent**" in words and "~~John , who" in words
    assert "“France” stands 13 tokens before the next one: a window of 5 does not see it" in words
    at.slider(key="wide").set_value(13).run()
    assert "a window of 13 sees it" in " ".join(m.value for m in at.markdown)
    for text in HOSTILE:
        at.text_input(key="sight_text").set_value(text).run()
        assert not at.exception, (text, at.exception)


def test_the_output_fed_back() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["part"] = "The output fed back"
    at.query_params["loop_bits"] = "110 1x"
    at.switch_page(f"pages/{lesson('feedforward').page}").run()
    assert not at.exception, at.exception
    words = " ".join(m.value for m in at.markdown)
    assert "output fed back | 100.0\u00a0% | 100.0\u00a0% | 100.0\u00a0% |" in words
    assert "Wrong answers in 4 bits: 0 by the window, 0 by the output fed back, 0" in words
    at.toggle(key="loop_closed").set_value(False).run()
    assert "Wrong answers in 4 bits: 0 by the window, 1 by" in " ".join(
        m.value for m in at.markdown
    ), "cut, it copies the bit: of 1101 the second is answered wrong, of the parities 1 0 0 1"
    at.text_input(key="loop_bits").set_value("none").run()
    assert not at.exception and any("zeros and ones" in info.value for info in at.info)


def test_what_a_state_gains() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["part"] = "What a state gains"
    at.switch_page(f"pages/{lesson('feedforward').page}").run()
    assert not at.exception, at.exception
    words = " ".join(m.value for m in at.markdown)
    assert "the distance is **0.0000** for the window and **0.0661** for the LSTM" in words
    assert "| window of 5 words | 798,222 | 5.91 |" in words
    assert "| LSTM, any length | 799,136 | 5.79 |" in words
    assert words.count("… ") >= 3 and "| ... |" not in words
    for key in ("gain_end", "gain_word", "gain_one"):
        at.text_input(key=key).set_value("").run()
        assert not at.exception, at.exception
    assert len(at.info) == 2


def test_features_by_hand() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["part"] = "Features by hand"
    at.switch_page(f"pages/{lesson('feedforward').page}").run()
    assert not at.exception, at.exception
    equations = " ".join(e.value for e in at.latex)
    assert "7 - 4 = 3" in equations and r"\tfrac{1}{2}(4 + 7) = 5.5" in equations
    assert "=-3+5\\,i" in equations
    for typed in ("-1 -1", "5, 5, 5", "1 2 3 4 5 6 7 8 9", "1e9 -1e9 0 0", "7", ""):
        at.text_input(key="series").set_value(typed).run()
        assert not at.exception, at.exception
        if len(typed) > 6:
            at.selectbox(key="series_at").set_value(1).run()
            assert not at.exception and r"\varnothing" in " ".join(e.value for e in at.latex)


def test_limits_of_counting_and_the_three_together() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["part"] = "Limits of counting"
    at.switch_page(f"pages/{lesson('feedforward').page}").run()
    assert not at.exception, at.exception
    for limit, holds in (
        ("A row for each text", "| 798,222 |"),
        ("Runs never counted", "| runs of 2 words that it has met | 17 of 17 | no run is needed |"),
        ("Words that are alike", "“old” → “young”"),
        ("A window", "| 0.000 | 0.000 |"),
    ):
        at.session_state["limit"] = limit
        at.run()
        words = " ".join(m.value for m in at.markdown)
        assert not at.exception and holds in words, (limit, words[:600])
        for text in HOSTILE:
            at.text_input(key="limits_text").set_value(text).run()
            assert not at.exception, (limit, text, at.exception)
        at.text_input(key="limits_text").set_value(limits.TEXT)
    at.text_input(key="limits_text").set_value("one").run()
    assert not at.exception and any("Type two words" in info.value for info in at.info)
    at.session_state["part"] = "With counts and a cache"
    at.run()
    assert not at.exception, at.exception
    assert "bits per word by the net alone" in " ".join(m.value for m in at.markdown)
    for text in HOSTILE:
        at.text_input(key="mixed_text").set_value(text).run()
        assert not at.exception, at.exception


def test_a_word_typed_on_has_the_numbers_that_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """While its ids stay the same no model reads again; the numbers are those of the whole text, the names new."""
    run = run_of("feedforward")
    stage, typed = panels.opened(run, beside.choose(run)), "The old zxqvo sea xqzt "
    asked: list[str] = []
    net = FeedForward.run
    monkeypatch.setattr(FeedForward, "run", lambda self, *a: (asked.append(""), net(self, *a))[1])
    for n in range(8, len(typed) + 1):
        text = typed[:n]
        request = Request.read({"text": text, "base": typed[: n - 1], "seq": 1}, 1000)
        for shown in stage.shown(request):
            model, window = shown.reader.model, delta.fresh(shown)
            made = cache.trace_of(shown) if window is None else cache.end_of(shown, window)
            before = len(asked)
            whole = model.trace(text, fields=shown.reader.needs)
            del asked[before:]
            assert made.tokens == whole.tokens[made.offset :] and made.total == whole.total
            for name in made:
                axes, (one, other) = made[name].axes, (made[name], whole[name])
                at = next(i for i, axis in enumerate(axes) if axis.name == "token")
                cut = np.take(other.values, range(made.offset, len(whole.tokens)), at)
                np.testing.assert_allclose(one.values, cut, rtol=1e-5, atol=1e-6)
                assert axes[at].labels == made.tokens
    assert 0 < len(asked) < (len(typed) - 7) / 2

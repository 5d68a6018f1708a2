"""Long texts on a page: the strip comes in parts, a window that a model has not read up to waits,
and links open a part."""

import json
import random
import time
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis.measure import surprisal
from engine.live import cache, long
from engine.live.stage import MOST_CHARACTERS
from engine.live.window import window
from engine.runs.store import RunStore
from tests.conftest import LINES, ROOT

WORDS = " ".join(LINES).split()
LONG = "\n".join(" ".join(random.Random(n).choices(WORDS, k=9)) for n in range(60))
PAGES = {
    "lstm": "pages/410_lstm.py",
    "ngrams": "pages/205_ngrams.py",
    "embeddings": "pages/310_embeddings.py",
}


@pytest.fixture(autouse=True)
def nothing_read() -> None:
    cache.BLOCKS.clear()
    cache.OVERVIEWS.clear()


def opened(page: str, **query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page(PAGES[page])
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def answered(at: AppTest, page: str, text: str, **more: Any) -> dict[str, Any]:
    message = {
        "text": text,
        "seq": 7,
        "base": None,
        "base_start": None,
        "have": None,
        "start": None,
        **more,
    }
    at.session_state[f"live-{page}"] = {"msg": message}
    at.run()
    assert not at.exception, at.exception
    return header(at)


def header(at: AppTest) -> dict[str, Any]:
    (component,) = [c for c in at.get("bidi_component") if c.proto.bytes]
    data = component.proto.bytes
    found: dict[str, Any] = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    return found


@pytest.mark.parametrize("page", ["lstm", "embeddings"])
def test_the_strip_is_whole_after_a_while(page: str) -> None:
    at, text, replies = opened(page), LONG, []
    while not replies or not replies[-1]["done"]:
        got = answered(at, page, text, strip=[0, len(text)], start=0)
        replies.append(got["strip"])
        assert len(replies) < 60
    last = replies[-1]
    assert [r["read"] for r in replies] == sorted(r["read"] for r in replies) and last["read"] == 1
    assert (last["from"], last["to"]) == (0, len(text)) and len(last["mean"]) == long.COLUMNS
    assert (
        any(x is not None and x > 0 for x in last["mean"]) and 0 < len(last["peaks"]) <= long.PEAKS
    )
    part = answered(at, page, text, strip=[100, 200], start=0)["strip"]
    assert (part["from"], part["to"]) == (100, 200) and len(part["mean"]) == 100
    assert all(100 <= peak[0] < 200 for peak in part["peaks"])
    for odd in ([], "x", [5, 5], [-9, 1e9], [None, 2]):
        got = answered(at, page, text, strip=odd, start=0).get("strip")
        assert not odd or 0 <= got["from"] < got["to"] <= len(text)


def test_a_window_waits_until_the_model_has_read_up_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no time to read, the start of the text stays; then the window comes, with the numbers of
    a whole reading."""
    at = opened("lstm")
    monkeypatch.setattr(long, "MOMENT", 0.0)
    got = answered(at, "lstm", LONG, start=2000)
    assert got["start"] == 0 and 0 <= got["waits"] < 1
    monkeypatch.setattr(long, "MOMENT", 30.0)
    got = answered(
        at, "lstm", LONG, start=2000, base=LONG, base_start=0, have=got["layout"]["hash"]
    )
    assert got["waits"] is None and got["start"] == window(len(LONG), 256, 2000)[0] > 1900
    (part,) = got["readings"][:1]
    model = cache.model(next(run for run in RunStore().all() if run.model == "lstm"))
    want = surprisal(model.trace(LONG, fields=("probability",)))[part["offset"] :][
        : len(part["labels"])
    ]
    assert part["bits"][0] is None
    np.testing.assert_allclose(part["bits"][1:], want[1:], atol=1e-4)
    monkeypatch.setattr(long, "MOMENT", 0.0)  # read before: at once
    assert answered(at, "lstm", LONG + "x", start=2000)["waits"] is None


def test_a_window_on_the_screen_stays_while_another_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = opened("lstm")
    monkeypatch.setattr(long, "MOMENT", 30.0)
    have = answered(at, "lstm", LONG, start=512)["layout"]["hash"]
    monkeypatch.setattr(long, "MOMENT", 0.0)
    got = answered(at, "lstm", LONG, start=2000, base=LONG, base_start=512, have=have)
    assert got["start"] == 512 and got["waits"] > 0


def test_a_key_in_the_longest_text_reads_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    at, text = opened("ngrams"), (LONG * 60)[: MOST_CHARACTERS - 1]
    first = answered(at, "ngrams", text)
    model = cache.model(next(run for run in RunStore().all() if run.model == "ngram"))
    cut: list[int] = []
    tokens = type(model).tokens
    monkeypatch.setattr(
        type(model), "tokens", lambda self, part: (cut.append(len(part)), tokens(self, part))[1]
    )
    begun = time.perf_counter()
    got = answered(
        at, "ngrams", text + "x", base=text, base_start=first["start"], have=first["layout"]["hash"]
    )
    assert sum(cut) < 5000 and time.perf_counter() - begun < 30
    assert got["stop"] == MOST_CHARACTERS and got["readings"][0]["keep"] > 0


def test_a_link_opens_the_part_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long, "MOMENT", 30.0)
    held = cache.model(RunStore().find("lstm"))  # else the first answer is that it opens
    got = header(opened("lstm", text=LONG[:1500], start="700", zoom="500-1500"))
    assert got["start"] == window(1500, 256, 700)[0] > 0
    assert got["initial"]["start"] == 700 and got["initial"]["zoom"] == [500, 1500]
    del held
    for start, zoom in (("x", "5"), ("-4", "9-3"), ("99999999", "a-b"), ("\u0663", "1-2-3")):
        odd = header(opened("lstm", text=LONG[:1500], start=start, zoom=zoom))
        assert "zoom" not in odd["initial"] and odd["stop"] <= 1500

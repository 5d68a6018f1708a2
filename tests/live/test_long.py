"""Long texts on a page: the strip comes in parts, a window that a model has not read up to waits,
and links open a part."""

import random
import time

import numpy as np
import pytest

from engine.analysis.measure import surprisal
from engine.live import cache, long
from engine.live.stage import MOST_CHARACTERS
from engine.live.window import window
from engine.models.transformer import Transformer
from engine.runs.store import RunStore
from tests.conftest import LINES
from tests.pages.opening import opened
from tests.pages.test_every_page import answered, decoded

WORDS = " ".join(LINES).split()
LONG = "\n".join(" ".join(random.Random(n).choices(WORDS, k=9)) for n in range(60))


@pytest.fixture(autouse=True)
def nothing_read() -> None:
    cache.BLOCKS.clear()
    cache.OVERVIEWS.clear()


@pytest.mark.parametrize("page", ["lstm", "embeddings"])
def test_the_strip_is_whole_after_a_while(page: str) -> None:
    at, text, replies = opened(page), LONG, []
    while not replies or not replies[-1]["done"]:
        got = answered(at, page, text, strip=[0, len(text)], start=0)[0]
        replies.append(got["strip"])
        assert len(replies) < 60
    last = replies[-1]
    assert [r["read"] for r in replies] == sorted(r["read"] for r in replies) and last["read"] == 1
    assert (last["from"], last["to"]) == (0, len(text)) and len(last["mean"]) == long.COLUMNS
    assert any(x and x > 0 for x in last["mean"]) and 0 < len(last["peaks"]) <= long.PEAKS
    part = answered(at, page, text, strip=[100, 200], start=0)[0]["strip"]
    assert (part["from"], part["to"]) == (100, 200) and len(part["mean"]) == 100
    assert all(100 <= peak[0] < 200 for peak in part["peaks"])
    for odd in ([], "x", [5, 5], [-9, 1e9], [None, 2]):
        got = answered(at, page, text, strip=odd, start=0)[0].get("strip")
        assert not odd or 0 <= got["from"] < got["to"] <= len(text)


def test_a_window_waits_until_the_model_has_read_up_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no time to read, the start of the text stays; then the window comes, with the numbers of
    a whole reading."""
    at = opened("lstm")
    monkeypatch.setattr(long, "MOMENT", 0.0)
    got = answered(at, "lstm", LONG, start=2000)[0]
    assert got["start"] == 0 and 0 <= got["waits"] < 1
    monkeypatch.setattr(long, "MOMENT", 30.0)
    got = answered(
        at, "lstm", LONG, start=2000, base=LONG, base_start=0, have=got["layout"]["hash"]
    )[0]
    assert got["waits"] is None and got["start"] == window(len(LONG), 256, 2000)[0] > 1900
    (part,) = got["readings"][:1]
    model = cache.model(next(run for run in RunStore().all() if run.model == "lstm"))
    want = surprisal(model.trace(LONG, fields=("probability",)))[part["offset"] :][
        : len(part["labels"])
    ]
    assert part["bits"][0] is None
    np.testing.assert_allclose(part["bits"][1:], want[1:], atol=1e-4)
    monkeypatch.setattr(long, "MOMENT", 0.0)  # read before: at once
    assert answered(at, "lstm", LONG + "x", start=2000)[0]["waits"] is None


def test_a_window_on_the_screen_stays_while_another_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = opened("lstm")
    monkeypatch.setattr(long, "MOMENT", 30.0)
    have = answered(at, "lstm", LONG, start=512)[0]["layout"]["hash"]
    monkeypatch.setattr(long, "MOMENT", 0.0)
    got = answered(at, "lstm", LONG, start=2000, base=LONG, base_start=512, have=have)[0]
    assert got["start"] == 512 and got["waits"] > 0


def test_a_key_in_the_longest_text_reads_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    at, text = opened("ngrams"), (LONG * 60)[: MOST_CHARACTERS - 1]
    first = answered(at, "ngrams", text)[0]
    model = cache.model(next(run for run in RunStore().all() if run.model == "ngram"))
    cut: list[int] = []
    tokens = type(model).tokens
    monkeypatch.setattr(
        type(model), "tokens", lambda self, part: (cut.append(len(part)), tokens(self, part))[1]
    )
    begun = time.perf_counter()
    got = answered(
        at, "ngrams", text + "x", base=text, base_start=first["start"], have=first["layout"]["hash"]
    )[0]
    assert sum(cut) < 5000 and time.perf_counter() - begun < 30
    assert got["stop"] == MOST_CHARACTERS and got["readings"][0]["keep"] > 0


def test_what_stands_before_a_window_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Transformer goes on from the keys and values of what is shown no more."""
    at, text = opened("heads"), LONG[:310]
    read: list[int] = []
    for name in ("run", "go_on"):
        was = getattr(Transformer, name)
        monkeypatch.setattr(
            Transformer,
            name,
            lambda self, tokens, *rest, was=was: (
                read.append(len(tokens)),
                was(self, tokens, *rest),
            ),
        )
    got = answered(at, "heads", text)[0]
    run = cache.model(RunStore().find("transformer"))
    assert got["start"] > 0 and sum(read) >= len(run.tokens(text))
    for _key in range(2):
        read.clear()
        last, text = text, text + "e"
        kept = {"base": last, "base_start": got["start"], "have": got["layout"]["hash"]}
        got, numbers = answered(at, "heads", text, **kept)
        assert got["readings"][0]["keep"] > 0 and sum(read) <= 3
    part = next(f for f in got["readings"][0]["fields"] if f["name"] == "attention")
    first, count = got["readings"][0]["offset"], len(run.tokens(text))
    whole = run.trace(text, fields=("attention",), window=(first, count)).field("attention")
    assert 0 < first < count and part["keep"] > 0
    found = numbers[part["at"] : part["at"] + part["count"]]
    assert np.allclose(found, whole.rows(part["keep"]).ravel(), atol=1e-6)


def test_a_link_opens_the_part_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long, "MOMENT", 30.0)
    held = cache.model(RunStore().find("lstm"))  # else the first answer is that it opens
    got = decoded(opened("lstm", text=LONG[:1500], start="700", zoom="500-1500"))[0]
    assert got["start"] == window(1500, 256, 700)[0] > 0
    assert got["initial"]["start"] == 700 and got["initial"]["zoom"] == [500, 1500]
    del held
    for start, zoom in (("x", "5"), ("-4", "9-3"), ("99999999", "a-b"), ("\u0663", "1-2-3")):
        odd = decoded(opened("lstm", text=LONG[:1500], start=start, zoom=zoom))[0]
        assert "zoom" not in odd["initial"] and odd["stop"] <= 1500

"""The stage of a declared live part: what is derived comes with every reply, made of what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.lessons.feedforward import live as feedforward
from engine.lessons.hmm import live
from engine.lessons.scores import live as scores
from engine.live import declared, wire
from engine.live.request import Asks, Request
from engine.live.session import Made
from engine.live.stage import Opening
from engine.runs.store import RunStore

TEXT = "You can open the door"


@pytest.fixture(scope="module")
def made() -> Made:
    run = RunStore().find("hmm_tagger")
    return Made.of(Opening("hmm", TEXT, ()), declared.stage(live.LIVE, run, "hmm"))


def answered(
    made: Made, text: str, base: str | None = None, seq: Any = 1, **more: Any
) -> tuple[Any, dict[str, Any]]:
    """(the reader's part of a reply, its fields by name: (positions kept, numbers))."""
    reader = more.pop("reader", 0)
    asks = {name: value for name, value in more.items() if name != "link"}
    message = {"text": text, "seq": seq, "have": made.stamp, "base": base, **asks}
    request = Request.read(message, 1000)
    if "link" in more:
        request = Request(text, have=None, link=Asks(more["link"]))
    reply = made.reply(request, {"page": "hmm", "seq": 1, "text": text, "notes": []})
    header, numbers = wire.unpack(wire.pack(reply))
    part = header["readings"][reader]
    fields = {}
    for one in part["fields"]:
        for n, name in enumerate(one.get("names", [one["name"]])):
            at = one["at"] + n * one["count"]
            rows, *shape = one["shape"]
            values = numbers[at : at + one["count"]].reshape(rows - one["keep"], *shape)
            fields[name] = one["keep"], values
    return part, fields


class Browser:
    """What it keeps: all that was sent of each field."""

    def __init__(self, made: Made) -> None:
        self.made, self.sent, self.seq = made, 0, 0
        self.text: str | None = None
        self.fields: dict[str, np.ndarray] = {}
        self.said: dict[str, float] = {}
        self.came, self.window = 0, (0, 0)  # numbers in the last reply, tokens shown

    def type(self, text: str, seen: bool = True, **asks: Any) -> None:
        """`seen`: whether the reply is drawn."""
        self.sent += 1
        asks["base_seq"] = self.seq
        part, fields = answered(self.made, text, self.text, self.sent, **asks)
        self.came = sum(values.size for _, values in fields.values())
        if not seen:
            return
        self.text, self.seq, self.window = text, self.sent, (part["offset"], part["total"])
        self.said |= part.get("said", {}).get("numbers", {})
        for name, (keep, values) in fields.items():
            old = self.fields.get(name, values)
            self.fields[name] = np.concatenate([old[:keep], values]) if keep else values


def test_what_is_on_the_screen_is_what_is_derived(made: Made) -> None:
    model: Any = made.stage.readers[0][0].model
    screen, picks = Browser(made), {"picks": [[3, 8, "open"]]}
    screen.type(TEXT)
    whole = screen.came
    now, longer = f"{TEXT} now", f"{TEXT} and the windows"
    typed: tuple[tuple[str, Any], ...] = (
        *((text, {}) for text in (now, f"{now}.", now)),
        *((now, picks), (longer, picks), (longer, {"with": "VERB"})),
        *(("We can open the door", {}), ("a long text, of one word and the next, " * 6, {})),
        *(("You", {}), (TEXT, {})),
    )
    for n, (text, asks) in enumerate(typed * 2):
        if n % 3 == 2:
            screen.type(f"{text} zzz", seen=False, **asks)
        screen.type(text, **asks)
        trace = model.trace(text, window=screen.window)
        expected = dict(live.derive(model, trace, asks))
        for name in live.LIVE.sends:
            expected[name] = ("token",), trace.field(name).values
        assert set(expected) == set(screen.fields) | set(screen.said)
        for name, (axes, values) in expected.items():
            found = screen.fields[name] if axes else screen.said[name]
            np.testing.assert_allclose(found, values, rtol=1e-6, err_msg=name)
    screen.type(f"{TEXT} no")
    screen.type(f"{TEXT} now")
    assert screen.came < whole / 2


def test_nothing_is_derived_or_sent_twice(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, reads = Browser(made), made.stage.read
    screen.type(TEXT)
    monkeypatch.setattr(reads, "_derive", None)
    screen.type(TEXT)
    assert screen.came == 0
    screen.seq += 7  # it has another reply
    screen.type(TEXT)
    assert screen.came > 0


def test_a_click_is_answered_with_what_depends_on_it(made: Made) -> None:
    _, before = answered(made, TEXT)
    part, after = answered(made, TEXT, TEXT, picks=[[3, 8, "open"]], **{"with": "VERB"})
    assert not part["labels"] and part["said"]["numbers"]["bent"] == 1
    assert after["own"][1].tolist() == [*before["own"][1][:3], 8, *before["own"][1][4:]]
    assert (after["apart.unread"][1] != before["apart.unread"][1]).any()
    _, other = answered(made, TEXT, TEXT, picks=[[3, 8, "close"]])
    np.testing.assert_array_equal(other["own"][1], before["own"][1])


def test_of_a_model_that_nothing_is_derived_for_nothing_is_sent() -> None:
    stage = feedforward.stage(RunStore().find("feedforward"))
    beside = Made.of(Opening("feedforward", TEXT, ()), stage)
    for n in range(len(TEXT) - 3, len(TEXT)):
        found = [answered(beside, TEXT[:n], reader=reader) for reader in range(2)]
        (net, fields), (ngram, no_fields) = found
        assert {"push", "share"} <= {*fields} and "sees" in net["said"]["numbers"]
        assert not no_fields and not ngram.get("said", {}).get("numbers") and ngram["top"][-1]


def test_a_link_is_read_before_the_browser_says_anything(made: Made) -> None:
    part, fields = answered(made, TEXT, link={"picks": "3:8", "with": "VERB"})
    assert part["said"]["numbers"]["bent"] == 1 and fields["own"][1][3] == 8


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_nothing_is_derived_of_nothing(made: Made, text: str) -> None:
    part, fields = answered(made, text)
    assert part["labels"] or not fields


@pytest.mark.parametrize("reader", [0, 1])
def test_each_of_several_models_is_sent_by_itself(reader: int) -> None:
    """Of a text that is read beside another: a change of the one makes fields of another width."""
    found = {kind: RunStore().find(f"score_{kind}_after") for kind in ("dot", "additive")}
    made = Made.of(Opening("scores", TEXT, ()), scores.stage(found, "after"))
    model: Any = made.stage.readers[reader][0].model
    screen = Browser(made)
    texts = ("The cat ate\nLe", "The cat ate\nLe chat", "The black cat ate\nLe chat", "", "A\nUn")
    for text in (*texts, *texts[::-1]):
        screen.type(text, by="additive", reader=reader)
        trace = model.trace(text)
        if not text:
            continue
        for name, (axes, values) in scores.of_scores(model, trace, {"by": "additive"}).items():
            got = np.asarray(screen.fields[name] if axes else screen.said[name], float)
            np.testing.assert_allclose(
                got, np.asarray(values, float), rtol=1e-4, atol=1e-5, err_msg=name
            )

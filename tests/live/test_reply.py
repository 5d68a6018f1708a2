"""Replies hold only what changed: glued to what the browser has, they must give the same numbers as
a full reply."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.analysis import overview
from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind
from engine.live import cache, delta, reply, wire
from engine.live import stage as stages
from engine.live import window as windows
from engine.live.reader import Reader
from engine.live.reply import Header, Reply
from engine.live.request import Base, Request
from engine.live.session import Made
from engine.live.shown import Shown
from engine.live.stage import Stage
from engine.live.top import best
from engine.live.window import cut, tokens, window
from engine.models.base import Card, Model
from engine.runs.store import Run, RunStore
from engine.text.tokenizers.base import Tokens
from engine.text.tokenizers.chars import Chars
from pages.ui import live
from tests.conftest import sampled, shipped

Trained = Callable[[str], Any]

# model: (fields asked for, kind of its list of likeliest)
ASKED: dict[str, tuple[tuple[str, ...], str]] = {
    "ngram": (("mass", "matched"), "ladder"),
    "lstm": ((*"gate.input gate.forget candidate gate.output cell hidden".split(),), "probability"),
    "transformer": (("attention", "score", "residual"), "probability"),
    "skipgram": (("vector", "context"), "neighbours"),
}
ALONG = {"token", "query", "key"}
MOST = 48


class Browser:
    """A twin of assets/live/wire.js: what a browser keeps of one reader, and how it glues a reply
    to it."""

    def __init__(self) -> None:
        self.lists: dict[str, list[Any]] = {"labels": [], "spans": [], "bits": [], "top": []}
        self.fields: dict[str, np.ndarray] = {}
        self.text: str | None = None
        self.start: int | None = None

    def take(self, header: dict[str, Any], numbers: np.ndarray) -> None:
        (part,) = header["readings"]
        keep = part["keep"]
        assert keep <= len(self.lists["labels"])
        for name in self.lists:
            self.lists[name] = self.lists[name][:keep] + part[name]
        for field in part["fields"]:
            fresh = numbers[field["at"] : field["at"] + field["count"]]
            self.fields[field["name"]] = self.grow(
                self.fields.get(field["name"]), field, field["keep"], fresh
            )
        if not part["fields"]:
            self.fields = {}
        self.text, self.start = header["text"], header["start"]

    @staticmethod
    def grow(
        old: np.ndarray | None, field: dict[str, Any], keep: int, fresh: np.ndarray
    ) -> np.ndarray:
        axes, shape = field["axes"], field["shape"]
        first = next((i for i, name in enumerate(axes) if name in ALONG), None)
        if not keep or first is None or old is None:
            return fresh.reshape(shape).copy()
        whole = np.full(shape, -np.inf if field["fill"] is None else field["fill"], np.float32)
        lead = (slice(None),) * first
        rest = list(shape)
        rest[first] = shape[first] - keep
        if len(axes) > first + 1 and axes[first + 1] in ALONG:
            whole[(*lead, slice(keep), slice(keep))] = old[(*lead, slice(keep), slice(keep))]
        else:
            whole[(*lead, slice(keep))] = old[(*lead, slice(keep))]
        whole[(*lead, slice(keep, None))] = fresh.reshape(rest)
        return whole


RUN = Run(Path("small"), {"model": "small", "title": "small", "recipe": "small"})


def shown_of(reader: Reader, text: str, start: int | None = None) -> Shown:
    return Shown.of(reader, RUN, text, window(len(text), MOST, start), tokens(reader.model, text))


def ask(
    reader: Reader, text: str, base: Browser | None, start: int | None = None
) -> tuple[dict[str, Any], np.ndarray]:
    """A reply to `text` for a browser that has `base` on its screen."""
    shown = shown_of(reader, text, start)
    if base and base.text is not None:
        shown = shown.after(shown_of(reader, base.text, base.start))
    # as a page does: where it may, only the numbers that are new
    part = delta.find_fresh(shown) or shown.window
    trace = reader.model.trace(text, fields=reader.needs, window=part)
    header: Header = {"page": "small", "seq": 1, "text": text, "notes": []}
    header["start"], header["stop"] = shown.characters
    return wire.unpack(wire.pack(Reply(header, [reply.read(shown, trace)])))


def edits(seed: int, count: int) -> list[str]:
    """A text that a restless person makes: types, deletes, inserts, replaces, empties, pastes."""
    pick = random.Random(seed)
    pieces = ["the cat sat ", "on the mat", " ", "\n", "é", "👩‍🚀", "שלום", "flurble"]
    pieces += ["a", "t", "e", ".", "dog", "\u0301", "\x00"]
    text, texts = "", []
    for _ in range(count):
        at = pick.randint(0, len(text))
        match pick.randrange(8):
            case 0:
                text = text[:at]
            case 1:
                text = text[:at] + text[at + 3 :]
            case 2:
                text = text[:at] + pick.choice(pieces) + text[at:]
            case 3 if pick.random() < 0.3:
                text = pick.choice(["", "the old cat saw the small bird " * 3])
            case _:
                text += pick.choice(pieces)
        texts.append(text)
    return texts


@pytest.fixture(params=ASKED)
def reader(request: pytest.FixtureRequest, trained: Trained) -> Reader:
    fields, top = ASKED[request.param]
    id = request.param
    return Reader(id, id, trained(id), "small", "tokens", fields, top=top, most=6)


@sampled("seed", range(4))
def test_glued_replies_equal_a_full_reply(reader: Reader, seed: int) -> None:
    browser, kept = Browser(), 0
    for text in edits(seed, 60):
        header, numbers = ask(reader, text, browser)
        kept += header["readings"][0]["keep"]
        browser.take(header, numbers)
        whole = Browser()
        whole.take(*ask(reader, text, None))
        assert browser.lists["labels"] == whole.lists["labels"], text
        assert browser.lists["spans"] == whole.lists["spans"], text
        for a, b in zip(browser.lists["bits"], whole.lists["bits"], strict=True):
            assert (a is None) == (b is None) and (a is None or abs(a - b) < 2e-4), text
        for ours, theirs in zip(browser.lists["top"], whole.lists["top"], strict=True):
            mine, wanted = ([row[1] for row in rows] for rows in (ours, theirs))
            np.testing.assert_allclose(mine, wanted, rtol=1e-3, atol=1e-5, err_msg=text)
        assert browser.fields.keys() == whole.fields.keys()
        for name, values in whole.fields.items():
            np.testing.assert_allclose(
                browser.fields[name], values, atol=1e-5, rtol=1e-5, err_msg=f"{name} of {text!r}"
            )
    causal = all(s.causal for s in reader.model.spec() if s.name in reader.needs)
    assert (kept > 0) == causal  # else nothing above was ever glued


def test_a_blank_typed_between_words_moves_those_behind_it(trained: Trained) -> None:
    browser = Browser()
    for text in ("the cat sat", "the  cat sat"):
        browser.take(*ask(Reader("n", "N", trained("ngram"), "n", "words"), text, browser))
    assert browser.lists["spans"] == [[0, 0], [0, 3], [5, 8], [9, 12]]


def test_an_unknown_word_typed_on_sends_no_numbers() -> None:
    """Nothing of it has changed, though this model reads its source from both sides."""
    run = RunStore().find("score_dot_after")
    assert run is not None
    model = shipped(run.id)
    reader = Reader("s", "s", model, run.id, "tokens", ("cross.attention", "context"))
    texts = ("the zzq", "the zzqx", "the zzqx cat", "the zzqx cat\nle wwj", "the zzqx cat\nle wwjx")
    sent, shown = [], None
    for text in texts:
        now = Shown.of(reader, run, text, (0, len(text)), tokens(model, text))
        shown = now.after(replace(shown, before=None) if shown else None)
        sent.append(
            [field.field.spec.name for field in stages.standard(shown, Request(text)).fields]
        )
        full = model.trace(text, fields=("context",)).field("context").values
        np.testing.assert_allclose(cache.trace_of(shown).field("context").values, full, atol=1e-5)
    every = ["cross.attention", "context"]
    assert sent == [every, [], every, every, []]


class Mixed(Model[Any]):
    """Reads characters; what it expects and what it counted so far follow from what stands before,
    what it will count and what it guesses in hindsight from what stands behind."""

    card = Card("mixed", "Mixed", 2026, "")
    config_type = dict
    carries = ("past",)

    def __init__(self) -> None:
        self.config = {}
        self.tokenizer = Chars("abc")

    def tokens(self, text: str) -> Tokens:
        return self.tokenizer.encode(text)

    def spec(self) -> tuple[FieldSpec, ...]:
        next, along = ("token", "next"), ("token",)
        return (
            FieldSpec("probability", Kind.PROBABILITY, next, "What comes next."),
            FieldSpec("past", Kind.COUNT, ("layer", "token", "unit"), "Tokens so far."),
            FieldSpec("future", Kind.COUNT, along, "Tokens behind.", causal=False),
            FieldSpec("hindsight", Kind.PROBABILITY, next, "What was here.", causal=False),
        )

    def run(self, tokens: Tokens, tap: Tap) -> None:
        self.go_on(tokens, {"past": np.zeros((1, 1, 1), np.float32)}, tap)

    def go_on(self, tokens: Tokens, carried: Mapping[str, np.ndarray], tap: Tap) -> None:
        past_T = carried["past"][0, 0, 0] + np.arange(1, len(tokens) + 1, dtype=np.float32)
        future_T = np.arange(len(tokens), 0, -1, dtype=np.float32)
        tap("past", past_T[None, :, None], ("layer", "token", "unit"))
        tap("future", future_T, ("token",))
        for name, x_T in (("probability", past_T), ("hindsight", future_T)):
            p_TV = np.exp(-np.arange(len(self.tokenizer.vocab))[None] / x_T[:, None])
            p_TV /= p_TV.sum(-1, keepdims=True)
            tap(name, p_TV.astype(np.float32), ("token", "next"))

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return {"token": tokens.labels, "next": self.tokenizer.vocab}

    def weights(self) -> dict[str, np.ndarray]:
        return {}

    @classmethod
    def from_weights(cls, config: Any, weights: Mapping[str, np.ndarray]) -> Mixed:
        return cls()

    @classmethod
    def fit(cls, *given: Any, **more: Any) -> Iterator[Any]:
        yield from ()


@pytest.mark.parametrize("top", ["probability", "hindsight"])
def test_only_what_may_change_is_sent_whole(top: str) -> None:
    """Of one model with both kinds of fields: every field is glued by itself."""
    reader = Reader("m", "Mixed", Mixed(), "m", "tokens", ("past", "future", "hindsight"), top=top)
    browser = Browser()
    for text in ("a", "ab", "abc", "abca", "abb", "abbccab", "abbccabc", "", "a", "ab" * 60, "b"):
        header, numbers = ask(reader, text, browser)
        (part,) = header["readings"]
        browser.take(header, numbers)
        whole = Browser()
        whole.take(*ask(reader, text, None))
        assert browser.lists == whole.lists, text
        for name, values in whole.fields.items():
            np.testing.assert_array_equal(browser.fields[name], values, f"{name} of {text}")
        keeps = {field["name"]: field["keep"] for field in part["fields"]}
        assert not keeps.get("future") and not keeps.get("hindsight")
        if text in ("ab", "abc", "abca", "abbccabc"):
            assert keeps["past"] == len(text) - 1, "a field that lasts is kept"
            assert part["keep"] == (len(text) - 1 if top == "probability" else 0)
    assert overview.readable(reader.model), "its strip needs only what it expects next"


def test_a_run_goes_on_only_where_all_its_numbers_last() -> None:
    """The trace of a longer text, made where that of the shorter one is kept: the same as alone."""
    reader = Reader("m", "Mixed", Mixed(), "m", "tokens", ("past", "future"))
    before = shown_of(reader, "abcabc")
    first = cache.trace_of(before)
    assert first.field("future").values[0] == 6
    found = cache.trace_of(shown_of(reader, "abcabca").after(before))
    assert found.field("future").values.tolist() == [7, 6, 5, 4, 3, 2, 1]
    assert found.field("past").values.ravel().tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_a_key_cuts_each_text_once(trained: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept from before, and still a page of two readers asks each model once for the
    tokens of the new text and once for those of the text on the screen."""
    models = [trained(id) for id in ("lstm", "ngram")]
    readers = tuple(
        (Reader(m.card.id, m.card.title, m, m.card.id, "tokens", most=4), RUN) for m in models
    )
    made = Made(Stage(readers, ()), {}, "stamp")
    cut: list[tuple[str, str]] = []
    shown: list[int] = []
    for model in models:
        of = type(model).tokens

        def counted(self: Any, text: str, of: Any = of) -> Tokens:
            cut.append((self.card.id, text))
            found: Tokens = of(self, text)
            return found

        monkeypatch.setattr(type(model), "tokens", counted)
    monkeypatch.setattr(windows, "_tokens", lambda model, text: model.tokens(text))
    monkeypatch.setattr(
        stages, "window", lambda *given: (shown.append(given[0]), window(*given))[1]
    )
    base, text = "the cat sa", "the cat sat"
    request = Request(text, 1, "stamp", Base(base, 0))
    header: Header = {"page": "two", "seq": 1, "text": text, "notes": []}
    found = live.reply(made, request, header)
    assert [reading.part["keep"] > 0 for reading in found.readings] == [True, True]
    assert sorted(cut) == sorted((m.card.id, t) for m in models for t in (base, text))
    assert sorted(shown) == [len(base), len(text)]


def test_the_list_of_likeliest_belongs_to_the_numbers(trained: Trained) -> None:
    model = trained("lstm")
    reader = Reader("lstm", "LSTM", model, "small", "tokens", most=5)
    text = "the cat"
    header, _ = ask(reader, text, None)
    p_TV = model.trace(text).field("probability")
    (part,) = header["readings"]
    for t, rows in enumerate(part["top"]):
        expected = sorted(p_TV.values[t].tolist(), reverse=True)[:5]
        np.testing.assert_allclose([p for _, p in rows], expected, rtol=1e-5)
        for label, p in rows:
            np.testing.assert_allclose(
                p_TV.values[t][p_TV.axes[-1].labels.index(label)], p, rtol=1e-5
            )
    # surprisal of the third character, in bits: -log2 of what was expected of it one token before
    third = -np.log2(p_TV.values[2][p_TV.axes[-1].labels.index("e")])
    assert abs(part["bits"][3] - third) < 1e-4


@pytest.mark.parametrize(
    ("rows", "columns", "most"), [(1, 1, 5), (4, 7, 3), (5, 300, 12), (3, 12, 12), (2, 9, 40)]
)
def test_best_equals_a_full_sort(rows: int, columns: int, most: int) -> None:
    rng = np.random.default_rng(columns)
    p_TV = rng.dirichlet(np.ones(columns), rows).astype(np.float32)
    labels = tuple(f"w{i}" for i in range(columns))
    for p_V, found in zip(p_TV, best(p_TV, labels, most), strict=True):
        order = sorted(range(columns), key=lambda i: -p_V[i])[:most]
        assert [label for label, _ in found] == [labels[i] for i in order]
        np.testing.assert_allclose([p for _, p in found], p_V[order], rtol=1e-5)


def test_window_shows_all_of_a_short_text_and_moves_in_steps() -> None:
    """most 100: steps of 25.  250 characters need a start of at least 150, which is a multiple of
    25."""
    assert window(0, 100) == (0, 0)
    assert window(100, 100, 40) == (0, 100)
    assert window(101, 100) == (25, 101)
    assert window(250, 100) == (150, 250)
    assert window(251, 100) == (175, 251)
    assert window(250, 100, 60) == (50, 150)
    assert window(250, 100, 0) == (0, 100)
    assert window(250, 100, -30) == (0, 100)
    assert window(250, 100, 9_999) == (225, 250)
    assert window(2, 1) == (1, 2)


@sampled("most", [1, 3, 4, 100])
@pytest.mark.parametrize("characters", [0, 1, 5, 99, 100, 101, 1000])
def test_window_lies_in_the_text_and_names_itself(characters: int, most: int) -> None:
    for start in (None, -1, 0, 1, 50, 99, 5000):
        a, b = window(characters, most, start)
        assert 0 <= a <= b <= characters and b - a <= most
        assert (a < b) == (characters > 0)
        # the browser sends the start back as base_start
        assert window(characters, most, a) == (a, b)
        if start is None:
            assert b == characters


def test_cut_takes_every_token_that_has_a_character_in_the_window(trained: Trained) -> None:
    found = trained("ngram").tokens("the cat sat on the mat")  # <s> the cat sat on the mat
    assert found.labels[0] == "<s>"
    assert cut(found, (0, 22)) == (0, 7)
    assert cut(found, (0, 5)) == (0, 3)  # "the" and the half of "cat"; the start mark with them
    assert cut(found, (5, 9)) == (2, 4)
    assert cut(found, (3, 4)) == (2, 2)  # a space alone: no word
    assert cut(found, (0, 0))[1] >= 0
    empty = trained("ngram").tokens("")
    assert cut(empty, (0, 0)) == (0, 1) or cut(empty, (0, 0)) == (0, 0)


def test_the_bytes_are_as_the_wire_format_says(trained: Trained) -> None:
    """[u32 length][JSON][spaces to 4][float32 ...][a file], little-endian."""
    reader = Reader("lstm", "LSTM", trained("lstm"), "small", "tokens", ("cell",))
    trace = reader.model.trace("a cat", fields=reader.needs)
    header: Header = {"page": "lstm", "seq": 1, "text": "a cat é", "notes": []}
    header["file"] = {"name": "a.png"}
    file = bytes(range(256)) + b"!"
    data = wire.pack(Reply(header, [reply.read(shown_of(reader, "a cat"), trace)], file))
    length = int.from_bytes(data[:4], "little")
    assert length % 4 == 0 and len(data) % 4 == 0
    said, body = json.loads(data[4 : 4 + length]), data[4 + length :]
    (field,), at = said["readings"][0]["fields"], said["file"]["at"]
    values = np.frombuffer(body[: 4 * at], "<f4")
    np.testing.assert_array_equal(values.reshape(field["shape"]), trace.field("cell").values)
    assert body[4 * at :][: said["file"]["size"]] == file

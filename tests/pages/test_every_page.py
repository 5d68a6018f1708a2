"""Every page opens, answers a message as a browser sends it, and survives any text; without JavaScript, by AppTest."""

from __future__ import annotations

import gc
import json
import shutil
import weakref
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.core.cache import forget
from engine.core.registry import models
from engine.course import rooms
from engine.course.curriculum import LIVE, lesson
from engine.lessons.decoding import parts as decoding_parts
from engine.live import cache as live_cache
from engine.live import wire
from engine.models.abilities import Fills, Remembers, Translates
from engine.models.base import Model
from engine.runs import store
from engine.text.segmentation import TOKENS, clusters
from pages.ui import live
from pages.ui import page as room
from tests.conftest import only_runs, sampled, spread
from tests.pages.opening import opened, sound

PAGES = ["home", *(item.id for item in LIVE)]
MODEL = {item.id: item.model for item in LIVE}
# Derived, and none where there is nothing to say: what is due behind the mark of a copied line and what
# is said there, what is true of a word without a label, the factor of the mark at the start, the weight
# of a pair that a mask hides, and the costs of the token behind the last.
NONE = {"right", "best", "truth", "factor", "mask.attention", "cost", "own"}
# The same of single pages: the row of a word that is not shown, or has no vector, and where that would lie;
# places before the text, or without a word, and a first token, which nothing foretells; what is written later than
# one looks; what is read behind the end.
DERIVED = {"tasks", "documents"}  # pages that send nothing of the model itself
WAYS = ("forced", "mixed", "free")
NAMES = {"cooccurrence": "row near dense", "vectors": "row seen odd.row oddest cut"}
NAMES |= {"embeddings": "row seen typed", "feedforward": "word out", "textcnn": "word"}
NAMES |= {"memory": "part left half before", "preferences": "gain"}
NAMES["stories"] = "lost other"  # of words that have no other of their kind
# methods that this model has not, or that wait for a moment of rest; tokens behind the one looked at
NAMES["why"] = "worth share first settled deletion insertion sum due rho"
NAMES["stories"] = "lost other"  # a word without another of its kind
NAMES["tasks"] = (
    "pair pair.p tag tag.p replaced first last inside"  # marks, and texts without a question
)
NAMES["documents"] = "said said.p greedy shown"  # marks
NAMES["circuits"] = "twin twin.share twin.lead edge"  # of a text without a twin
# of a large net in formats not chosen
NAMES["smaller"] = "apart lost apart.mean lost.mean cost.now"
WRITTEN = {f"{way}.{what}" for way in WAYS for what in ("reads", "writes", "right", "own")}
NONE_OF = {page: {*names.split()} for page, names in NAMES.items()}
NONE_OF["scores"] = WRITTEN | {"first", *(f"loss.{way}" for way in WAYS)}
NONE_OF["trial"] = {"p", "sure", "said", "rank", "q", "cost", "cost.twin", "said.twin"}
MASKED = {"place"}  # of what is derived, scores that are minus infinity where a token may not look
HOSTILE = {
    "nothing": "",
    "spaces": "   \n  \t ",
    "emoji": "👩‍🚀🏳️‍🌈 ok 🇫🇷",
    "scripts": "నేను ఉదయం కలుసుకున్నారు ฉันดื่มน้ำ क्षि می‌نوشم ខ្ញុំ 今日は 1️⃣",
    "right to left": "שלום עולם والسلام \u202eabc",
    "combining marks": "e\u0301\u0323" + "\u0336" * 40,
    "control characters": "\x00\x01\x1b[31m\x7f\r\n\x0c",
    "markup": "<script>alert(1)</script><img src=x onerror=alert(2)> &amp; </textarea>",
    "LaTeX and Markdown": (
        "$$\\frac{1}{0}$$ **bold** # head [link](javascript:alert(1)) `x` :red[x] |a|b|"
    ),
    "unknown words": "flurble zyxgrob qwertzuiop",
    "half of a character": "a\ud83d b",
    "5,000 characters": ("The old captain looked at the grey sea. " * 125)[:5000],
    "one long word": "a" * 3000,
}


@pytest.fixture(scope="module", autouse=True)
def every_model_has_a_run(run_folder: Any, tmp_path_factory: Any) -> Iterator[Path]:
    """One shipped run of each; where none is there a small one, so that a checkout without them can be tested."""
    shown, every = {}, store.RunStore(store.SHIPPED)
    for model in {item.model for item in LIVE}:
        found = sorted(every.all(model), key=lambda run: run.id != model)
        shown[found[0].id if found else model] = found[0].folder if found else run_folder(model)
    # some pages need a run of their own
    shown |= {r.id: r.folder for r in every.all() if r.id in {item.opens for item in LIVE}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding_parts, "TOKENS", 12)  # written on from each text that arrives
        yield from only_runs(tmp_path_factory, shown)
    decoding_parts.drawn._answers.clear()
    sitting.cache_clear()


@cache
def sitting(page: str) -> AppTest:
    """The page of one person, who tries one thing after the other: opening it is what costs."""
    return opened(page)


def answered(at: AppTest, page: str, text: str, /, **more: Any) -> tuple[Any, np.ndarray]:
    """Send a message as the browser does, and decode the reply."""
    message = {"text": text, "seq": 7, **dict.fromkeys(("base", "base_start", "have", "start"))}
    message |= more
    at.session_state[f"live-{page}"] = {"msg": message}
    return decoded(sound(at.run()))


def decoded(at: AppTest) -> tuple[dict[str, Any], np.ndarray]:
    """The reply of the live component: [u32 length][JSON][float32 ...]."""
    (component,) = [c for c in at.get("bidi_component") if c.proto.bytes]
    data = component.proto.bytes
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + length]), np.frombuffer(data[4 + length :], "<f4")


def fields(part: dict[str, Any], numbers: np.ndarray) -> dict[str, np.ndarray]:
    """What came of each field, by name; the first tokens the browser has already."""
    found = {}
    for f in part["fields"]:
        axes = zip(f["axes"], f["shape"], strict=True)
        shape = [n - part["keep"] * (a == "token") for a, n in axes]
        found[f["name"]] = numbers[f["at"] : f["at"] + f["count"]].reshape(shape)
    return found


def check(header: dict[str, Any], numbers: np.ndarray, text: str) -> None:
    """The reply is of this text, hangs together, and holds no number that a page can't draw."""
    assert header["text"] == text and header["seq"] == 7
    assert 0 <= header["start"] <= header["stop"] <= len(text)
    for part in header["readings"]:
        count = len(part["labels"])
        assert part["keep"] == 0 and count == len(part["spans"]) == len(part["bits"])
        # a model that predicts nothing has no list of what comes next
        assert len(part["top"]) == count or (not part["top"] and set(part["bits"]) <= {None})
        for field in part["fields"]:
            for n, name in enumerate(field.get("names", [field["name"]])):
                at = field["at"] + n * field["count"]
                values = numbers[at : at + field["count"]]
                assert int(np.prod(field["shape"])) == field["count"] == values.size
                none = NONE | NONE_OF.get(header["page"], set())
                assert name in none or not np.isnan(values).any(), f"{name}: see NONE"
                masked = name in MASKED or (field["fill"] is None and "names" not in field)
                assert np.isfinite(values[~np.isnan(values)]).all() or masked, name
            for axis, size in zip(field["axes"], field["shape"], strict=True):
                assert size == count or axis not in ("token", "query", "key")
        for rows in part["top"]:
            assert all(row[0] is not None and -1 <= row[1] <= 1 for row in rows)


def test_ngrams_and_characters_read_all_scripts() -> None:
    """Words at their ends, a syllable and a flag in one, each where it lies in the text."""
    text = HOSTILE["scripts"] + " 🇫🇷"
    for page, cut in (("ngrams", TOKENS.findall(text)), ("lstm", clusters(text))):
        header, numbers = answered(sitting(page), page, text)
        check(header, numbers, text)
        (reading,) = header["readings"]
        assert reading["labels"][1:] == cut
        assert [text[a:b] for a, b in reading["spans"][1:]] == cut


def test_home_names_its_drawers_before_its_models_are_open() -> None:
    live_cache.MODELS.clear()
    at = opened("home")
    first, _ = decoded(at)
    assert first["layout"]["hash"] == "opening" and not first["layout"]["panels"]
    header, _ = answered(at, "home", "the")
    kinds = [panel["kind"] for panel in header["layout"]["panels"]]
    assert kinds and first["layout"]["kinds"] == kinds


def test_pictures_do_not_wait_for_the_parts_below(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a model that is not open: the box first, then the pictures, then what is below them."""
    forget(str(store.SHIPPED / "transformer"))
    sent, said, draw = list[bytes](), list[int](), live._component
    monkeypatch.setattr(
        live, "_component", lambda **how: (sent.append(how["data"]), draw(**how))[1]
    )
    monkeypatch.setattr(room, "_chosen", lambda *_: said.append(len(sent)))
    opened("heads")
    box, whole = (wire.unpack(data)[0]["layout"] for data in sent)
    assert box["hash"] == "opening" and whole["panels"] and said == [2]


def sees_all(kind: type[Model[Any]]) -> bool:
    """Whether it reads a text from both sides, or a source beside it."""
    both_ways = issubclass(kind, Remembers) and not kind.forwards
    return both_ways or issubclass(kind, Fills | Translates)


@pytest.mark.parametrize("page", PAGES)
def test_page_opens_and_answers_a_key_with_less_than_a_whole_picture(page: str) -> None:
    at = sitting(page)
    assert len(at.header) == 1
    question = "" if page == "home" else lesson(page).question
    assert any(question in part.value for part in at.markdown)
    header, numbers = answered(at, page, "The king said")
    check(header, numbers, "The king said")
    assert header["layout"]["panels"] and header["readings"]
    have = header["layout"]["hash"]
    for _ in range(2):  # what a page was still computing may arrive between the two
        base = {"base": "The king said", "base_start": 0, "have": have}
        more, fewer = answered(at, page, "The king said y", **base)
        if more["layout"] == {"hash": have}:
            break
        have = more["layout"]["hash"]
    assert more["layout"] == {"hash": have}, "a browser that has the layout does not get it again"
    whole = page in DERIVED  # what is derived is sent whole
    if page in MODEL and sees_all(models.get(MODEL[page])) and not whole:
        # every word changes all numbers
        assert all(r["keep"] == 0 for r in more["readings"])
        return
    assert all(r["keep"] >= 3 for r in more["readings"]), "what stays the same is not sent again"
    # here a page is made anew with each message; what a declared one has sent: tests/live/test_declared.py
    declared = rooms.live(page) is not None
    assert fewer.size < numbers.size or page == "home" or declared


@pytest.mark.parametrize(("page", "texts"), spread(PAGES, HOSTILE))
def test_page_survives_any_text(page: str, texts: list[str]) -> None:
    at = sitting(page)
    for text in map(HOSTILE.__getitem__, texts):
        check(*answered(at, page, text), text)


WRONG: dict[str, Any] = {"at at_before open futures of size pieces": "x", "base_edits": [None]}
WRONG["hides beams after steps masks cuts tags"] = 3
WRONG["texts word edits write rules"] = {"of": [], "count": {}, "rules": 7}
ODD: tuple[dict[str, Any], ...] = (
    {"start": 4000},
    {"start": -5},
    {"base": "x" * 6000, "base_start": 9_999_999},
    {"have": "of another version"},
    {"base": "", "base_start": None},
    {"base": 5, "base_start": "x", "start": "y", "next": [], "whole": "z", "strip": {"a": 1}},
    {name: odd for names, odd in WRONG.items() for name in names.split()},
)


@pytest.mark.parametrize(("page", "messages"), spread(PAGES[::2], ODD))
def test_page_survives_an_old_or_odd_browser(page: str, messages: list[dict[str, Any]]) -> None:
    """A window at the end or before the start, a base that never was, an old layout, an empty base."""
    text, at = HOSTILE["5,000 characters"], sitting(page)
    for message in messages:
        check(*answered(at, page, text, **message), text)


def test_page_survives_a_message_with_parts_missing() -> None:
    at = opened("lstm")
    for message in ({}, {"msg": {}}, {"msg": None}, {"msg": {"text": "only text"}}):
        at.session_state["live-lstm"] = message
        sound(at.run())


@sampled("page", PAGES)
def test_two_people_do_not_see_each_other_s_text(page: str) -> None:
    answered(sitting(page), page, "the plonkwuzzle of one person")
    theirs = opened(page)
    assert all(b"plonkwuzzle" not in c.proto.bytes for c in theirs.get("bidi_component"))
    header, _ = answered(theirs, page, "something else")
    assert header["text"] == "something else"
    assert "plonkwuzzle" not in json.dumps(header)


def test_what_was_typed_comes_along_to_the_next_page() -> None:
    at = opened("lstm")
    answered(at, "lstm", "taken along")
    at.switch_page(f"pages/{lesson('attention').page}").run()
    assert decoded(at)[0]["text"] == "taken along"


@sampled("page", PAGES)
def test_a_link_brings_its_text_and_what_it_looked_at(page: str) -> None:
    chosen = {"layer": "1", "head": "0", "unit": "3", "token": "2"}
    header, _ = decoded(opened(page, text="a <b>link</b> 👍", **chosen))
    assert header["text"] == "a <b>link</b> 👍"
    assert header["initial"]["selection"] == {"layer": 1, "head": 0, "unit": 3, "token": 2}


@pytest.mark.parametrize(
    "bad",
    [
        {"layer": "99999999999", "token": "<script>", "field": "__proto__'\""},
        {"layer": "-1", "unit": "1e3", "head": "٣²"},
    ],
    ids=str,
)
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    header, _ = decoded(opened("lstm", **bad))
    for name, value in header["initial"]["selection"].items():
        assert isinstance(value, str if name in ("field", "reader") else int)


@sampled("page", PAGES)
def test_without_a_model_the_page_says_so(page: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(store, "SHIPPED", tmp_path / "none")
    at = opened(page)
    assert "make zoo" in " ".join(box.value for box in at.info)
    assert not at.main.get("bidi_component")


def test_of_several_runs_one_is_chosen(tmp_path: Path, monkeypatch: Any) -> None:
    root = tmp_path / "shipped"
    shutil.copytree(store.SHIPPED, root)
    shutil.copytree(root / "lstm", root / "mine")
    (root / "broken").mkdir()
    (root / "broken" / store.NOTE).write_text("{", encoding="utf-8")
    monkeypatch.setattr(store, "SHIPPED", root)
    at = opened("lstm")
    header, numbers = answered(at, "lstm", "still here")
    check(header, numbers, "still here")
    assert header["layout"]["readers"][0]["run"] == "lstm"
    at.selectbox[0].set_value("mine").run()
    assert answered(at, "lstm", "a")[0]["layout"]["readers"][0]["run"] == "mine"


def test_a_page_that_was_left_is_let_go() -> None:
    """Streamlit keeps the callbacks of its widgets: these kept whole pages, with what they showed."""
    at = opened("lstm")
    answered(at, "lstm", "a")
    left = weakref.ref(at.session_state["live"])
    at.switch_page(f"pages/{lesson('attention').page}").run()
    answered(at, "attention", "a")
    gc.collect()
    assert left() is None


@sampled("page", PAGES, each=2)
def test_every_panel_that_offers_it_can_be_saved(page: str) -> None:
    """The numbers of each panel as a file, for what is chosen when the page opens; pictures are tried in a browser."""
    two = "The [MASK] said yes.\nIt was the king."
    at, text = sitting(page), two if page == "bert" else "The king said yes"
    header, _ = answered(at, page, text)
    panels = [panel["id"] for panel in header["layout"]["panels"] if panel["numbers"]]
    assert panels or page in DERIVED
    for panel in panels:
        wish = {"id": 1, "panel": panel, "format": "csv", "text": text}
        at.session_state[f"live-{page}.save"] = wish
        header, _ = answered(at, page, text)
        assert header["file"].get("size"), (panel, header["file"])


def test_a_panel_with_nothing_to_save_says_so() -> None:
    at, text = opened("bert"), "The king said yes"
    answered(at, "bert", text)
    at.session_state["live-bert.save"] = {"id": 1, "panel": "blanks", "format": "csv", "text": text}
    header, _ = answered(at, "bert", text)
    assert "mask a word first" in header["file"]["problem"]

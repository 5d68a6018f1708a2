"""The live part of the bag of words page: the browser gets the tables once, and answers keys and
sliders by itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from engine.lessons.curriculum import Lesson
from engine.live.stage import colours
from pages.ui.bag import tables
from pages.ui.bag.texts import Chosen
from pages.ui.live import VERSION

LOADER = f"""
const sheet = (name) => new Promise((done) => {{
  document.head.append(Object.assign(document.createElement("link"), {{ rel: "stylesheet", href: `/assets/{VERSION}/${{name}}`, onload: done, onerror: done }}));
}});
const ready = Promise.all([sheet("live.css"), sheet("bag/bag.css")]);
export default async function (component) {{
  const [{{ mount }}] = await Promise.all([import(`${{location.origin}}/assets/{VERSION}/bag/bag.js`), ready]);
  return mount(component);
}}
"""
_component = st.components.v2.component("unrolled_bag", js=LOADER, isolate_styles=False)
LONGEST = 100_000  # characters of a review
# here and in the address
KEEPS = {"text": "review", "kind": "bayes", "k": "smoothing", "share": "prior"}
KEEPS |= {"a": "class", "b": "against"}
MULTINOMIAL, ONE = {"kind": "multinomial", "k": 1}, {"kind": "multinomial", "k": 1, "share": None}


def _try(text: str, look: str, sets: dict[str, Any], label: str = "") -> dict[str, Any]:
    """A text to try, what to look for, the settings that go with it, and its name, where that is
    not the text."""
    named = {"label": label} if label else {}
    return {**named, "text": text, "set": sets, "look": look}


TRIES: dict[str, list[dict[str, Any]]] = {
    "short reviews": [
        _try(
            "not boring",
            "A bag has no order, so “not” cannot turn “boring” around: each word counts by"
            " itself, and the sum comes out negative.",
            ONE,
        ),
        _try(
            "The food was not bad at all, a perfect evening",
            "Each bar is the evidence of one word; the last bar is their sum, and 1 / (1 +"
            " 2^−bits) is the posterior.",
            MULTINOMIAL,
        ),
        _try(
            "a great film with a dirty joke",
            "k = 0: a word that one class never had gives a factor of 0, whatever the"
            " other words are. Raise k a little.",
            {"kind": "multinomial", "k": 0},
        ),
        _try(
            "great great great great",
            "Bernoulli counts a word once, and absent words count as evidence too."
            " Multinomial counts it four times.",
            {"kind": "bernoulli", "k": 1},
        ),
        _try(
            " ".join(["good"] * 200),
            "Underflow: the product is too small for a 64-bit number and becomes 0. The"
            " sum of the logarithms does not.",
            ONE,
            "a word 200 times",
        ),
    ],
    "four toy reviews": [
        _try("good film", "k = 1: 3/196 against 1/169, so P(pos) = 507/703 = 72.1 %.", ONE),
        _try(
            "boring good",
            "k = 0: “boring” never occurs in pos, “good” never in neg. Both products are"
            " 0, and 0 / 0 is undefined.",
            {"kind": "multinomial", "k": 0, "share": None},
        ),
        _try("good fun bad", "k = 1: 2197/3569 = 61.6 %. With k = 0 there is no answer.", ONE),
        _try(
            "great plot twist",
            "“twist” was never counted, so it is skipped: 169/365 = 46.3 %.",
            ONE,
        ),
        _try("film good", "The same as “good film”.", ONE),
    ],
}


def show(lesson: Lesson, chosen: Chosen) -> None:
    """The component, and below it what waits for a moment of rest."""
    tries = TRIES.get(chosen.title, [])
    example = lesson.example
    if chosen.title == "four toy reviews":
        example = tries[0]["text"]
    elif not tries:
        example = (chosen.held.texts or chosen.counted.texts)[0][:300]

    def settle() -> None:
        st.session_state["bag.settled"] = st.session_state["bag.component"].get("settle")
        st.rerun("bag.rest")

    @st.fragment(key="bag.live")
    def live() -> None:
        if last := st.session_state.get("bag.settled"):
            same = last.get("texts") == chosen.texts
            kept = [name for name in KEEPS if same or name in ("kind", "k")]
            initial = {KEEPS[name]: last[name] for name in kept if last.get(name) is not None}
        else:
            given = st.query_params
            initial = {name: given[name] for name in KEEPS.values() if name in given}
        header = {
            "hash": chosen.key,
            "texts": chosen.texts,
            "initial": initial,
            "example": example,
            "tries": tries,
            "prompt": f"Type a {'review' if tries else 'text'}; every number updates as you type",
            "colours": {"light": colours(False), "dark": colours(True)},
        }
        data = f"{json.dumps(header)[:-1]}, {chosen.tables[1:]}".encode("utf-8", "replace")
        _component(data=data, key="bag.component", on_settle_change=settle)

    live()

    @st.fragment(key="bag.rest")
    def rest() -> None:
        tables.show(chosen, state(st.session_state.get("bag.settled"), chosen, example))

    rest()


def state(settled: Any, chosen: Chosen, example: str) -> tables.State:
    """What is on the screen, as far as it makes sense for these texts."""
    given: Mapping[str, Any] = (
        settled if isinstance(settled, Mapping) and settled.get("texts") == chosen.texts else {}
    )
    last = len(chosen.counts.classes) - 1

    def number(name: str, low: float, high: float, other: Any) -> Any:
        value = given.get(name)
        return value if isinstance(value, int | float) and low <= value <= high else other

    a, b = (int(number(name, 0, last, other)) for name, other in (("a", last), ("b", 0)))
    kind = str(given.get("kind", "multinomial"))
    return tables.State(
        str(given.get("text", example))[:LONGEST],
        kind if kind in tables.KINDS else "multinomial",
        float(number("k", 0, 1000, 1.0)),
        number("share", 0.001, 0.999, None),
        a,
        b if b != a else (a + 1) % (last + 1),
    )

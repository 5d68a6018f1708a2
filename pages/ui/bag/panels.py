"""The live part of the bag of words page: the browser gets the counts once, and everything but the
cutting into words is its own sum (assets/live/parts/bag.js)."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.analysis.bag_of_words.words import places, words
from engine.course.base import Try
from engine.course.curriculum import Lesson
from engine.live.reply import Reading, unread
from engine.live.request import Request
from engine.live.stage import MOST_CHARACTERS, Opening, Panel, Stage
from engine.live.window import Window
from pages.ui import live, shell
from pages.ui.bag import tables
from pages.ui.bag.texts import Chosen

READER = "bag"
# what links chose under names of their own, and how it is written now: "bernoulli_k0.05_p0.3_a1_b0"
OLD = {"bayes": "", "smoothing": "k", "prior": "p", "class": "a", "against": "b"}
TRIES: dict[str, tuple[Try, ...]] = {
    "short reviews": (
        Try(
            "not boring",
            (
                "A bag has no order, so “not” cannot turn “boring” around: each word counts by"
                " itself, and the sum comes out negative."
            ),
            "rules=multinomial_k1",
        ),
        Try(
            "The food was not bad at all, a perfect evening",
            (
                "Each bar is the evidence of one word; the last bar is their sum, and 1 / (1 +"
                " 2^−bits) is the posterior."
            ),
            "rules=multinomial_k1",
        ),
        Try(
            "a great film with a dirty joke",
            (
                "k = 0: a word that one class never had gives a factor of 0, whatever the other"
                " words are. Raise k a little."
            ),
            "rules=multinomial_k0",
        ),
        Try(
            "great great great great",
            (
                "Bernoulli counts a word once, and absent words count as evidence too."
                " Multinomial counts it four times."
            ),
            "rules=bernoulli_k1",
        ),
        Try(
            " ".join(["good"] * 200),
            (
                "Underflow: the product is too small for a 64-bit number and becomes 0. The sum"
                " of the logarithms does not."
            ),
            "rules=multinomial_k1",
            label="a word 200 times",
        ),
    ),
    "four toy reviews": (
        Try(
            "good film",
            "k = 1: 3/196 against 1/169, so P(pos) = 507/703 = 72.1 %.",
            "rules=multinomial_k1",
        ),
        Try(
            "boring good",
            (
                "k = 0: “boring” never occurs in pos, “good” never in neg. Both products are 0,"
                " and 0 / 0 is undefined."
            ),
            "rules=multinomial_k0",
        ),
        Try(
            "good fun bad",
            "k = 1: 2197/3569 = 61.6 %. With k = 0 there is no answer.",
            "rules=multinomial_k1",
        ),
        Try(
            "great plot twist",
            "“twist” was never counted, so it is skipped: 169/365 = 46.3 %.",
            "rules=multinomial_k1",
        ),
        Try("film good", "The same as “good film”.", "rules=multinomial_k1"),
    ),
}


def show(lesson: Lesson, chosen: Chosen) -> None:
    """The component, and below it what waits for a moment of rest."""
    moved()
    live.show(opening(lesson, chosen), lambda: stage(chosen))


def opening(lesson: Lesson, chosen: Chosen) -> Opening:
    tries = TRIES.get(chosen.title, ())
    example, what = lesson.example, "a review"
    if chosen.title == "four toy reviews":
        example = tries[0].text
    elif not tries:
        example, what = (chosen.held.texts or chosen.counted.texts)[0][:300], "a text"
    prompt = f"Type {what}; every number updates as you type"
    steps = shell.minute(lesson, None, chosen.title, chosen.split)
    return Opening(lesson.id, example, tries, prompt=prompt, steps=steps)


def stage(chosen: Chosen) -> Stage:
    def read(text: str, characters: Window, request: Request) -> list[Reading]:
        """No model: the words of the part that is shown, and which of them are not counted."""
        first, stop = characters
        found = places(text[first:stop])
        labels = [text[first:stop][a:b] for a, b in found]
        strange = [t for t, label in enumerate(labels) if "".join(words(label)) not in known]
        part = unread(READER, labels, [[a + first, b + first] for a, b in found], {}, strange)
        if stop - first < len(text):
            part["total"] = len(words(text))
        return [Reading(part)]

    def settled(traces: object, look: Any) -> None:
        text = str((st.session_state.get("live-bag.settle") or {}).get("text", ""))
        tables.show(chosen, state(text, str(look.get("rules", "")), chosen))

    known = chosen.counts.index
    held = len(chosen.held.labels)
    counted = f"Counted: {len(chosen.counted.labels):,} texts. Held out and only read: {held:,}."
    wide = len(chosen.counts.classes) > 6  # a large table takes the whole width
    judge = Panel(
        "judge",
        "judge",
        "Does it work on held-out texts?",
        f"{counted} The sliders above move these numbers too." if held else "",
        {} if wide else {"column": "left"},
    )
    panels = [
        Panel("ladder", "running", "How the words add up", "", {"column": "left"}),
        Panel("beside", "beside", "Three classifiers on the same words", "", {"column": "right"}),
        Panel("rule", "bayesrule", "Bayes' rule with these numbers", "", {"column": "right"}),
    ]
    panels.insert(len(panels) if wide else 1, judge)
    reader = {
        "id": READER,
        "title": chosen.title,
        "run": chosen.texts,
        "unit": "words",
        "colour": 0,
        "marks": 0,
        "vocabulary": len(known),
        "orders": None,
        "labels": {},
        "fields": {},
        "bag": chosen.tables,
    }
    return Stage(
        (),
        tuple(panels),
        settled=settled,
        unread=read,
        drawn=lambda text, characters: {},
        described=(reader,),
    )


def moved() -> None:
    """A link from when this page had a component of its own, rewritten."""
    asked = st.query_params
    if not {"review", *OLD} & set(asked):
        return
    if "review" in asked:
        asked["text"] = asked["review"]
    asked["rules"] = "_".join(letter + asked[name] for name, letter in OLD.items() if name in asked)
    for name in {"review", *OLD} & set(asked):
        del asked[name]


def state(text: str, written: str, chosen: Chosen) -> tables.State:
    """What is on the screen, as far as it makes sense for these texts."""
    last = len(chosen.counts.classes) - 1
    found: dict[str, float] = {}
    kind = "multinomial"
    for part in written.split("_"):
        if part in tables.KINDS:
            kind = part
        try:
            found[part[:1]] = float(part[1:])
        except ValueError:
            continue

    def number(name: str, low: float, high: float, other: Any) -> Any:
        return found[name] if low <= found.get(name, -1) <= high else other

    a, b = (int(number(name, 0, last, other)) for name, other in (("a", last), ("b", 0)))
    return tables.State(
        text[:MOST_CHARACTERS],
        kind,
        float(number("k", 0, 1000, 1.0)),
        number("p", 0.001, 0.999, None),
        a,
        b if b != a else (a + 1) % (last + 1),
    )

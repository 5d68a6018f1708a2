"""A dialogue in a window: what of the turns so far a model still reads when it answers."""

from __future__ import annotations

import streamlit as st

from engine.analysis import dialogue
from engine.analysis.dialogue import Way
from engine.live import cache
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask
from pages.ui.choice import one_of

TEXT = """You are a friendly assistant at a doctor's. Keep your answers short.
I have a cough, and I would like to see a doctor on Monday morning.
Doctor Brown is free on Monday at nine.
Good. Should I bring anything?
Please bring your card.
What about next Tuesday instead?"""
WAYS: dict[Way, str] = {
    "tokens": "oldest tokens",
    "turns": "oldest turns",
    "first": "oldest turns but the first",
}
LONGEST = 4_000


def show(run: Run) -> None:
    st.markdown(
        "A chatbot remembers nothing between two answers. All turns so far are sent again each time, and what does not"
        " fit in the window is not read. Move the window, and read what “instead” can still refer to."
    )
    typed = st.text_area("Turns, one a line", TEXT, key="turns", max_chars=LONGEST, height=170)
    turns = [turn.strip() for turn in typed.splitlines() if turn.strip()]
    if not turns:
        st.info("Type a few turns.")
        return
    line = ask.line()
    room = ask.slider("Tokens that fit", "fits", 8, 256, 48, 1, line, width=280)
    many = len(turns)
    now = (
        ask.between(line.slider, "Turns so far", "so_far", 1, many, many, width=200)
        if many > 1
        else 1
    )
    way = one_of("What goes first", WAYS, "goes", where=line, link=True)
    turns = turns[:now]
    model = cache.model(run)
    tokens = model.tokens("\n".join(turns))
    own = dialogue.places(tokens, turns)
    found = dialogue.kept([len(mine) for mine in own], room, way)
    parts = dialogue.parts(tokens, turns, own, found)
    whole, lost = sum(map(len, own)), sum(fits == 0 for fits in found)
    st.markdown(
        f"**{sum(found):,} of {whole:,} tokens** are read, counted as {escape(run.title)} does. Turns that have"
        f" fallen out: {lost:,} of {len(turns):,}."
    )
    struck = [f":red-background[~~{escape(gone)}~~] " if gone else "" for gone, _ in parts]
    said = zip(struck, parts, strict=True)
    st.markdown(
        "\n".join(f"{n}. {old}{escape(here)}" for n, (old, (_, here)) in enumerate(said, 1))
    )
    if sum(found) < whole and whole + len(turns) < (model.context or whole + len(turns) + 1):
        rest = [here for _, here in parts[:-1] if here]
        full, left = (
            number(dialogue.bits(model, before, turns[-1])) for before in (turns[:-1], rest)
        )
        st.caption(
            f"A token of the last turn costs this model {full} bits after all that was said, and {left} after what is"
            " still read."
        )

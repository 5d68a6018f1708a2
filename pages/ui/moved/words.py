"""The typed words in two spaces: how far, beyond chance or not, between which neighbours, and who
moved farthest."""

from __future__ import annotations

import re

import numpy as np
import streamlit as st

from engine.core.trace import Table, TableSpec
from engine.lessons.curriculum import Lesson
from engine.live.markdown import escape
from engine.text.tokenizers.words import WORD
from pages.ui import plate
from pages.ui.address import begin
from pages.ui.moved.chosen import Chosen
from pages.ui.plate import Plate

MOST, NEAR, BANDS, LISTED = 24, 5, 12, 25


def ask(lesson: Lesson) -> list[str]:
    begin(moved_words=lesson.example)
    st.text_input(
        "Words to follow", key="moved_words", max_chars=400, live="150ms", bind="query-params"
    )
    with st.container(horizontal=True):
        for n, item in enumerate(lesson.tries):
            st.button(
                item.text,
                key=f"moved_try.{n}",
                help=item.look,
                on_click=lambda text=item.text: st.session_state.update(moved_words=text),
            )
    return list(dict.fromkeys(re.findall(WORD, st.session_state["moved_words"])))[:MOST]


def table(chosen: Chosen, typed: list[str]) -> None:
    known = [(word, row) for word in typed if (row := chosen.moved.row(word)) is not None]
    missing = [word for word in typed if chosen.moved.row(word) is None]
    if not known:
        st.info(
            "Type a word that occurs in both texts."
            if not missing
            else f"Not in both texts: {escape(', '.join(missing))}. Type other words."
        )
        return
    rows = []
    for word, row in known:
        before, after = chosen.moved.neighbours(row, NEAR)
        rows.append(
            {
                "word": word,
                "moved": chosen.moved.distance[row],
                **(
                    {
                        "by chance": (
                            f"{chosen.chance[0, row]:.2f}, rarely {chosen.chance[1, row]:.2f}"
                        )
                    }
                    if chosen.chance is not None
                    else {}
                ),
                "nearest before": ", ".join(before),
                "nearest after": ", ".join(after),
                "shared of 10": round(10 * chosen.moved.kept(row)),
                "times the rare chance": (
                    chosen.moved.distance[row] / chosen.chance[1, row]
                    if chosen.chance is not None
                    else np.nan
                ),
            }
        )
    number = st.column_config.NumberColumn
    st.dataframe(
        rows,
        hide_index=True,
        key="moved_table",
        column_config={
            "moved": number(
                help=(
                    "1 − cosine of the two vectors, after rotating one space onto the other: 0"
                    " same direction, 1 at right angles"
                ),
                format="%.2f",
            ),
            "by chance": st.column_config.TextColumn(
                help=(
                    "the same distance between two trainings on one text with different seeds:"
                    " the median, and the value that 95 % of equally frequent words stay below"
                )
            ),
            "shared of 10": number(
                help="how many of the ten nearest words before are also among the ten nearest after"
            ),
            "times the rare chance": number(
                help=(
                    "above 1: farther than 95 % of equally frequent words move when only the"
                    " seed changes"
                ),
                format="%.1f",
            ),
        },
    )
    if missing:
        st.caption(f"Not in both texts: {escape(', '.join(missing))}.")


def chance(chosen: Chosen, typed: list[str]) -> None:
    """How far words move, by how frequent they are: by another seed, between the two, and the typed
    words."""
    found = chosen.moved
    edges = np.unique(
        np.geomspace(max(1, found.counts.min()), found.counts.max() + 1, BANDS + 1).round()
    )
    band_N = np.clip(np.searchsorted(edges, found.counts, "right") - 1, 0, max(0, len(edges) - 2))
    rows: list[tuple[str, float, float]] = []
    for band in np.unique(band_N):
        mine = band_N == band
        if mine.sum() < 5:
            continue
        x = float(np.median(found.counts[mine]))
        rows.append(
            ("half of all words, between the two texts", x, float(np.median(found.distance[mine])))
        )
        if chosen.chance is not None:
            rows.append(
                ("95 % of words, with another seed", x, float(np.median(chosen.chance[1][mine])))
            )
            rows.append(
                (
                    "half of all words, with another seed",
                    x,
                    float(np.median(chosen.chance[0][mine])),
                )
            )
    at = [(word, row) for word in typed[:5] if (row := found.row(word)) is not None]
    rows += [(word, float(found.counts[row]), float(found.distance[row])) for word, row in at]
    columns = {
        "series": np.array([r[0] for r in rows], object),
        "x": np.array([r[1] for r in rows]),
        "value": np.array([r[2] for r in rows]),
    }
    made = Table(TableSpec("chance", tuple(columns), "Distance moved, by frequency"), columns)
    options = {
        "x": "count of the word (in the text where it is rarer)",
        "y": "moved: 1 − cosine",
        "of_series": "",
        "log_x": True,
    }
    plate.show(
        Plate(
            "moved",
            "curve",
            (made,),
            chosen.id,
            chosen.says,
            " ".join(typed),
            options=options,
            model="word vectors",
        )
    )
    if chosen.chance is None:
        st.caption(
            "Neither of the two has a second training with another seed, so chance cannot be"
            " measured. Train one with the same settings and another `--seed`."
        )
    else:
        beyond = float((found.distance > chosen.chance[1]).mean())
        st.caption(
            f"Chance is measured from {escape(' and '.join(chosen.noise))}: same text,"
            f" different seed. {100 * beyond:.0f} % of the words move farther than that. Two"
            " different texts move nearly every word a little, so a word stands out only if it"
            " lies well above the line of its own pair."
        )


def plane(chosen: Chosen, typed: list[str]) -> None:
    """The typed words before and after on the plane in which their moves are largest."""
    found = chosen.moved
    rows = [row for word in typed[:8] if (row := found.row(word)) is not None]
    if not rows:
        return
    near = {
        i: None
        for row in rows[:4]
        for words in found.neighbours(row, 3)
        for w in words
        if (i := found.row(w)) is not None and i not in rows
    }
    stay = list(near)
    both = np.concatenate([found.before[rows], found.after[rows], found.after[stay]])
    centre = both.mean(0)
    _, _, direction = np.linalg.svd(both - centre, full_matrices=False)
    # of a direction and its opposite, which fit equally well, always the same
    side = direction[:2][[0, 1], np.abs(direction[:2]).argmax(1)]
    direction = direction[:2] * np.where(side < 0, -1, 1)[:, None]
    flat = [
        (part - centre) @ direction.T
        for part in (found.before[rows], found.after[rows], found.after[stay])
    ]
    nowhere = np.full((len(stay), 2), np.nan)
    start, stop = np.concatenate([flat[0], flat[2]]), np.concatenate([flat[1], nowhere])
    columns = {
        "word": np.array([found.words[i] for i in (*rows, *stay)], object),
        "x": start[:, 0],
        "y": start[:, 1],
        "group": np.array([0.0] * len(rows) + [2.0] * len(stay)),
        "to_x": stop[:, 0],
        "to_y": stop[:, 1],
    }
    made = Table(
        TableSpec("plane", tuple(columns), "Where the words were, and where they went"), columns
    )
    spread = np.linalg.svd(both - centre, compute_uv=False) ** 2
    options = {
        "x": "first direction",
        "y": "second direction",
        "groups": (
            "typed words: before, with an arrow to after",
            "",
            "their neighbours, at their position after",
        ),
    }
    share = spread[:2].sum() / max(1e-12, spread.sum())
    plate.show(
        Plate(
            "plane",
            "points",
            (made,),
            chosen.id,
            f"{chosen.says}. The two directions show {100 * share:.0f} % of the differences.",
            " ".join(typed),
            options=options,
            model="word vectors",
        )
    )


def farthest(chosen: Chosen) -> None:
    st.subheader("Which words moved farthest, and which stayed?", anchor=False)
    found = chosen.moved
    least = st.slider(
        "Minimum count in both texts",
        10,
        1000,
        100,
        10,
        key="moved_least",
        bind="query-params",
    )
    letters = np.array([word.isalpha() and len(word) > 1 for word in found.words])
    frequent = np.flatnonzero((found.counts >= least) & letters)
    if not len(frequent):
        st.info("No word occurs that often in both texts: choose a smaller number.")
        return
    order = frequent[np.argsort(-found.distance[frequent], kind="stable")]
    for column, title, rows in zip(
        st.columns(2),
        ("Moved farthest", "Stayed"),
        (order[:LISTED], order[::-1][:LISTED]),
        strict=True,
    ):
        with column:
            st.markdown(f"**{title}**")
            st.dataframe(
                [
                    {
                        "word": found.words[i],
                        "moved": round(float(found.distance[i]), 2),
                        "before": ", ".join(found.neighbours(i, 4)[0]),
                        "after": ", ".join(found.neighbours(i, 4)[1]),
                    }
                    for i in rows
                ],
                hide_index=True,
                key=f"moved_{title}",
                height=420,
            )

"""The typed words in two spaces: how far, beyond chance or not, between which neighbours, and who
moved farthest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.core.trace import Table
from engine.course.curriculum import Lesson
from engine.live.markdown import escape
from engine.text.segmentation import WORDS, is_word
from pages.ui import ask as box
from pages.ui import plate, rows
from pages.ui.moved.chosen import Chosen

MOST, NEAR, BANDS, LISTED = 24, 5, 12, 25
WIDE = 30  # characters of a column of neighbours


def ask(lesson: Lesson, where: DeltaGenerator) -> list[str]:
    typed = box.words(lesson, "Words to follow", "moved_words", 400, where)
    return list(dict.fromkeys(WORDS.findall(typed)))[:MOST]


def whole(words: Sequence[str], most: int = WIDE) -> str:
    """The first of the words, as many as stand in so many characters with none cut; at least one."""
    said = words[0] if words else ""
    for word in words[1:]:
        if len(said) + len(word) + 2 > most:
            break
        said += f", {word}"
    return said


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
    at = np.array([row for _, row in known])
    near = [chosen.moved.neighbours(row, NEAR) for row in at]
    moved_N = chosen.moved.distance[at]
    columns: dict[str, Any] = {"word": [word for word, _ in known], "moved": moved_N}
    if chosen.chance is not None:
        half_N, rare_N = chosen.chance[:, at]
        both = zip(half_N, rare_N, strict=True)
        columns["by chance"] = [f"{half:.2f}, rarely {rare:.2f}" for half, rare in both]
    columns["nearest before"] = [whole(before) for before, _ in near]
    columns["nearest after"] = [whole(after) for _, after in near]
    text = st.column_config.TextColumn
    columns["shared of 10"] = [round(10 * chosen.moved.kept(row)) for row in at]
    columns["times the rare chance"] = (
        np.full(len(at), np.nan) if chosen.chance is None else moved_N / rare_N
    )
    number = st.column_config.NumberColumn
    rows.show(
        columns,
        "moved_table",
        {
            "word": text(width=65),
            "nearest before": text(width=222),
            "nearest after": text(width=222),
            "moved": number(
                width=65,
                help=(
                    "1 − cosine of the two vectors, after rotating one space onto the other: 0"
                    " same direction, 1 at right angles"
                ),
                format="%.2f",
            ),
            "by chance": text(
                width=120,
                help=(
                    "the same distance between two trainings on one text with different seeds:"
                    " the median, and the value that 95 % of equally frequent words stay below"
                ),
            ),
            "shared of 10": number(
                width=105,
                help="how many of the ten nearest words before are also among the ten nearest after",
            ),
            "times the rare chance": number(
                "× rare chance",
                width=100,
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
    drawn = {"half of all words, between the two texts": found.distance}
    if chosen.chance is not None:
        drawn["95 % of words, with another seed"] = chosen.chance[1]
        drawn["half of all words, with another seed"] = chosen.chance[0]
    points = [
        (name, float(np.median(found.counts[mine])), float(np.median(distance_N[mine])))
        for mine in (band_N == band for band in np.unique(band_N))
        if mine.sum() >= 5
        for name, distance_N in drawn.items()
    ]
    at = [(word, row) for word in typed[:5] if (row := found.row(word)) is not None]
    points += [(word, float(found.counts[row]), float(found.distance[row])) for word, row in at]
    table = Table.of_rows(
        "chance", "Distance moved, by frequency", ("series", "x", "value"), points
    )
    options = {
        "x": "count of the word (in the text where it is rarer)",
        "y": "moved: 1 − cosine",
        "of_series": "",
        "log_x": True,
    }
    plate.show(chosen.plate("moved", "curve", table, chosen.says, typed, **options))
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
    near = [w for row in rows[:4] for words in found.neighbours(row, 3) for w in words]
    stay = list(dict.fromkeys(i for w in near if (i := found.row(w)) is not None and i not in rows))
    both = np.concatenate([found.before[rows], found.after[rows], found.after[stay]])
    centre = both.mean(0)
    _, _, direction = np.linalg.svd(both - centre, full_matrices=False)
    # of a direction and its opposite, which fit equally well, always the same
    side = direction[:2][[0, 1], np.abs(direction[:2]).argmax(1)]
    direction = direction[:2] * np.where(side < 0, -1, 1)[:, None]
    start = (np.concatenate([found.before[rows], found.after[stay]]) - centre) @ direction.T
    stop = (found.after[[*rows, *stay]] - centre) @ direction.T
    stop[len(rows) :] = np.nan  # the neighbours stay
    columns = {
        "word": [found.words[i] for i in (*rows, *stay)],
        "x": start[:, 0],
        "y": start[:, 1],
        "group": [0] * len(rows) + [2] * len(stay),
        "to_x": stop[:, 0],
        "to_y": stop[:, 1],
    }
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
    of = f"{chosen.says}. The two directions show {100 * share:.0f} % of the differences."
    made = Table.of("plane", "Where the words were, and where they went", columns)
    plate.show(chosen.plate("plane", "points", made, of, typed, **options))


def farthest(chosen: Chosen) -> None:
    st.subheader("Which words moved farthest, and which stayed?", anchor=False)
    found = chosen.moved
    least = box.slider("Minimum count in both texts", "moved_least", 10, 1000, 100, 10)
    letters = np.array([is_word(word) and len(word) > 1 for word in found.words])
    frequent = np.flatnonzero((found.counts >= least) & letters)
    if not len(frequent):
        st.info("No word occurs that often in both texts: choose a smaller number.")
        return
    order = frequent[np.argsort(-found.distance[frequent], kind="stable")]
    ends = {"Moved farthest": order[:LISTED], "Stayed": order[::-1][:LISTED]}
    for tab, (title, listed) in zip(st.tabs(list(ends)), ends.items(), strict=True):
        with tab:
            near = [found.neighbours(i, NEAR) for i in listed]
            columns = {
                "word": [found.words[i] for i in listed],
                "moved": [round(float(found.distance[i]), 2) for i in listed],
                "before": [", ".join(before) for before, _ in near],
                "after": [", ".join(after) for _, after in near],
            }
            rows.show(columns, f"moved_{title}", height=420)

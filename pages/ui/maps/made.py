"""The map that was chosen: found on disk, made at once when it is small, else made by a process of
its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.projection import sampling
from engine.analysis.projection.axes import total
from engine.analysis.projection.base import Projection, Settings
from engine.analysis.projection.between import between
from engine.analysis.projection.job import Maps
from engine.analysis.projection.pca import PCA
from engine.analysis.projection.work import Arrays, project
from engine.core.registry import projections
from engine.live.markdown import escape, sentence
from engine.storage.home import base
from engine.vectors import align
from engine.vectors.base import Vectors
from pages.ui.fragment import fragment
from pages.ui.maps.choice import Choice

AT_ONCE = 2_000  # words


@dataclass(frozen=True, eq=False)
class Made:
    """rows (S,) of the space; `arrays` as in project/work.py; ready: the map that was asked for,
    not what stands in for it."""

    rows: np.ndarray
    drawn: str
    given: Arrays
    settings: Settings
    arrays: Arrays
    lost: str
    ready: bool
    ends: tuple[tuple[str, str], ...]
    # (D, D) how the vectors of a step were turned onto those of the finished run
    turn: np.ndarray | None = None

    @property
    def kind(self) -> type[Projection]:
        return projections.get(self.settings.kind)


@st.cache_resource(show_spinner=False)
def maps() -> Maps:
    return Maps(base() / "maps")


def settings_of(choice: Choice) -> Settings:
    kind = projections.get(choice.kind)
    what = "seeds" if choice.starts else "map"
    seed = choice.seed if kind.seeded or choice.starts else 0
    return Settings(what, choice.kind, choice.dims, seed, kind.size)


def sample(choice: Choice, space: Vectors) -> sampling.Sample:
    counts = space.counts if choice.drawn == "frequency" else None
    return sampling.draw(len(space), choice.size, choice.seed, counts)


def given_of(choice: Choice, space: Vectors, rows: np.ndarray) -> Arrays:
    """ValueError with a sentence when an end of an axis is no word of the model."""
    given = {"points": np.array(space.unit[rows])}
    if choice.kind == "axes":

        def vector(word: str) -> np.ndarray | None:
            return None if (row := space.row(word)) is None else space.unit[row]

        ends = [[total(end, vector) for end in axis] for axis in choice.ends]
        given["ends"] = np.array(ends, np.float32)
    return given


def make(choice: Choice, space: Vectors, end: Vectors | None = None) -> Made:
    """`end`: the finished run's words, where `space` is what they were at a step: the map is then
    seen from the same side as its map."""
    drawn = sample(choice, space)
    given, settings = given_of(choice, space, drawn.rows), settings_of(choice)
    if end is None or choice.kind == "axes":
        return _make(choice, drawn, given, settings)
    turn = align.turn(space.unit, end.unit)
    onto_SD = np.array(end.unit[drawn.rows])
    given = {"points": (given["points"] @ turn).astype(np.float32), "onto": onto_SD}
    made = replace(_make(choice, drawn, given, settings), turn=turn)
    if choice.kind == "pca" or not made.ready:  # on the finished run's directions as it is
        return made
    there = maps().find(maps().key({"points": onto_SD}, settings))
    target_SK = there[0]["places"] if there else PCA.fit(onto_SD, choice.dims).transform(onto_SD)
    return replace(made, arrays=_turned(made.arrays, target_SK))


def _turned(arrays: Arrays, target_SK: np.ndarray) -> Arrays:
    """A map turned in its plane, or mirrored, so that its words lie nearest to those of another
    one."""
    places_SK = np.asarray(arrays["places"], np.float64)
    centred_SK = target_SK - np.mean(target_SK, 0, np.float64)
    turn_KK = align.procrustes(places_SK - places_SK.mean(0), centred_SK)
    flat = [name for name in arrays if name in ("places", "frames")]
    found = {name: (arrays[name] @ turn_KK).astype(np.float32) for name in flat}
    if "covariance" in arrays:
        found["covariance"] = (turn_KK.T @ arrays["covariance"] @ turn_KK).astype(np.float32)
    return {**arrays, **found}


def _make(choice: Choice, drawn: sampling.Sample, given: Arrays, settings: Settings) -> Made:
    kind = projections.get(choice.kind)
    words = drawn.rows, drawn.says, given, settings
    found = maps().find(maps().key(given, settings))
    if not kind.apart and len(drawn.rows) <= AT_ONCE and not choice.starts:
        found = maps().made(given, settings)
    if found is not None:
        arrays, said = found
        return Made(*words, arrays, str(said["lost"]), True, choice.ends)
    quick = settings if kind.quick else replace(settings, what="map", kind="pca")
    stand_in = project(given, quick)
    return Made(*words, {"places": stand_in.positions}, stand_in.lost, False, choice.ends)


def wait(made: Made) -> None:
    """Where the map is not there yet: start it, watch it, stop it."""
    if made.ready:
        return
    key = maps().key(made.given, made.settings)

    @fragment(run_every=1.0 if maps().state(key).alive else None)
    def watch() -> None:
        state = maps().state(key)
        if maps().find(key) is not None:
            st.rerun()
        with st.container(border=True):
            title = f"{made.kind.title} of {len(made.rows):,} words" + (
                ", ten times" if made.settings.what == "seeds" else ""
            )
            if state.alive:
                st.progress(
                    state.share,
                    f"{title}: {state.message.lower()} … This continues if you leave the page.",
                )
                if st.button("Stop", key="map_stop") and goes(lambda: maps().stop(key)):
                    st.rerun()
                return
            if made.kind.quick:
                st.markdown(
                    f"**{title}** are shown below. Comparing the true neighbours of so many"
                    " words with those on the map takes a while; a separate process does it."
                )
            else:
                st.markdown(
                    f"A separate process draws **{title}**, so that typing stays quick. Until"
                    " it is ready, the same words are shown by their principal components."
                )
            if state.error:
                st.warning(escape(state.error.capitalize()) + ".")
            label = "Compare neighbours" if made.kind.quick else "Draw the map"
            if st.button(label, key="map_start") and goes(
                lambda: maps().start(made.given, made.settings)
            ):
                st.rerun()

    watch()


def goes(act: Callable[[], object]) -> bool:
    """Else a sentence says why not."""
    try:
        act()
    except ValueError as problem:
        st.error(escape(sentence(problem)))
        return False
    return True


def placed(made: Made) -> Any:
    """Places (Q, K) of any vectors on the map on the screen."""
    points = made.given["points"]
    turn = np.eye(points.shape[1]) if made.turn is None else made.turn
    if made.kind.quick or not made.ready:
        kind = made.kind if made.kind.quick else PCA
        found = kind.drawn(made.given, made.settings)
        return lambda point_QD: found.transform(point_QD @ turn)
    places = np.array(made.arrays["places"])
    return lambda point_QD: between(point_QD @ turn, points, places)

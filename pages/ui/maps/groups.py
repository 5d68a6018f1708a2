"""Are the groups of the map there in truth?  Asked of noise drawn by the same method, in a process
of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from engine.analysis.projection.job import Maps
from engine.analysis.projection.work import Arrays, Settings
from engine.live.markdown import escape
from engine.vectors.base import Vectors
from pages.ui import rows
from pages.ui.fragment import fragment
from pages.ui.maps.made import Made, goes, maps

LEAST, MOST = 50, 10_000
# words up to which the test is made without a click: a few seconds of the other process
UNASKED = 1_000
WORDS = 8


def asked(made: Made) -> tuple[Arrays, Settings] | None:
    """What the test is made of; None where the map is not there, or too large to be drawn four more
    times."""
    if not made.ready or made.settings.what != "map" or not LEAST <= len(made.rows) <= MOST:
        return None
    given = {**made.given, "places": np.array(made.arrays["places"])}
    return given, replace(made.settings, what="groups")


def found(made: Made) -> Arrays | None:
    """The groups, where they have been tested."""
    wanted = asked(made)
    got = maps().find(maps().key(*wanted)) if wanted else None
    return got[0] if got else None


def show(made: Made, space: Vectors) -> None:
    st.subheader("Are the groups real?", anchor="groups")
    st.markdown(
        "Every method that pulls neighbours together draws groups, even in pure noise. So the"
        " same method also draws **noise**: points without groups, with the same mean and"
        " spread in every direction as these words. Groups are found on all these maps in the"
        " same way (k-means), and each is then judged in all dimensions: how much nearer are"
        " its words to each other than to the nearest other group (the silhouette)? A group"
        " counts only if it is better separated than every group in the noise."
    )
    wanted = asked(made)
    if wanted is None:
        st.caption(f"The test needs a finished map of {LEAST} to {MOST:,} words.")
        return
    _test(made, space, wanted, maps())


def _test(made: Made, space: Vectors, wanted: tuple[Arrays, Settings], on: Maps) -> None:
    key = on.key(*wanted)
    known = on.find(key) is not None
    before = on.state(key)
    if (
        not known
        and not before.alive
        and not before.error
        and len(made.rows) <= UNASKED
        and key not in st.session_state.setdefault("map_tested", set())
    ):
        st.session_state["map_tested"].add(key)  # once: who stops it does not want it again
        goes(lambda: on.start(*wanted))

    @fragment(run_every=1.0 if on.state(key).alive else None)
    def test() -> None:
        got = on.find(key)
        if got is not None:
            if not known:
                st.rerun()  # the map above can be coloured by group now
            arrays, said = got
            (st.warning if said["warns"] else st.success)(escape(str(said["says"])))
            _table(arrays, made, space, float(arrays["noise"].max()))
            return
        state = on.state(key)
        if state.alive:
            st.progress(state.share, f"{state.message} … This continues if you leave the page.")
            if st.button("Stop", key="map_groups_stop") and goes(lambda: on.stop(key)):
                st.rerun()
            return
        if state.error:
            st.warning(escape(state.error.capitalize()) + ".")
        if st.button("Draw four maps of noise and compare", key="map_groups_start") and goes(
            lambda: on.start(*wanted)
        ):
            st.rerun()

    test()


def _table(arrays: Arrays, made: Made, space: Vectors, bar: float) -> None:
    groups = range(len(arrays["separation"]))
    mine = [made.rows[np.asarray(arrays["group"]) == g] for g in groups]
    rows.show(
        {
            "group": [g + 1 for g in groups],
            "words": [len(words) for words in mine],
            "separation": [round(s, 3) for s in arrays["separation"].tolist()],
            "better than noise": ["yes" if fine else "no" for fine in arrays["borne_out"]],
            "commonest words": [", ".join(space.words[i] for i in ws[:WORDS]) for ws in mine],
        }
    )
    st.caption(
        f"The best-separated of {len(arrays['noise'])} noise groups scores {bar:.3f}. In the"
        " map above, “Colour by” now offers these groups, with the same numbers."
    )

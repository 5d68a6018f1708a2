"""A model that a package holds is offered where it can be seen: what it is, and the way to the door by
which it comes; nothing is fetched here."""

from __future__ import annotations

import streamlit as st

from engine.course.curriculum import lesson
from engine.course.topics.base import PANEL
from engine.live import cache
from engine.pretrained.packaged import PACKAGED
from pages.ui import place
from pages.ui.language import told


def offer(name: str, opens: str = "") -> None:
    """A sentence and a link, to the door or, where the model is here, to the lesson `opens` with it; without
    one nothing, for the page's choice of models has it then."""
    about = PACKAGED[name]
    here = name in {run.id for run in cache.runs(None)}
    if here and not opens:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"offers.{name}"
    ):
        st.markdown(f"**{told(about.called)}**: {told(about.says)}", width="content")
        if here:
            label, page, query = told("Look into it"), opens, {"run": name}
        else:
            label = told("Add it in Runs: {size:,.0f} MB, once", size=about.size / 1e6)
            page, query = "runs", {PANEL: place.part_id("add")}
        icon = ":material/arrow_forward:"
        st.page_link(f"pages/{lesson(page).page}", label=label, icon=icon, query_params=query)

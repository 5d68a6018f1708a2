"""Under- or overfitted: the verdict on two curves in a sentence, with the rule that it follows."""

from __future__ import annotations

import streamlit as st

from engine.analysis.optimising import fitting
from engine.analysis.optimising.fitting import Curve
from engine.training import verdict
from pages.ui.language import told


def show(train: Curve | None, held: Curve | None) -> None:
    """Nothing where the curves are too short."""
    if train and held and (found := fitting.fitting(train, held)):
        st.markdown(told(verdict.said(found)))
        st.caption(told(verdict.RULE))

"""Transformer: the whole forward pass as a row of stops, what each layer would answer, and what it costs."""

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.attention import flow, flow_costs, flow_gradient, flow_mixing, flow_parameters, flow_paths, precision

PARTS = ("Norm and depth", "Time and memory", "Paths", "Who mixes tokens", "Parameters", "Half the digits")

lesson, run = shell.enter("transformer", ("bert",))
live.show(shell.opening(lesson), lambda: flow.stage(run, cache.model(run)), cache.is_open(run))


@st.fragment
def page() -> None:
    try:
        model = cache.model(run)
    except ValueError:  # a damaged run: the live part above has said so
        return
    # one at a time: a browser that has many charts below answers a key more slowly
    part = st.segmented_control("Look closer", PARTS, key="flow_part", bind="query-params", default=PARTS[0], required=True)
    if part == PARTS[1]:
        flow_costs.show(run, model)
    elif part == PARTS[2]:
        flow_paths.show()
    elif part == PARTS[3]:
        flow_mixing.show(run, model, lesson.example)
    elif part == PARTS[4]:
        flow_parameters.show(run, model)
    elif part == PARTS[5]:
        precision.show(run, lesson.example)
    else:
        flow_gradient.show()


page()
shell.sources(lesson, run)

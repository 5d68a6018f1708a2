"""Training room: train a model on a text, watch it learn, pause it, go on with it, and open it in a lesson."""

import streamlit as st

from pages.ui import shell
from pages.ui.own import training_list, training_new, training_watch

lesson = shell.head("training")
alive = training_list.alive()
if training_list.mode(bool(alive)) == training_list.MODES[0]:
    if alive:
        st.caption(f"Going on now: {len(alive)}. See them under “{training_list.MODES[1]}”.")
    st.fragment(training_new.show, run_every=1.0 if training_new.timing() else None, key="training.new")()
else:
    chosen = training_list.chosen()
    st.fragment(training_list.show, run_every=1.0 if alive else None, key="training.list")(alive, chosen)
    st.fragment(training_watch.show, run_every=2.0 if chosen in alive else None, key="training.watch")(chosen)
shell.sources(lesson)

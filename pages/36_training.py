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

    # one fragment, not two: where the clock of one fires while the other asks for the whole page, Streamlit loses its place and the page goes white
    @st.fragment(run_every=1.5 if alive else None, key="training.room")
    def room() -> None:
        training_list.show(alive, chosen)
        training_watch.show(chosen)

    room()
shell.sources(lesson)

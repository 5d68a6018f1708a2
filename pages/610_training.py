"""Training room: train a model on a text, watch it learn, pause it, go on with it, and open it in a
lesson."""

import streamlit as st

from pages.ui import shell
from pages.ui.fragment import fragment
from pages.ui.training import estimate, new, overview, watch

lesson = shell.head("training")
alive = overview.alive()
if overview.mode(bool(alive)) == overview.MODES[0]:
    if alive:
        st.caption(f"Running now: {len(alive)}. See “{overview.MODES[1]}”.")
    fragment(new.show, run_every=1.0 if estimate.timing() else None, key="training.new")()
else:
    chosen = overview.chosen()

    # one fragment, not two: where the clock of one fires while the other asks for the whole page,
    # Streamlit loses its place and the page goes white
    @fragment(run_every=1.5 if alive else None, key="training.room")
    def room() -> None:
        overview.show(alive, chosen)
        watch.show(chosen)

    room()
shell.sources(lesson)

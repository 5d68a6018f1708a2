"""Home: one sentence, all readers; the lessons by era.  Also the server's entry, which serves the component's files."""

from itertools import groupby

import streamlit as st

from engine.curriculum import HOME_EXAMPLE, HOME_TRIES, LESSONS
from engine.reading import Reader
from pages.ui import cache, live, shell
from pages.ui.drawing import ribbon, shortlists
from pages.ui.stage import SURPRISAL, Opening, Panel, Stage

READERS = (("ngram", "n-gram", "probability", "words"), ("lstm", "LSTM", "probability", "characters"),
           ("transformer", "Transformer", "probability", "tokens"), ("skipgram", "embedding", "probability", "words"))  # fmt: skip


def home() -> None:
    shell.frame("Unrolled: see what sequence models see")
    st.header("Unrolled", anchor=False)
    st.markdown("Type a sentence and watch four kinds of language model read it: counts, gates, attention and word vectors, with their real numbers.")
    runs = [(*reader, found[0]) for reader in READERS if (found := cache.runs(reader[0]))]

    titles = {id: title for id, title, *_ in runs}

    def stage() -> Stage:
        readers = tuple(
            (Reader(id, title, cache.model(run), run.id, unit, top=top, most=8, colour=n), run)
            for n, (id, title, top, unit, run) in enumerate(runs)
        )
        panels = (
            Panel(
                "surprise", "ribbon", "How surprised each reader was, character by character",
                "One row a reader; strong colour means it did not expect this. A token's bits are shared out over its characters, so that words and characters compare.",
                {"scale": SURPRISAL}, ribbon(titles),
            ),
            Panel("tops", "tops", "What each reader expects next", "Point at a word above to ask after it.", {"most": 8}, shortlists(titles, 8)),
        )  # fmt: skip
        return Stage(readers, panels, most=800)

    if runs:
        live.show(Opening("home", HOME_EXAMPLE, HOME_TRIES), stage, cache.is_open(*(run for *_, run in runs)))
    else:
        st.info("No model has been trained yet. `make zoo` trains all four on any text file.")
    st.subheader("Lessons", anchor=False)
    for column, (era, lessons) in zip(st.columns(4), groupby(LESSONS, key=lambda item: item.era), strict=False):
        with column.container(border=True, height="stretch"):
            st.caption(era)
            for item in lessons:
                st.page_link(f"pages/{item.page}", label=f"**{item.title}**")
                st.write(item.question)


if __name__ == "__main__":
    home()
else:
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    cache.warm_up({id for id, *_ in READERS})
    app = st.App(__file__, routes=[Mount(f"/assets/{live.VERSION}", StaticFiles(directory=live.ASSETS))])

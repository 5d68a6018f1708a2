"""Home: one sentence, all readers; the lessons by era.  Also the server's entry, which serves the
component's files."""

from itertools import groupby

import streamlit as st

from engine.lessons.curriculum import HOME_EXAMPLE, HOME_TRIES, LESSONS
from engine.live import cache, socket
from engine.live.drawing import ribbon, shortlists
from engine.live.reader import Reader
from engine.live.stage import SURPRISAL, Opening, Panel, Stage
from pages.ui import live, readers, shell

COLUMNS = 3  # of eras


def home() -> None:
    shell.frame("Unrolled: see what sequence models see")
    st.header("Unrolled", anchor=False)
    st.markdown(
        "Type a sentence and watch four kinds of language model read it, by counts, gates,"
        " attention and word vectors. Every number is real."
    )
    chosen = readers.choose()
    titles = {kind.id: title for kind, title, *_ in chosen}

    def stage() -> Stage:
        made = tuple(
            (
                Reader(
                    kind.id,
                    title,
                    cache.model(run),
                    run.id,
                    unit,
                    top="probability",
                    most=8,
                    colour=n,
                ),
                run,
            )
            for n, (kind, title, unit, run) in enumerate(chosen)
        )
        panels = (
            Panel(
                "surprise",
                "ribbon",
                "How surprising each model found the text",
                "One row per model. Strong colour: the model did not expect this. A token's"
                " bits are spread over its characters, so that words and characters can be"
                " compared.",
                {"scale": SURPRISAL},
                ribbon(titles),
            ),
            Panel(
                "tops",
                "tops",
                "What each model expects next",
                "Point at a word above to see the predictions after it.",
                {"most": 8},
                shortlists(titles, 8),
            ),
        )
        return Stage(made, panels, most=800)

    if chosen:
        live.show(
            Opening("home", HOME_EXAMPLE, HOME_TRIES),
            stage,
            cache.is_open(*(run for *_, run in chosen)),
        )
    else:
        st.info("No model has been trained yet. `make zoo` trains all four on any text file.")
    st.subheader("Lessons", anchor=False)
    eras = [(era, list(lessons)) for era, lessons in groupby(LESSONS, key=lambda item: item.era)]
    for row in range(0, len(eras), COLUMNS):
        here = eras[row : row + COLUMNS]
        for column, (era, lessons) in zip(st.columns(len(here)), here, strict=True):
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

    cache.warm_up({kind.id for kind in readers.KINDS})
    app = st.App(
        __file__,
        routes=[
            Mount(f"/assets/{live.VERSION}", StaticFiles(directory=live.ASSETS)),
            socket.ROUTE,
        ],
    )

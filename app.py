"""Home: one sentence, all readers; the lessons by era.  Also the server's entry, which needs little
of that and listens sooner without it."""

from itertools import groupby

import streamlit as st

from pages.ui.language import told

if __name__ == "__main__":
    from engine.course import first_minute
    from engine.course.curriculum import HOME_EXAMPLE, HOME_TRIES, LESSONS, MAP
    from engine.live import cache
    from engine.live.stage import Opening, Stage
    from pages.ui import live, onward, readers, shell

COLUMNS = 3  # of eras
KINDS = ("ribbon", "bars", "units", "grammar/over", "neighbours", "tops")  # of its panels


def home() -> None:
    shell.frame("Unrolled: see what sequence models see")
    shell.top("Unrolled", "One sentence, read by counts, gates, attention and word vectors.")
    chosen = readers.choose(shell.bar())

    def stage() -> Stage:
        # not before the box is there: it needs torch
        from engine.lessons.home import stage as home_stage
        from engine.lessons.home.stage import Chosen

        return home_stage.stage(
            tuple(Chosen(kind.id, title, unit, run) for kind, title, unit, run in chosen)
        )

    if chosen:
        live.show_pictures(
            Opening(
                "home",
                HOME_EXAMPLE,
                HOME_TRIES,
                kinds=KINDS,
                steps=first_minute.true_of("home", "", tuple(run.id for *_, run in chosen)),
            ),
            stage,
            cache.is_open(*(run for *_, run in chosen)),
        )
    else:
        st.info(told("No model has been trained yet. `make zoo` trains all four on any text file."))
    onward.offer("smollm2", "transformer")
    with st.container(horizontal=True, vertical_alignment="center", key="lessons"):
        st.subheader(told("Lessons"), anchor=False, width="content")
        st.page_link(f"pages/{MAP.page}", label=f"{told(MAP.title)}: {told(MAP.question)}")
    course = (item for item in LESSONS if item is not MAP)
    eras = [(era, list(lessons)) for era, lessons in groupby(course, key=lambda item: item.era)]
    for row in range(0, len(eras), COLUMNS):
        here = eras[row : row + COLUMNS]
        for column, (era, lessons) in zip(st.columns(len(here)), here, strict=True):
            with column.container(border=True, height="stretch", gap=None):
                st.markdown(f"##### {told(era)}")
                for item in lessons:
                    st.page_link(f"pages/{item.page}", label=f"**{told(item.title)}**")
                    st.caption(told(item.question))


if __name__ == "__main__":
    home()
else:
    import asyncio
    import inspect
    import threading
    from collections.abc import AsyncIterator
    from contextlib import asynccontextmanager

    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket

    from engine.core import runtime
    from engine.live import assets
    from engine.people.gate import Gate
    from pages.ui.files import PREFIX, streamlit_modules

    def begin() -> None:
        """All that the first page needs, while the browser loads Streamlit."""
        runtime.serving()
        from engine.live import cache
        from pages.ui import live, readers, shell  # noqa: F401 - they are there when the page asks

        inspect.stack()  # Streamlit asks at its first element; Python keeps where its modules lie
        cache.warm_up({kind.id for kind in readers.KINDS})

    @asynccontextmanager
    async def serving(_: st.App) -> AsyncIterator[None]:
        threading.Thread(target=begin, daemon=True).start()
        from pages.ui.sessions import let_go

        looking = asyncio.create_task(let_go())
        yield
        looking.cancel()

    async def answer(page: WebSocket) -> None:
        from engine.live import socket

        await socket.serve(page)

    def course(path: str) -> Route:
        def ask(request: Request) -> Response:
            from engine.live import course

            return course.ROUTES[path](request)

        return Route(f"{PREFIX}/course/{path}", ask)

    app = st.App(
        __file__,
        lifespan=serving,
        routes=[
            assets.route(PREFIX),
            WebSocketRoute(f"{PREFIX}/live/{{key}}", answer),
            course("find"),
            course("handout"),
        ],
        middleware=[
            Middleware(Gate, prefix=PREFIX),
            Middleware(assets.Preload, prefix=PREFIX, more=streamlit_modules()),
        ],
    )

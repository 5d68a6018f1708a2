"""Course: what the browser asks of the course itself, over plain HTTP.

/course/find?q=WORDS            the pages and topics that answer, best first, as JSON
/course/handout?lessons=A,B,C   a page to print of these lessons

Both take a language: &lang=de.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from engine.course import handout
from engine.course.curriculum import lesson
from engine.course.topics.base import Topic
from engine.course.topics.places import PAGES, PLACES, address
from engine.course.topics.search import search
from engine.language.catalogue import ENGLISH, catalogue, is_language, tell

WHOLE = {page.id for page in PAGES}
MOST = 12  # places that are listed
# a hand-out runs no script and loads nothing; its pictures are in it
LOCKED = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:"}


def find(request: Request) -> JSONResponse:
    """{"found": [{"href", "title", "page", "says"}], "count"}; `page` is empty for a whole page."""
    asked, language = request.query_params.get("q", ""), _language(request)
    found = search(asked, PLACES)
    if language != ENGLISH:  # names in English are known everywhere
        named = search(asked, places(language))
        others = {place.id for place in found} - {place.id for place in named}
        found = named + [place for place in places(language) if place.id in others]
    listed = [
        {
            "href": address(place),
            "title": place.title,
            "page": "" if place.id in WHOLE else tell(lesson(place.lesson).title, language),
            "says": place.says,
        }
        for place in found[:MOST]
    ]
    return JSONResponse({"found": listed, "count": len(found)})


@cache
def places(language: str) -> tuple[Topic, ...]:
    """The places with their names in a language, as many and in the same order."""
    say = catalogue(language).say
    return tuple(
        replace(
            place, title=say(place.title), says=say(place.says), also=tuple(map(say, place.also))
        )
        for place in PLACES
    )


def _language(request: Request) -> str:
    asked = request.query_params.get("lang", "")
    return asked if asked and is_language(asked) else ENGLISH


def print_out(request: Request) -> Response:
    """The hand-out; 404 where no lesson is named.  A link in it leads back to where it came from."""
    asked = handout.chosen(request.query_params.get("lessons", "").split(","))
    try:
        return HTMLResponse(
            handout.page(asked, str(request.base_url), _language(request)), headers=LOCKED
        )
    except ValueError as problem:
        return PlainTextResponse(f"{problem}.", status_code=404)


ROUTES: Mapping[str, Callable[[Request], Response]] = {"find": find, "handout": print_out}

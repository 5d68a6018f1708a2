"""The hand-out of chosen lessons: what is asked, what is answered, and that nothing else gets in."""

from __future__ import annotations

import re
from base64 import b64decode
from html import unescape
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from engine.course import handout
from engine.course.curriculum import LESSONS, LIVE, MAP, lesson
from engine.course.topics import TOPICS
from engine.live import course

PLACE = "http://somewhere.example/"
TAUGHT = [item for item in LESSONS if item is not MAP]


class Read(HTMLParser):
    """The text of each part, the links, and whether every tag is closed."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.pictures: list[str] = []  # SVG
        self.links: list[str] = []
        self.parts = {"article": "", "section": ""}
        self.feed(written)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "iframe", "link")
        if tag == "img":
            told = dict(attrs)
            kind, _, drawn = str(told["src"]).partition(",")
            assert kind == "data:image/svg+xml;base64" and told["alt"]
            self.pictures.append(b64decode(drawn).decode())
        elif tag != "meta":
            self.open.append(tag)
        self.links += [str(value) for name, value in attrs if name == "href"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for part in self.parts:
            if part in self.open:
                self.parts[part] += data


def test_it_holds_every_lesson_and_no_answer_stands_beside_its_question() -> None:
    """Each live lesson has the picture of its first example."""
    for item in TAUGHT:
        read = Read(handout.page([item], PLACE))
        article, asked = read.parts["article"], handout.questions(item)
        assert not read.open and 2 <= len(asked) <= handout.MOST, item.id
        for one in asked:
            assert one.answer in read.parts["section"] and one.typed in article
            assert one.answer not in article, (item.id, one.answer)
        assert item.title in article and item.question in article
        assert all(topic.title in article for topic in TOPICS if topic.lesson == item.id)
        assert len(read.pictures) == (item in LIVE), item.id
        assert ("Room for a picture" in article) == (item not in LIVE)
        for svg in read.pictures:
            drawn = unescape(re.sub(r"<[^>]*>", "", svg))
            assert asked[0].typed.split()[0] in drawn, f"{item.id}: make handout"
    assert {file.stem for file in handout.PICTURES.glob("*.svg")} == {item.id for item in LIVE}


def test_links_lead_to_pages_and_examples() -> None:
    read = Read(handout.page([lesson("lstm"), lesson("smoothing")], PLACE))
    assert all(link.startswith(PLACE) for link in read.links)
    paths = {urlsplit(link).path.strip("/") for link in read.links}
    assert paths == {"map", "lstm", "smoothing"}
    example = lesson("lstm").tries[0]
    assert any(parse_qs(urlsplit(link).query).get("text") == [example.text] for link in read.links)


def test_the_order_is_that_of_the_course_and_strangers_are_left_out() -> None:
    found = handout.chosen(["lstm", "map", "<script>", "ngrams", "lstm", ""])
    assert [item.id for item in found] == ["ngrams", "lstm"]
    with pytest.raises(ValueError, match="no lesson is chosen"):
        handout.page([], PLACE)


def test_both_are_served() -> None:
    client = TestClient(
        Starlette(routes=[Route(f"/course/{name}", ask) for name, ask in course.ROUTES.items()]),
        base_url="http://somewhere.example",
    )
    reply = client.get("/course/handout?lessons=lstm,ngrams,<b>")
    assert reply.status_code == 200
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert reply.text == handout.page([lesson("ngrams"), lesson("lstm")], PLACE)
    assert client.get("/course/handout?lessons=nothing").status_code == 404
    told = client.get("/course/find", params={"q": "peephole"}).json()
    assert told == {
        "found": [
            {
                "href": "lstm?run=peephole&panel=gates",
                "title": "Peephole LSTM",
                "page": "LSTM gates",
                "says": next(topic.says for topic in TOPICS if topic.title == "Peephole LSTM"),
            }
        ],
        "count": 1,
    }
    assert client.get("/course/find").json() == {"found": [], "count": 0}


def test_a_search_finds_pages_and_topics() -> None:
    client = TestClient(
        Starlette(routes=[Route(f"/course/{name}", ask) for name, ask in course.ROUTES.items()])
    )
    for query, first in (
        ("LSTM gates", "lstm"),  # a page
        ("corpus duel", "compare"),
        ("Kneser-Ney", "smoothing?panel=part-kneser-ney"),  # a topic
        ("perplexty", "scoring"),
    ):
        found = client.get("/course/find", params={"q": query}).json()["found"]
        assert found[0]["href"].split("&")[0].startswith(first), query
        assert len(found) <= course.MOST

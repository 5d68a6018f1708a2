"""The course map: it opens, searches, links to places, and every place that it names is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from engine.core.registry import corpora
from engine.course import rooms
from engine.course.curriculum import LESSONS, MAP, lesson
from engine.course.topics import TOPICS
from engine.frame.control import Pick
from engine.frame.part import Asking
from engine.lessons.compare import counted
from engine.lessons.map import links
from engine.lessons.units import head
from engine.lessons.units import parts as unit_parts
from engine.runs.store import SHIPPED
from pages.ui import menu
from pages.ui.place import part_id
from tests.conftest import ROOT, sampled
from tests.frame.test_parts import given, on_page
from tests.pages.opening import seeing, sound


@pytest.fixture(autouse=True)
def short_readings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(head, "POSITIONS", 1_500)  # of the unit detective
    yield
    head.READINGS.clear()  # another test's are whole, and so is what was said of them
    unit_parts.responds._answers.clear()
    on_page.cache_clear()


own_runs = seeing()  # whatever other tests have trained


def opened(id: str, **query: str) -> AppTest:
    """A page as after a moment of rest."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page(f"pages/{lesson(id).page}")
    at.query_params.update(query)
    message = {"text": lesson(id).example, "seq": 1, "base": None, "base_start": None}
    at.session_state[f"live-{id}"] = {"msg": {**message, "have": None, "start": None}}
    return sound(at.run())


def nodes(node: object) -> Iterator[object]:
    yield node
    for child in getattr(node, "children", {}).values():
        yield from nodes(child)


def places(at: AppTest) -> set[str]:
    """Every id that assets/live/place.js could find: panels, anchors, keys, and parts to choose."""
    found: set[str] = set()
    for node in nodes(at.main):
        proto = getattr(node, "proto", None)
        data = getattr(proto, "bytes", b"")
        if data[4:5] == b"{":
            header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
            found |= {panel["id"] for panel in header["layout"].get("panels", ())}
        found.add(getattr(proto, "anchor", ""))
        if key := re.match(r"\$\$ID-[0-9a-f]{32}-(.+)", str(getattr(proto, "id", ""))):
            found |= {key[1], key[1].removesuffix(".tabs")}
        if getattr(node, "type", "") == "button_group":
            found |= {part_id(str(option)) for option in node.options}
    return found - {"None"}


@sampled("id", [item.id for item in LESSONS if item is not MAP], each=8)
def test_every_place_is_on_its_page(id: str) -> None:
    links = {topic.anchor: topic.link for topic in TOPICS if topic.lesson == id}
    there = places(opened(id))
    for anchor in links.keys() - {""} - there:  # in a part that the link opens
        assert anchor in places(opened(id, **dict(parse_qsl(links[anchor])), panel=anchor)), anchor


def asking(id: str) -> list[Asking]:
    found = rooms.head(id)
    shown = rooms.find_shown(id)
    return [*rooms.parts(id), *(one for one in (found, shown) if isinstance(one, Asking))]


def holds(id: str, key: str, value: str) -> bool | None:
    """Whether the control of this key, or of this name, can hold what a link says; None: no control."""
    for one in asking(id):
        for name, control in one.controls.items():
            if key in (one.key(id, name), name):
                others = given(lesson(id), one)
                others |= one.values({**others, name: value})
                found = others[name]
                called = control.called(others)(found) if isinstance(control, Pick) else found
                return value in (str(found), called)
    return None


def test_links_choose_what_there_is() -> None:
    """A run that is shipped, or what a control of its page can hold."""
    for topic in TOPICS:
        for name, value in parse_qsl(topic.link, strict_parsing=True):
            if name == "run":
                assert (SHIPPED / value / "run.json").is_file()
            elif (can := holds(topic.lesson, name, value)) is not None or "." in name:
                assert can, (topic.id, name, value)
            elif name == "corpus":
                assert value in corpora.ids(), topic.id
            elif name == "runs":
                assert {*value.split(",")} <= {run.id for run in counted.runs()}
            else:
                assert name in ("by", "field", "model", "chunk", "rules", "pattern"), topic.id


def test_a_link_opens_the_part() -> None:
    for id, place, heading in (
        ("transformer", "part-paths", "Paths"),
        ("vectors", "part-what-a-cosine-does-not-say", "What a cosine does not say"),
        ("transformer", '"><script>', "Norm and depth"),  # the first, for one that is not there
    ):
        at = opened(id, panel=place)
        key = f"{id}.part"
        chosen = [at.session_state[key]] if key in at.session_state else []
        assert heading in [*chosen, *(one.value for one in at.subheader)]
        assert place in places(at) or "script" in place


def listed(at: AppTest) -> dict[str, Any]:
    """What the browser is given to draw."""
    found = at.get("bidi_component")
    (component,) = [one for one in found if "coursemap/coursemap.js" in one.proto.js_content]
    return json.loads(component.proto.json)


def entries(at: AppTest) -> list[dict[str, str]]:
    """The topics of a search, as they are listed."""
    return [topic for era in listed(at)["eras"] for topic in era["topics"]]


def test_the_map_searches() -> None:
    at = opened("map")
    lessons = [item for era in listed(at)["eras"] for item in era["lessons"]]
    assert [item["href"] for item in lessons] == [item.id for item in LESSONS if item is not MAP]
    assert sum(int(item["count"].split()[0]) for item in lessons) == len(TOPICS)
    titles = [topic["title"] for item in lessons for topic in item["topics"]]
    assert sorted(titles) == sorted(topic.title for topic in TOPICS)
    at.text_input(key="find").set_value("peephole").run()
    (found,) = entries(at)
    assert found["title"] == "Peephole LSTM" and found["page"] == "LSTM gates"
    assert found["href"] == "lstm?run=peephole&panel=gates"
    at.text_input(key="find").set_value("a").run()
    assert len(entries(at)) == links.MOST and "the best 40 are listed" in listed(at)["says"]
    at.text_input(key="find").set_value("Zorblax *qzx*").run()
    assert not any("coursemap.js" in one.proto.js_content for one in at.get("bidi_component"))
    assert any("No topic matches “Zorblax \\*qzx\\*”" in one.value for one in at.markdown)


def test_a_click_opens_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Any]] = []
    go = lambda page, query_params: asked.append((page, query_params))  # noqa: E731
    monkeypatch.setattr(menu.st, "switch_page", go)
    menu.open_page("lstm?run=peephole&panel=gates")
    menu.open_page("masks")
    menu.open_page(".")
    menu.open_page("../../etc/passwd?panel=x")  # anybody can send anything
    lstm = f"pages/{lesson('lstm').page}", {"run": "peephole", "panel": "gates"}
    assert asked == [lstm, (f"pages/{lesson('masks').page}", {}), ("app.py", {})]

"""A model that a package holds is offered on home and on five lessons: the way to its door, nothing
fetched; once it is here, the lessons have it to choose, and home leads to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from engine.course.curriculum import LESSONS
from engine.pretrained.packaged import PACKAGED
from engine.runs.store import SHIPPED, RunStore
from tests.pages.opening import opened, said, seeing

runs = seeing("lstm", "ngram", "skipgram", shipped=("transformer",))
NAME = "smollm2"


@pytest.fixture
def here() -> Iterator[Path]:
    place = RunStore().roots[-1] / NAME
    shutil.copytree(SHIPPED / "transformer", place)
    yield place
    shutil.rmtree(place)


def links(at: AppTest, page: str) -> list[dict[str, list[str]]]:
    """What the links to a page choose there."""
    found = [one.proto for one in at.get("page_link")]
    return [parse_qs(one.query_string) for one in found if one.page.endswith(page)]


OFFERING = [one.id for one in LESSONS if one.offers]


def test_five_lessons_offer_what_a_package_holds() -> None:
    assert "smollm2" in {one.offers for one in LESSONS} <= {"", *PACKAGED}
    assert OFFERING == ["attention", "heads", "transformer", "prompting", "decoding"]


@pytest.mark.parametrize("page", ["home", *OFFERING])
def test_where_it_is_not_here_a_link_leads_to_its_door(page: str) -> None:
    at = opened(page)
    assert "SmolLM2, a real language model" in said(at) and "135 million" in said(at)
    assert {"panel": ["part-add"]} in links(at, "runs")


def test_the_door_that_a_link_leads_to_is_open() -> None:
    (door,) = [one for one in opened("runs").expander if "Add a model" in one.label]
    assert not door.proto.expanded
    (door,) = [one for one in opened("runs", panel="part-add").expander if "Add" in one.label]
    assert door.proto.expanded


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("page", OFFERING)
def test_where_it_is_here_it_is_among_the_models(page: str) -> None:
    at = opened(page, run=NAME)
    assert "a real language model" not in said(at)
    assert at.selectbox(key=f"{page}.run").value == NAME


@pytest.mark.usefixtures("here")
def test_where_it_is_here_home_opens_it() -> None:
    at = opened("home")
    assert {"run": [NAME]} in links(at, "transformer")
    assert {"panel": ["part-add"]} not in links(at, "runs")

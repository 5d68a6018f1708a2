"""A page as somebody opens it, without a browser, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.course.curriculum import LESSONS
from engine.runs.store import SHIPPED
from tests.conftest import ROOT, only_runs

PAGES = {item.id: item.page for item in LESSONS}
SAYS = "header subheader markdown latex caption info success warning error"


def opened(page: str, /, **query: str | list[str]) -> AppTest:
    """A lesson, a page of before by the name of its file, or home, at an address."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    if page != "home":
        at.switch_page(f"pages/{PAGES.get(page, f'{page}.py')}")
    at.query_params.update(query)
    return sound(at.run())


def sound(at: AppTest) -> AppTest:
    assert not at.exception, at.exception
    return at


def said(at: AppTest) -> str:
    return "\n".join(str(words.value) for kind in SAYS.split() for words in getattr(at, kind))


def seeing(*small: str, shipped: tuple[str, ...] = ()) -> Any:
    """A fixture of a module, whose pages see small runs of these models and these shipped ones (none: all
    that are shipped), and a home of their own."""

    @pytest.fixture(scope="module", autouse=True)
    def runs(
        run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[Path]:
        shown = {id: run_folder(id) for id in small} | {id: SHIPPED / id for id in shipped}
        yield from only_runs(tmp_path_factory, shown or None)

    return runs

"""Two people at one server: what one types, and what one's page shows of it, never reaches the
other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT, only_runs
from tests.pages.test_every_page import answered, decoded

SECRET = "zebra quartz diary"


@pytest.fixture(scope="module", autouse=True)
def runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory, {"lstm": run_folder("lstm")})


def opened() -> AppTest:
    return (
        AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
        .switch_page("pages/410_lstm.py")
        .run()
    )


def test_another_session_sees_nothing_of_what_is_typed() -> None:
    mine, other = opened(), opened()
    header, _ = answered(mine, "lstm", SECRET)
    assert header["text"] == SECRET
    other.run()
    for at in (other, opened()):
        shown = json.dumps(decoded(at)[0]) + repr(at.main) + repr(dict(at.query_params))
        assert not any(word in shown for word in SECRET.split())
        assert at.session_state["typed"].text != SECRET
    header, _ = answered(other, "lstm", "another text")
    assert (
        header["text"] == "another text"
        and answered(mine, "lstm", SECRET + "!")[0]["text"] == SECRET + "!"
    )

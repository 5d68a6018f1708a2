"""Pages that draw several runs side by side, with all that is shipped: where one is missing they show
fewer, which is all that tests/pages/test_every_page.py sees of them."""

from __future__ import annotations

import pytest

from tests.conftest import spread
from tests.pages.opening import seeing
from tests.pages.test_every_page import HOSTILE, answered, check, opened

SEVERAL = ("feedforward", "external", "pooling", "scores")
TEXTS = ("nothing", "spaces", "emoji", "unknown words", "half of a character")


shipped_runs = seeing()


@pytest.mark.parametrize(("page", "names"), spread(SEVERAL, TEXTS, each=2))
def test_page_survives_any_text(page: str, names: list[str]) -> None:
    at = opened(page)
    assert not at.exception, at.exception
    for name in names:
        check(*answered(at, page, HOSTILE[name]), HOSTILE[name])

"""The theme can change under an open page.  That every page fits: test_every_page.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import Live

pytestmark = pytest.mark.browser
Page = Callable[..., Live]


def test_the_theme_can_change_while_the_page_is_open(page: Page) -> None:
    live = page("lstm")
    before = live.page.locator('[data-panel="gates"] canvas').screenshot()
    live.page.emulate_media(color_scheme="dark")
    live.page.wait_for_selector(".un-dark")
    live.page.wait_for_timeout(200)
    assert live.page.locator('[data-panel="gates"] canvas').screenshot() != before

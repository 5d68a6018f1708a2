"""The page on sparse attention: what all patterns cost, and heads that share keys and values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.analysis.masks import imposed
from engine.analysis.masks.imposed import Mask
from engine.lessons.sparse.panels import SHOWN
from engine.runs.store import SHIPPED, RunStore
from pages.ui.sparse import loss
from tests.conftest import only_runs, shipped
from tests.pages.test_every_page import answered, opened

TEXT = "The dog was called Llanfair. We all liked L"


@pytest.fixture(scope="module", autouse=True)
def shipped_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory, {"transformer": SHIPPED / "transformer"})


def test_what_every_pattern_costs() -> None:
    model = shipped("transformer")
    ids = model.tokens(TEXT).ids
    found = loss.costs(RunStore().find("transformer"), model, ids, 3)
    want = [imposed.run(model, ids, Mask(pattern, 3)).mean for pattern in SHOWN]
    assert found["bits per token"] == pytest.approx(want, abs=1e-5)
    assert found["share of the pairs"][0] == 1
    # 15 tokens, three each but for the first two
    assert found["share of the pairs"][1] == pytest.approx((1 + 2 + 13 * 3) / 120)


def test_the_page_shows_the_gallery_and_the_caches() -> None:
    at = opened("sparse")
    header, _ = answered(at, "sparse", TEXT)
    assert [panel["id"] for panel in header["layout"]["panels"]] == ["gallery", "masklab"]
    at.session_state["fold.shared"] = True
    at.run()
    assert not at.exception

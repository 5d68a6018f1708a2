"""The parts below the masks: what they say is what torch and the model under each mask give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.course.curriculum import lesson
from engine.frame.part import Part
from engine.lessons.masks import imposed, live, parts
from engine.lessons.masks.imposed import Mask
from engine.lessons.masks.patterns import may
from engine.runs.store import RunStore
from tests.conftest import shipped, together
from tests.lessons.blocks import asked, said, tables

TEXT = "The dog was called Llanfair. We all liked L"


def told(part: Part, **given: Any) -> tuple[str, list[Any]]:
    """The sentences, and the rows of the tables."""
    page = {"model": shipped("transformer"), "run": RunStore().find("transformer"), "mine": ""}
    found = asked(part, page | {"lesson": lesson("masks")}, **given)
    return said(found), tables(found)


def test_what_every_pattern_costs() -> None:
    ids = shipped("transformer").tokens(TEXT).ids
    (rows,) = told(parts.costs, text=TEXT, size=3)[1]
    want = [imposed.run(shipped("transformer"), ids, Mask(p, 3)).mean for p in parts.GALLERY]
    assert [row["bits per token"] for row in rows] == pytest.approx(want, abs=1e-5)
    share = [row["share of the pairs"] for row in rows]
    # 15 tokens, three each but for the first two
    assert share[0] == 1 and share[1] == pytest.approx((1 + 2 + 13 * 3) / 120)


def test_the_gallery_counts_what_each_pattern_allows() -> None:
    """By a walk through the layers, token by token."""
    once = live.once(shipped("transformer"))
    tables = {spec.name: values for spec, values in once.tables}
    n = live.DRAWN
    for m, pattern in enumerate(live.SHOWN):
        open_TS = may(pattern, n, live.SIZE)
        if pattern != "top":
            assert tables["share"][m] == pytest.approx(open_TS.sum() / (n * (n + 1) / 2))
        heard = {n - 1}
        for layer in range(1, live.DEPTH + 1):
            heard |= {s for t in heard for s in range(n) if open_TS[t, s]}
            assert tables["heard"][m, layer] == len(heard), (pattern, layer)
        shade = tables["reach"][m]
        np.testing.assert_array_equal(np.isfinite(shade[-1]), [s in heard for s in range(n)])


def test_a_flat_mask_goes_wrong_in_silence() -> None:
    assert "12 of 16 heads are wrong" in told(parts.laid)[0]
    assert "torch refuses" in told(parts.laid, heads=3)[0]
    assert "**right**" in told(parts.laid, shape="BSS")[0]


@together("case", parts.CASES)
def test_the_number_that_hides(case: str) -> None:
    text, _ = told(parts.number, case=case)
    assert ("If everything is masked" in text) == (case == "all are hidden")
    assert ("gets weight with: add −1e4" in text) == ("12,000" in case)


def test_shared_keys_and_values() -> None:
    models, pooled = told(parts.grouped)[1]
    llama = next(row for row in models if row["model"] == "Llama 2 7B")
    assert llama["cache, GiB"] == 2 and models[3]["memory saved"] == 0.75
    bits = [row["bits per token"] for row in pooled]
    assert bits == sorted(bits, reverse=True)

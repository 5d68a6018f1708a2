"""The page on masks: its reply holds the model under the mask that is asked for; the parts below."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.lessons.masks import imposed
from engine.lessons.masks.imposed import Mask
from engine.lessons.masks.live import read_rules
from engine.runs.store import SHIPPED
from tests.conftest import ROOT, only_runs, shipped
from tests.pages.test_every_page import answered, opened

TEXT = "The girl looked at the old man"


@pytest.fixture(scope="module", autouse=True)
def shipped_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory, {"transformer": SHIPPED / "transformer"})


def test_the_reply_holds_the_model_under_the_mask() -> None:
    at, model = opened("masks"), shipped("transformer")
    ids = model.tokens(TEXT).ids
    for rules, flips, mask in (
        ("window.3.zero", "", Mask("window", 3)),
        ("below.4.inf", "", Mask("below", 4, "inf")),
        ("causal.4.zero", "2.5_7.0", Mask("causal", flips=frozenset({(2, 5), (7, 0)}))),
        ("nonsense", "x", Mask()),
    ):
        wish = {"rules": rules, "masks": flips, "layer": 2, "head": 3}
        header, numbers = answered(at, "masks", TEXT, mask=wish)
        part = header["readings"][0]
        want, said = imposed.run(model, ids, mask), part["said"]["masked"]
        fields = {
            f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
            for f in part["fields"]
        }
        np.testing.assert_allclose(fields["mask.attention"], want.attention_LNTS[2, 3], atol=1e-5)
        np.testing.assert_array_equal(fields["mask.may"], mask.may(len(ids)))
        bits = [np.nan if b is None else b for b in said["bits"]]
        np.testing.assert_allclose(bits, want.bits_T, atol=1e-4)
        assert said["pairs"] == mask.may(len(ids)).sum()


def test_a_mask_that_makes_no_sense_is_the_models_own() -> None:
    for rules in ("", "nowhere.4.zero", "window.4.x", "window.x.zero"):
        assert read_rules(rules, "") == Mask()
    found = read_rules("top.99.zero", "1.2_3_a.b_99.1")
    assert found == Mask("top", 64, "zero", frozenset({(1, 2)}))


def test_old_addresses_of_sparse_attention_lead_here() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["panel"] = "fold.shared"
    at.switch_page("pages/sparse.py").run()
    assert not at.exception
    assert at.session_state["masks.part"] == "Shared keys and values"

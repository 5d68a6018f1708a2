"""The page on masks: its reply holds the model under the mask that is asked for; the parts below."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.measure import surprisal
from engine.lessons.masks import imposed
from engine.lessons.masks.imposed import Mask
from engine.lessons.masks.live import LEAST, wished
from engine.live.request import Asks
from tests.conftest import shipped
from tests.pages.opening import seeing
from tests.pages.test_every_page import answered, opened

TEXT = "The girl looked at the old man"


shipped_runs = seeing(shipped=("transformer",))


def test_the_reply_holds_the_model_under_the_mask() -> None:
    at, model = opened("masks"), shipped("transformer")
    ids = model.tokens(TEXT).ids
    for chosen, mask in (
        ({"pattern": 4, "size": 3}, Mask("window", 3)),
        ({"pattern": 1, "with": "inf"}, Mask("below", 4, "inf")),
        ({"pattern": 1, "with": "e9"}, Mask("below", 4, "e9")),
        ({"pattern": 99, "size": "x", "with": "nowhere"}, Mask()),
    ):
        header, numbers = answered(at, "masks", TEXT, layer=2, head=3, **chosen)
        part = header["readings"][0]
        want, said = imposed.run(model, ids, mask), part["said"]["numbers"]
        fields = {
            f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
            for f in part["fields"]
        }
        weight, shown = want.attention_LNTS[2, 3], fields["mask.attention"]
        hidden = ~mask.may(len(ids)) & ~(weight > LEAST)
        np.testing.assert_allclose(shown, np.where(hidden, np.nan, weight), atol=1e-5)
        np.testing.assert_allclose(fields["cost"][:-1], want.bits_T[1:], atol=1e-4)
        own = surprisal(model.trace(TEXT, fields=("probability",)))
        np.testing.assert_allclose(fields["own"][:-1], own[1:], atol=1e-4)
        assert said["pairs"] == mask.may(len(ids)).sum()
        assert said["empty"] == (0 if mask.pattern != "below" else 1)
        assert said["lost"] == (0 if mask.way != "inf" else len(ids) - 1)
        if mask.way == "inf":
            assert said["mean"] is None and said["next"] is None
        else:
            assert said["mean"] == pytest.approx(want.bits_T[1:].mean(), abs=1e-4)
            assert said["next"] == want.p_V.argmax()


def test_a_mask_that_makes_no_sense_is_the_models_own() -> None:
    assert wished(Asks({"pattern": -1, "size": None, "with": 3})) == Mask()
    assert wished(Asks({"pattern": 10, "size": 99})) == Mask("top", 16)

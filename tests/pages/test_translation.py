"""The page on cross-attention: its numbers, its source words, odd texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.pages.opening import seeing
from tests.pages.test_every_page import answered, check, opened

Trained = Callable[[str], Any]
TEXT = "the old dog sat\nle vieux"


small_run = seeing("encoder_decoder", "seq2seq")


def test_the_reply_holds_the_model_s_numbers(trained: Trained) -> None:
    model = trained("encoder_decoder")
    header, numbers = answered(opened("translation"), "translation", TEXT)
    check(header, numbers, TEXT)
    (part,) = header["readings"]
    assert part["labels"] == ["<s>", "le", "vieux"] and part["source"] == {
        "labels": ["the", "old", "dog", "sat", "</s>"],
        "spans": [[0, 3], [4, 7], [8, 11], [12, 15], [0, 0]],
        "unknown": [],
    }
    trace = model.trace(TEXT)
    fields = {
        f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
        for f in part["fields"]
    }
    for name in ("cross.attention", "attention", "encoder.attention"):
        np.testing.assert_allclose(fields[name], trace.field(name).values, atol=1e-6)
    assert fields["cross.attention"].shape[-2:] == (3, 5)


def test_the_recurrent_translator(trained: Trained) -> None:
    model, at = trained("seq2seq"), opened("translation")
    at.selectbox(key="translation.run").set_value("seq2seq")
    header, _ = answered(at, "translation", "the zebra sat")
    (part,) = header["readings"]
    assert part["source"]["unknown"] == [1] and part["labels"] == ["<s>"]
    header, numbers = answered(at, "translation", TEXT)
    check(header, numbers, TEXT)
    (part,) = header["readings"]
    fields = {
        f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
        for f in part["fields"]
    }
    assert "cross.attention" in fields and "attention" not in fields
    np.testing.assert_allclose(
        fields["cross.attention"], model.trace(TEXT).field("cross.attention").values, atol=1e-6
    )

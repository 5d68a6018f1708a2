"""The page on cross-attention: its numbers, its source words, a beam search by message, the
parameters, odd texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.conftest import only_runs
from tests.pages.test_every_page import answered, check, opened

Trained = Callable[[str], Any]
TEXT = "the old dog sat\nle vieux"


@pytest.fixture(scope="module", autouse=True)
def small_run(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    yield from only_runs(
        tmp_path_factory, {id: run_folder(id) for id in ("encoder_decoder", "seq2seq")}
    )


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
    end = trace.field("probability").values[:, model.tokenizer.boundary]
    np.testing.assert_allclose(fields["ends"], -np.log2(end), rtol=1e-5)


def test_unknown_english_is_told() -> None:
    header, _ = answered(opened("translation"), "translation", "the zebra sat")
    assert header["readings"][0]["source"]["unknown"] == [1] and header["readings"][0][
        "labels"
    ] == ["<s>"]


def test_a_beam_of_one_is_greedy(trained: Trained) -> None:
    model, at = trained("encoder_decoder"), opened("translation")
    for _ in range(40):
        header, _ = answered(
            at, "translation", "the old dog sat", beams={"of": 3, "width": 1, "steps": 6}
        )
        found = header["readings"][0]["said"]["beams"]
        if found["done"]:
            break
    assert found["done"] and found["of"] == 3 and not found["problem"]
    ids = model.translated(torch.from_numpy(model.source("the old dog sat").ids)[None])[0][:6]
    vocab = model.tokenizer.vocab
    kept = [next(row for row in rows if row[4] != "dropped") for rows in found["rows"]]
    assert [row[1] for row in kept] == [vocab[i] for i in ids]
    assert found["greedy"][2] == len(ids)


def test_the_recurrent_translator(trained: Trained) -> None:
    model, at = trained("seq2seq"), opened("translation")
    at.selectbox(key="translation.run").set_value("seq2seq")
    header, numbers = answered(at, "translation", TEXT)
    check(header, numbers, TEXT)
    (part,) = header["readings"]
    fields = {
        f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
        for f in part["fields"]
    }
    assert set(fields) == {"cross.attention", "ends"}
    np.testing.assert_allclose(
        fields["cross.attention"], model.trace(TEXT).field("cross.attention").values, atol=1e-6
    )

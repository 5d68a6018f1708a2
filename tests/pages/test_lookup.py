"""The page on soft lookup: its reply holds the numbers of the library that is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.runs.store import SHIPPED
from tests.conftest import only_runs, shipped
from tests.pages.test_every_page import answered, opened

TEXT = "best laptop\nlaptops: 3\nspecs: 1\ngarden tools: 2\nno pair"


@pytest.fixture(scope="module", autouse=True)
def shipped_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory, {"skipgram": SHIPPED / "skipgram"})


def test_a_library_is_matched_with_the_vectors_of_the_model() -> None:
    header, _ = answered(opened("lookup"), "lookup", TEXT)
    found = header["readings"][0]["said"]["library"]
    model = shipped("skipgram")

    def mean(words: str) -> np.ndarray:
        rows = [model.in_VD[model.vocab.index(w)] for w in words.split() if w in model.vocab]
        return np.mean(rows, 0, dtype=float) if rows else np.zeros(model.in_VD.shape[1])

    query, keys = mean("best laptop"), [mean(k) for k in ("laptops", "specs", "garden tools")]
    np.testing.assert_allclose(found["dot"], [k @ query for k in keys], atol=1e-5)
    lengths = [np.linalg.norm(v) for v in (query, *keys)]
    np.testing.assert_allclose(found["length"], lengths, atol=1e-5)
    want = [
        k @ query / (n * lengths[0]) if n else 0 for k, n in zip(keys, lengths[1:], strict=True)
    ]
    np.testing.assert_allclose(found["cosine"], want, atol=1e-6)
    assert found["unknown"][2] == ["specs"] and found["known"] == [True, True, False, True]
    assert found["left"] == ["no pair"] and found["numbers"] == [[3], [1], [2]]


@pytest.mark.parametrize("text", ["", "query", "query\n: 1\nkey:", "zzqxv\nzzqxw: zzqxy"])
def test_a_library_may_be_empty_or_without_vectors(text: str) -> None:
    header, _ = answered(opened("lookup"), "lookup", text)
    found = header["readings"][0]["said"]["library"]
    assert len(found["cosine"]) == len(found["keys"]) and not any(found["cosine"])

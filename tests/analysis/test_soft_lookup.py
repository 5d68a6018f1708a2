"""Soft lookup against sums by hand, torch and numpy's own dictionary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis import soft_lookup
from tests.conftest import shipped, together


def test_a_library_is_read_line_by_line() -> None:
    found = soft_lookup.read(" pony \nmouse: 0.1\nhorse : 2.4\n\nno pair\n: 3\nkey:\na: b: c")
    assert (found.query, found.keys) == ("pony", ("mouse", "horse", "a"))
    assert found.values == ("0.1", "2.4", "b: c")
    assert found.left == ("no pair", ": 3", "key:")
    assert soft_lookup.read("") == soft_lookup.Typed("", (), ())
    many = soft_lookup.read("q\n" + "\n".join(f"k{n}: {n}" for n in range(20)))
    assert len(many.keys) == soft_lookup.MOST and len(many.left) == 8


@together(
    ("values", "want"),
    [
        (("1, 0", "0,1"), [[1, 0], [0, 1]]),
        (("−3", "2.5"), [[-3], [2.5]]),
        (("1", "1, 2"), None),
        (("1", "one"), None),
        (("nan", "inf"), None),
        (("1,2,3,4,5",), None),
        ((), None),
    ],
)
def test_values_are_numbers_where_all_are(values: tuple[str, ...], want: Any) -> None:
    found = soft_lookup.numbers(values)
    assert (found is None) == (want is None)
    if want is not None:
        np.testing.assert_array_equal(found, want)


def test_weights_by_hand() -> None:
    # scores 1 and 0 at T = 1: e / (e + 1) = .731059; at T = .5: e^2 / (e^2 + 1) = .880797
    for t, want in ((1, [0.731059, 0.268941]), (0.5, [0.880797, 0.119203])):
        np.testing.assert_allclose(soft_lookup.weights(np.array([1.0, 0]), t), want, atol=1e-6)
    score = np.array([0.3, 0.9, -0.2, 0.9])
    for t in (0.01, 0.3, 4.0, 100.0):
        want = torch.softmax(torch.tensor(score) / t, 0).numpy()
        np.testing.assert_allclose(soft_lookup.weights(score, t), want, atol=1e-12)
    np.testing.assert_array_equal(soft_lookup.weights(score, 0), [0, 1, 0, 0])


def test_entropy_of_the_spec() -> None:
    # language_models T31: uniform over 4 has 2 bits, [.97, .01, .01, .01] .241941 bits
    assert soft_lookup.entropy(np.full(4, 0.25)) == pytest.approx(2)
    assert soft_lookup.entropy(np.array([0.97, 0.01, 0.01, 0.01])) == pytest.approx(
        0.241941, abs=1e-6
    )
    assert soft_lookup.entropy(np.array([1.0, 0.0])) == 0


def test_a_match_is_the_dot_product_and_the_cosine() -> None:
    found = soft_lookup.match(np.array([3.0, 4.0]), np.array([[3.0, 4.0], [4.0, -3.0], [0.0, 0.0]]))
    np.testing.assert_allclose(found.dot_M, [25, 0, 0])
    np.testing.assert_allclose(found.cosine_M, [1, 0, 0])
    assert found.query == 5


def test_the_meaning_of_several_words_is_their_mean() -> None:
    model = shipped("skipgram")
    a, b = (model.in_VD[model.tokenizer.encode(w).ids[0]] for w in ("space", "travel"))
    found = soft_lookup.meaning(model, "Space travel!")
    np.testing.assert_allclose(found.vector_D, (a.astype(float) + b) / 2, atol=1e-6)
    assert found.known and not found.unknown
    nothing = soft_lookup.meaning(model, "zzqxv")
    assert nothing.unknown == ("zzqxv",) and not nothing.known

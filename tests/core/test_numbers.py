"""Numbers that grow piece by piece are those of one array, and no more of them is fetched than asked
for."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as some
from numpy.testing import assert_array_equal

from engine.core import numbers
from engine.core.numbers import Numbers
from engine.core.trace import Field, FieldSpec, Kind, lying
from tests.conftest import Patch

STEPS = some.lists(
    some.tuples(some.integers(0, 6), some.integers(1, 4)), min_size=1, max_size=12
)  # per key: tokens taken away, tokens added


def array(values: np.ndarray, tensors: bool) -> numbers.Array:
    return torch.from_numpy(values.copy()) if tensors else values.copy()


@given(STEPS, some.booleans(), some.integers(0, 12), some.integers(0, 12))
def test_states_that_grow_are_one_array(
    steps: list[tuple[int, int]], tensors: bool, start: int, more: int
) -> None:
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(2, 3, 4)).astype(np.float32)
    made = Numbers((array(plain, tensors),), 1)
    for gone, new in steps:
        keep = max(1, plain.shape[1] - gone)
        added = rng.normal(size=(2, new, 4)).astype(np.float32)
        made = made.first(keep).grown(Numbers((array(added, tensors),), 1))
        plain = np.concatenate([plain[:, :keep], added], 1)
        assert made.shape == plain.shape
        assert_array_equal(made.rows(start, start + more), plain[:, start : start + more])
        assert_array_equal(made.picked((1, slice(None), slice(None))).rows(start), plain[1, start:])
        assert len(made._pieces) <= 1 + np.log2(plain.shape[1])
    assert_array_equal(made.host(), plain)
    assert_array_equal(made.rows(start), plain[:, start:])
    assert made.host() is made.host() and not made.host().flags.writeable


@given(STEPS, some.booleans(), some.booleans(), some.integers(0, 12))
def test_attention_that_grows_has_nothing_where_no_token_can_look(
    steps: list[tuple[int, int]], tensors: bool, score: bool, start: int
) -> None:
    spec = FieldSpec("a", Kind.SCORE if score else Kind.ATTENTION, ("head", "query", "key"), "")
    fill = -np.inf if score else 0.0
    rng = np.random.default_rng(1)

    def rows(first: int, stop: int) -> np.ndarray:
        found = rng.normal(size=(2, stop - first, stop)).astype(np.float32)
        found[:, np.arange(first, stop)[:, None] < np.arange(stop)] = fill
        return found

    plain = rows(0, 3)
    made = lying(spec, array(plain, tensors))
    for gone, new in steps:
        keep = max(1, plain.shape[1] - gone)
        added = rows(keep, keep + new)
        made = made.first(keep).grown(lying(spec, array(added, tensors)))
        old = np.pad(plain[:, :keep, :keep], [(0, 0), (0, 0), (0, new)], constant_values=fill)
        plain = np.concatenate([old, added], 1)
        assert_array_equal(made.rows(start), plain[:, start:])
        one_head = made.picked((1, slice(None), slice(None)))
        assert_array_equal(one_head.rows(start), plain[1, start:])
    whole = slice(None)
    assert_array_equal(made.picked((whole, 1, whole)).rows(1), plain[:, 1, 1:])
    assert_array_equal(made.picked((whole, whole, 1)).rows(1), plain[:, 1:, 1])
    assert_array_equal(made.host(), plain)
    assert_array_equal(made.picked((0, 1, 1)).host(), plain[0, 1, 1])


def test_only_what_is_asked_for_is_fetched(monkeypatch: Patch) -> None:
    """Of 144 heads over 250 tokens, with one token more: a row of each, or one head."""
    got: list[int] = []
    plain = numbers.fetched

    def fetched(value: numbers.Array) -> np.ndarray:
        found = plain(value)
        got.append(found.size)
        return found

    monkeypatch.setattr(numbers, "fetched", fetched)
    spec = FieldSpec("a", Kind.ATTENTION, ("layer", "head", "query", "key"), "")
    old = lying(spec, torch.rand(12, 12, 250, 250))
    grown = old.first(250).grown(lying(spec, torch.rand(12, 12, 1, 251)))
    field = Field.of("a", Kind.ATTENTION, {}, np.zeros(()), "")
    assert field.rows(0).shape == () and not sum(got)
    assert grown.rows(250).shape == (12, 12, 1, 251) and sum(got) == 144 * 251
    got.clear()
    assert grown.picked((3, 4, slice(None), slice(None))).host().shape == (251, 251)
    assert sum(got) == 250 * 250 + 251
    got.clear()
    assert grown.host().shape == (12, 12, 251, 251) and grown.host() is not None
    assert sum(got) == 144 * (250 * 250 + 251)


def test_numbers_move_to_where_the_next_ones_are() -> None:
    plain = np.arange(6, dtype=np.float32).reshape(3, 2)
    here = Numbers((plain,), 0).grown(Numbers((torch.ones(1, 2),), 0))
    back = Numbers((torch.from_numpy(plain),), 0).grown(Numbers((np.ones((1, 2), np.float32),), 0))
    assert all(isinstance(p, torch.Tensor) for p in here._pieces)
    assert all(isinstance(p, np.ndarray) for p in back._pieces)
    assert_array_equal(here.host(), back.host())

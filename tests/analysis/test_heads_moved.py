"""A head of the shipped machine put elsewhere: the steps behind it follow the formulas, and so do the
letters that it copies."""

from __future__ import annotations

import numpy as np
import pytest

from engine.lessons.external import heads_moved
from engine.models.ntm import NTM
from engine.runs.store import RunStore

TEXT = "bhacegda=bhacegda"
MARK = 9  # where = stands, behind the line's beginning


@pytest.fixture(scope="module")
def model() -> NTM:
    found = RunStore().load(RunStore().find("ntm"))
    assert isinstance(found, NTM)
    return found


def test_a_read_head_that_is_put_on_a_slot_reads_on_from_there(model: NTM) -> None:
    plain, other = heads_moved.moved(model, TEXT, "read", "slot", MARK + 2, 5)
    np.testing.assert_array_equal(other.field("read.address").values[MARK + 2], np.eye(24)[5])
    slot_D = other.field("memory").values[MARK + 2, 5]
    np.testing.assert_allclose(other.field("reading").values[MARK + 2], slot_D, atol=1e-6)
    said, new = heads_moved.says(plain), heads_moved.says(other)
    assert "".join(said[MARK:-1]) == "bhacegda" and said[-1] == "\n"
    # before the change all is as it was, then it goes on behind the slot it was put on
    assert new[: MARK + 2] == said[: MARK + 2]
    assert "".join(new[MARK + 2 : MARK + 5]) == "gda"


def test_a_key_and_a_gate_are_what_the_content_is_made_of(model: NTM) -> None:
    token, slot = MARK + 3, 2
    _, other = heads_moved.moved(model, TEXT, "read", "key", token, slot)
    row_D = model.trace(TEXT).field("memory").values[token - 1, slot]
    np.testing.assert_allclose(other.field("read.key").values[token], row_D, atol=1e-6)
    memory_ND = other.field("memory").values[token].astype(float)
    cosine_N = memory_ND @ row_D / np.linalg.norm(memory_ND, axis=1) / np.linalg.norm(row_D)
    e_N = np.exp(other.field("read.strength").values[token, 0] * cosine_N)
    np.testing.assert_allclose(
        other.field("read.content").values[token], e_N / e_N.sum(), atol=1e-5
    )
    # with g = 1 nothing is left of the address before
    mixed, content = (other.field(f"read.{n}").values[token] for n in ("mixed", "content"))
    np.testing.assert_allclose(mixed, content, atol=1e-6)
    _, half = heads_moved.moved(model, TEXT, "write", "gate", 4, 0.5)
    both = half.field("write.content").values[4] + half.field("write.address").values[3]
    np.testing.assert_allclose(half.field("write.mixed").values[4], both / 2, atol=1e-6)


def test_at_the_first_letter_the_memory_is_what_it_begins_with(model: NTM) -> None:
    made = heads_moved.edits("write", "key", 0, 3, model.trace("ab=ab"))
    assert {edit.to for edit in made[:-1]} == {0.01} and made[-1].to == 1
    with pytest.raises(KeyError):
        heads_moved.edits("write", "nothing", 0, 3, model.trace("ab=ab"))

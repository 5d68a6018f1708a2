"""A long text in windows: the tiles of transformers T56, and coverage by counting every token."""

from __future__ import annotations

import numpy as np
import pytest

from engine.text.windows import coverage, inside, windows
from tests.conftest import together

T56 = {
    510: [(0, 510)],
    511: [(0, 510), (256, 511)],
    768: [(0, 510), (256, 766), (512, 768)],
    1000: [(0, 510), (256, 766), (512, 1000), (768, 1000)],
    1024: [(0, 510), (256, 766), (512, 1022), (768, 1024)],
}


@together("length", T56)
def test_the_usual_loop(length: int) -> None:
    found = windows(length, 510, 256, to_the_end=True)
    assert found == T56[length]
    assert inside(found) == [False] * (len(found) - 1) + [length == 1000]


def test_no_window_reads_nothing_new_and_no_token_is_left_out() -> None:
    for length in range(40):
        for body in range(1, 12):
            for stride in range(1, 15):
                found = windows(length, body, stride)
                assert not any(inside(found))
                read_T = coverage(found, length)
                by_hand = [sum(a <= t < b for a, b in found) for t in range(length)]
                assert read_T.tolist() == by_hand
                if stride <= body:
                    assert length == 0 or (read_T.min() >= 1 and found[-1][1] == length)
                assert found == windows(length, body, stride, True)[: len(found)]


def test_a_stride_that_is_too_long_leaves_gaps() -> None:
    assert windows(20, 4, 7) == [(0, 4), (7, 11), (14, 18)]
    np.testing.assert_array_equal(
        np.flatnonzero(coverage(windows(20, 4, 7), 20) == 0), [4, 5, 6, 11, 12, 13, 18, 19]
    )
    for body, stride in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="at least one token"):
            windows(5, body, stride)

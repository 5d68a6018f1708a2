"""Files of pairs, as people have them."""

from __future__ import annotations

import pytest

from engine.analysis.measures import pairs


def test_two_columns_without_names() -> None:
    found = pairs.read(b"the right\tsource said\r\nr2\ts2\r\n")
    assert found.references == (("the right",), ("r2",))
    assert found.systems == (("A", ("source said", "s2")),)


def test_named_columns_in_any_order_and_several_references() -> None:
    raw = "\ufeffsource\tmine\tref 1\tyours\tRef 2\nq\ta\tb\tc\td\n".encode()
    found = pairs.read(raw, "x.tsv")
    assert found.references == (("b", "d"),) and found.source == ("q",)
    assert found.systems == (("mine", ("a",)), ("yours", ("c",)))


@pytest.mark.parametrize("mark", [",", ";"])
def test_csv(mark: str) -> None:
    raw = f'reference{mark}A{mark}B\n"it is, ""so"""{mark}b{mark}c\n'.encode()
    found = pairs.read(raw, "x.CSV")
    assert found.references == (('it is, "so"',),) and found.systems[1] == ("B", ("c",))


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "no lines"),
        (b"reference\tsystem\n", "no lines"),
        (b"only one column\n", "line 1 has 1 column, and 2 are needed"),
        (b"a\tb\n\nc\td\n", "line 2 has 1 column"),
        (b"a\tb\tc\td\te\n", "there are 4 columns of what systems said"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"a\x00b", "not UTF-8"),
        (b"a\t" + b"x" * 2_001, "2,001 characters in one column, and 2,000 fit"),
        (b"a\tb\n" * 100_001, "100,001 lines are too many; 100,000 fit"),
    ],
)
def test_what_is_none_is_refused_in_a_sentence(raw: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        pairs.read(raw)


def test_names_that_are_the_same_are_letters_instead() -> None:
    found = pairs.read(b"ref\tsystem\tsystem\na\tb\tc\n")
    assert [name for name, _ in found.systems] == ["A", "B"]

"""Vocabularies: the ten-token list and the sizes of the specification (foundations T30), and cutting by
hand."""

from __future__ import annotations

import pytest

from engine.analysis.vocabularies import TEN, UNKNOWN, pieces, types


def test_the_ten_token_list() -> None:
    words = "The on mat le chat est cat is the Le sur tapis matis mattap chatsur".split()
    assert pieces(words, TEN) == [
        *([word] for word in words[:6]),
        *([UNKNOWN] for _ in range(6)),
        ["mat", "##is"],
        ["mat", "##tap"],
        ["chat", "##sur"],
    ]


def test_types_of_two_sentences() -> None:
    english, french = types("The cat is on the mat."), types("Le chat est sur le tapis.")
    assert (len(english), len(french), len(english | french)) == (6, 6, 11)


@pytest.mark.parametrize("listed", [(), ("a", "a"), ("[UNK]",), ("##",), ("🙂", "##🙂")])
def test_odd_lists(listed: tuple[str, ...]) -> None:
    found = pieces(["aa", "🙂🙂", "x" * 300], listed)
    assert len(found) == 3 and all(parts for parts in found)
    assert pieces([], listed) == []


def test_types_of_odd_texts() -> None:
    assert types("") == types("  \n") == set()
    assert types("L'ami, l'AMI!") == {"l'ami", ",", "!"}

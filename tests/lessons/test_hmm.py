"""Hidden Markov models: what the parts of the lesson say is right."""

from __future__ import annotations

import numpy as np
import pytest

from engine.frame.blocks import Beside, Rows
from engine.frame.part import Problem
from engine.hmm import recursions
from engine.hmm.learning import expected
from engine.lessons.hmm import film, parts
from tests.conftest import shipped


def test_a_film_is_the_method_round_by_round() -> None:
    """Each round makes new tables of the expected counts, and no text less likely."""
    lines = film.words("banana cabana nab a cab")
    found = film.film(lines, 2, 3, 12)
    assert len(found.bits_R) == 13 and (np.diff(found.bits_R) <= 1e-9).all()
    assert found.letters == tuple("abcn")
    np.testing.assert_allclose(found.writes_RSV[:, 1:].sum(-1), 1, atol=1e-4)
    import torch

    number = {letter: n for n, letter in enumerate(found.letters)}
    ids = [np.array([*(number[c] for c in line), len(number)]) for line in lines]
    a_SS, b_SV = found.follows_RSS[4], found.writes_RSV[4]
    whole_SV = np.hstack([b_SV, np.eye(3)[:, :1]])
    tensors = [torch.from_numpy(x.astype(float)) for x in (a_SS[0], a_SS, whole_SV)]
    counted = expected(*tensors, ids)
    written = recursions.rows(counted.emission_SV.numpy()[1:, :-1])
    np.testing.assert_allclose(found.writes_RSV[5, 1:], written, atol=1e-4)


def test_the_starts_end_in_different_places() -> None:
    text = parts.learning.values()["learn"]
    ends = [one.bits_R[-1] for one in parts.films(text, 4)]
    assert max(ends) - min(ends) > 0.02
    said = parts.learning.blocks(states=4)[-1].words
    assert (said.values["best"], said.values["worst"]) == (min(ends), max(ends))
    assert parts.learning.values({"states": 4})["start"] == int(np.argmin(ends))
    assert isinstance(parts.learning.blocks(learn=" ")[-1], Problem)


def test_drawn_lines_end_and_are_possible() -> None:
    model = shipped("hmm_tagger")
    for seed in range(20):
        drawn = parts.line(model, seed)
        assert len(drawn) <= parts.LONGEST
        assert all(s and model.b_SV[s, w] > 0 for s, w in drawn)
    (table,) = (b for b in parts.dice.blocks(model=model, dice=3) if isinstance(b, Rows))
    first = next(d for n in range(6) if len(d := parts.line(model, 18 + n)) > 3)
    assert [row["written with"] for row in table.rows] == [model.b_SV[s, w] for s, w in first]


def test_the_numbers_of_a_model_are_counted() -> None:
    """Two states, three words: 1 + 2 of the transitions and 4 of the words are free."""
    said = str(parts.sizes.blocks(s=2, k=3, n=3)[1].columns[0][1])
    assert "2² + 2 · 3 − 2 − 1 = **7**" in said and "3³ − 1 = **26**" in said
    *_, problem = parts.sizes.blocks(row0=0.9, row1=0.5)
    assert "Together they are 1.50" in problem.words
    assert "= **0.15**" in parts.sizes.blocks()[-1]


def test_two_states_are_summed_as_by_hand() -> None:
    """A text of one word: 0.6 · 0.5 + 0.4 · 0.1."""
    _, beside, ways, listed = parts.textbook.blocks(signs="1")
    assert isinstance(beside, Beside)
    assert ways.values["total"] == pytest.approx(0.6 * 0.5 + 0.4 * 0.1)
    (_, steps, product) = beside.columns[1]
    assert steps.rows[0]["filtered"] == pytest.approx(0.3 / 0.34)
    assert product.words.values["p"] == pytest.approx(0.34)
    assert [row["path"] for row in listed.rows] == ["1", "2"]

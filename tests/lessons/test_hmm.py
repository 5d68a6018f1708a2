"""Hidden Markov models: what the parts of the lesson say is right, and what its live part derives, against the
recursions, against all paths of a short text one by one, and against numbers worked out by hand."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from engine.frame.blocks import Beside, Rows
from engine.frame.part import Problem
from engine.frame.picture import Derived
from engine.hmm import recursions
from engine.hmm.learning import expected
from engine.lessons.hmm import film, live, parts
from engine.models.base import Model
from tests.conftest import shipped, together


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
    (_controls, table) = parts.sizes.blocks(s=2, k=3, n=3)[1].columns[0]
    assert [row["free numbers"] for row in table.rows] == ["7", "8", "26", "26"]


def test_two_states_are_summed_as_by_hand() -> None:
    """A text of one word: 0.6 · 0.5 + 0.4 · 0.1."""
    _, beside, ways, listed = parts.textbook.blocks(signs="1")
    assert isinstance(beside, Beside)
    assert ways.values["total"] == pytest.approx(0.6 * 0.5 + 0.4 * 0.1)
    (_, steps, product) = beside.columns[1]
    assert steps.rows[0]["filtered"] == pytest.approx(0.3 / 0.34)
    assert product.words.values["p"] == pytest.approx(0.34)
    assert [row["path"] for row in listed.rows] == ["1", "2"]


TEXT = "You can open the zygrobbed door\nNow"
RUNS = ("hmm_tagger", "hmm")


def derived(model: Model[Any], text: str, **asks: object) -> dict[str, np.ndarray]:
    found: Derived = live.derive(model, model.trace(text), asks)  # type: ignore[arg-type]
    return {name: np.asarray(values, float) for name, (_, values) in found.items()}


@together("run", RUNS)
def test_prediction_times_likelihood_is_the_filter(run: str) -> None:
    model: Any = shipped(run)
    trace, found = model.trace(TEXT), derived(model, TEXT)
    of = {name: trace.field(name).values for name in live.VIEWS}
    both = of["predict"] * found["likely"]
    np.testing.assert_allclose(recursions.rows(both), of["filter"], atol=1e-6)
    scale_T = recursions.forwards(model.start_S, model.a_SS, found["likely"])[2]
    np.testing.assert_allclose(found["evidence"], scale_T, rtol=1e-4)
    best, path = found["path.best"], trace.field("viterbi").values.astype(int)
    assert (best.max(1) == 1).all() and (best >= 0).all() and best[-1, path[-1]] == 1
    for name in live.VIEWS:
        np.testing.assert_array_equal(found[f"largest.{name}"], of[name].argmax(1))
    moved = np.abs(of["filter"] - of["smooth"]).sum(1) / 2
    np.testing.assert_allclose(found["moved"], moved, atol=1e-6)


@together("run", RUNS)
def test_the_product_along_a_path_bent_by_hand(run: str) -> None:
    model: Any = shipped(run)
    trace = model.trace(TEXT)
    like, path = model.likely(model.tokens(TEXT)), trace.field("viterbi").values.astype(int)
    plain, bent = derived(model, TEXT), derived(model, TEXT, picks="2:1,4:3")
    assert not plain["bent"] and bent["bent"] and plain["ratio"] == 1
    own = path.copy()
    own[[2, 4]] = 1, 3
    np.testing.assert_array_equal(bent["own"], own)
    bits, scale = 0.0, recursions.forwards(model.start_S, model.a_SS, like)[2]
    for t in range(1, len(own)):
        a, b = model.a_SS[own[t - 1], own[t]], like[t, own[t]]
        assert (bent["own.transition"][t], bent["own.emission"][t]) == pytest.approx((a, b))
        bits -= np.log2(a * b)
        assert bent["own.bits"][t] == pytest.approx(bits, rel=1e-5)
    assert bent["best.bits"] == pytest.approx(plain["own.bits"][-1])
    assert bent["ratio"] == pytest.approx(2 ** (bits - plain["own.bits"][-1]), rel=1e-6)
    assert bent["share"] == plain["share"]
    assert plain["share"] == pytest.approx(2 ** -plain["own.bits"][-1] / scale[1:].prod(), rel=1e-4)


def test_the_share_of_the_likeliest_path_among_all_paths_one_by_one() -> None:
    model: Any = shipped("hmm")
    text = "as I"
    like, states = model.likely(model.tokens(text)), range(len(model.states))
    products = []
    for path in itertools.product(states, repeat=len(like) - 1):
        steps = itertools.pairwise((0, *path))
        products.append(
            np.prod([model.a_SS[i, j] * like[t, j] for t, (i, j) in enumerate(steps, 1)])
        )
    found = derived(model, text)
    assert found["share"] == pytest.approx(max(products) / sum(products), rel=1e-6)
    assert 2 ** -found["best.bits"] == pytest.approx(max(products), rel=1e-6)


@together("run", RUNS)
def test_two_beginnings(run: str) -> None:
    model: Any = shipped(run)
    name = model.states[2]
    found, like = derived(model, TEXT, **{"with": name}), model.likely(model.tokens(TEXT))
    one_TS, other_TS = (
        recursions.forwards(model.a_SS[start], model.a_SS, like[1:])[1] for start in (0, 2)
    )
    count = len(found["apart.unread"]) - 1
    assert count == max(live.FEWEST, min(live.FARTHEST, len(like) - 1))
    read = np.abs(one_TS - other_TS).sum(1) / 2
    np.testing.assert_allclose(found["apart.read"], [1, *read[: live.FARTHEST]], atol=1e-12)
    for n, unread in enumerate(found["apart.unread"]):
        power = np.linalg.matrix_power(model.a_SS, n)
        assert unread == pytest.approx(np.abs(power[0] - power[2]).sum() / 2)


@together("asks", [{}, {"with": 3}, {"with": "no state"}, {"with": "⏎"}])
def test_what_makes_no_sense_is_the_first_other_beginning(asks: dict[str, object]) -> None:
    model: Any = shipped("hmm_tagger")
    usual = derived(model, "You can", **{"with": model.states[1]})
    np.testing.assert_array_equal(
        derived(model, "You can", **asks)["apart.read"], usual["apart.read"]
    )


@together("run", RUNS)
def test_what_the_browser_is_told_once_is_the_model(run: str) -> None:
    model: Any = shipped(run)
    once = live.once(model)
    tables = {spec.name: values for spec, values in once.tables}
    np.testing.assert_array_equal(tables["transition"], model.a_SS)
    eigenvalues = np.sort(np.abs(np.linalg.eigvals(model.a_SS)))
    assert tables["second"] == pytest.approx(eigenvalues[-2])
    for s, writes in enumerate(once.lists["writes"]):
        shares = [p for _, p in writes]
        assert shares == sorted(shares, reverse=True) and min(shares) > 0
        assert shares[0] == pytest.approx(model.b_SV[s].max(), rel=1e-5)
        assert len(shares) <= live.WRITES
    called = once.called["state"]
    assert (list(called) == list(model.states)) == (run == "hmm_tagger")
    if run == "hmm":
        assert called[0] == model.states[0] and called[1].startswith("1: ")

"""The ledger adds up to the memory, for every recurrent model, and half-lives are what brute force
finds."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.analysis import ledger
from engine.core.cell_card import listed
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.course.curriculum import lesson
from engine.runs import store
from tests.conftest import diagonal, together

RNG = np.random.default_rng(3)
MEMORY = SimpleNamespace(
    state="cell", keep="gate.forget", write=("gate.input", "candidate"), complement=False
)
TEXT = "the old cat saw the small bird (in the tree) and sang"


def test_nothing_breaks_where_a_gate_is_shut_or_the_text_is_long() -> None:
    keep_T, write_T = RNG.choice([0.0, 1e-30, 0.5, 1.0], 400), RNG.normal(size=400)
    cell_T = [0.0]
    for f, g in zip(keep_T, write_T, strict=True):
        cell_T.append(f * cell_T[-1] + g)
    rows = {"gate.forget": keep_T, "candidate": write_T, "cell": cell_T[1:]}
    axes = (Axis("layer", ("0",)), Axis("token", ("x",) * 400), Axis("unit", ("0",)))
    fields = []
    for n, v in (rows | {"gate.input": np.ones(400)}).items():
        spec = FieldSpec(n, Kind.STATE, ("layer", "token", "unit"), "Made.", f"{n[0]}_t")
        fields.append(Field(spec, np.array(v, np.float32)[None, :, None], axes))
    trace = Trace("x" * 400, ("x",) * 400, tuple(fields), offset=0, total=400)
    book = ledger.account(trace, MEMORY, 0, 0)
    assert np.isfinite(book.part_TT).all()
    np.testing.assert_allclose(book.sum_T, book.state_T, atol=1e-5)
    assert (book.part_TT[np.triu_indices(400, 1)] == 0).all()


def by_brute_force(trace: Trace, memory: Any, layer: int, unit: int) -> np.ndarray:
    """Part (T, T) from the formula: for every pair of tokens the product of all keeps between them."""

    def of(name: str) -> np.ndarray:
        return trace.field(name).values[layer, :, unit].astype(float)

    keep = of(memory.keep) if memory.keep else np.ones(len(trace.tokens))
    keep = 1 - keep if memory.complement else keep
    write, part = math.prod(map(of, memory.write)), np.zeros((len(keep), len(keep)))
    for t in range(len(keep)):
        for k in range(t + 1):
            part[t, k] = math.prod(keep[k + 1 : t + 1]) * write[k]
    return part


@diagonal("id,window", listed(), [None, (20, 50)])
def test_rows_add_up_to_the_memory_of_every_cell(
    id: str, window: tuple[int, int] | None, trained: Any
) -> None:
    model = trained(id)
    count = len(model.tokens(TEXT * 3))
    trace = model.trace(
        TEXT * 3, window=window and (min(window[0], count // 2), min(window[1], count))
    )
    assert bool(model.memories) == (id != "rnn")
    for memory in model.memories:
        layers, _, units = trace.field(memory.state).values.shape
        for layer, unit in ((0, 0), (layers - 1, units - 1)):
            book = ledger.account(trace, memory, layer, unit)
            np.testing.assert_allclose(
                book.sum_T, trace.field(memory.state).values[layer, :, unit], atol=1e-5
            )
            np.testing.assert_allclose(
                book.part_TT, by_brute_force(trace, memory, layer, unit), atol=1e-12
            )
            assert (book.before_T != 0).any() == (trace.offset > 0)


@pytest.fixture(scope="module")
def shipped() -> Any:
    return store.RunStore().load(store.RunStore().find("lstm"))


@pytest.mark.parametrize("n", range(3))
def test_examples_of_the_lesson_add_up_and_tell_the_truth(n: int, shipped: Any) -> None:
    example = lesson("memory").tries[n]
    layer, unit = (int(pair.split("=")[1]) for pair in example.link.split("&"))
    trace = shipped.trace(example.text)
    book = ledger.account(trace, MEMORY, layer, unit)
    np.testing.assert_allclose(
        book.sum_T, trace.field("cell").values[layer, :, unit], rtol=1e-6, atol=1e-5
    )
    keep_TU = ledger.numbers(trace, MEMORY)[0][layer]
    if n == 0:
        first, last = (t for t, token in enumerate(trace.tokens) if token == '"')
        assert keep_TU[first, unit] < 0.05
        assert keep_TU[first + 1, unit] < 0.05
        assert book.write_T[first + 1] < -0.95
        assert (book.state_T[first + 1 : last] < -0.9).all()
        assert keep_TU[last, unit] < 0.1
        assert book.state_T[last] > 0
    if n == 1:
        left = [book.kept_TT[-1, t] for t, token in enumerate(trace.tokens) if token in "1914("]
        assert f"{100 * min(left):.0f} to {100 * max(left):.0f} %" in example.look
        assert ledger.average(keep_TU).tokens.argmax() == unit
    if n == 2:
        assert f"above {math.floor(book.state_T[-1])}" in example.look
        assert np.abs(book.write_T).max() < 1


@together(
    ("keep", "tokens"),
    [(0.9, 6.5788), (0.95, 13.5134), (0.99, 68.9676), (0.999, 692.8006), (0.5, 1.0)],
)
def test_half_lives_of_a_gate_that_never_moves(keep: float, tokens: float) -> None:
    assert ledger.constant(keep) == pytest.approx(tokens, abs=1e-4)
    many = np.full((2000, 1), keep)
    assert ledger.average(many).tokens[0] == pytest.approx(tokens, abs=1e-4)
    whole = math.ceil(tokens)
    assert keep**whole <= 0.5 < keep ** (whole - 1)
    assert ledger.measure_half_lives(many[:, 0]).tokens[0] == whole
    assert ledger.median([many], 800).say(0) == f"{whole:,}"


def test_half_lives_by_brute_force() -> None:
    keep_T = np.concatenate([RNG.uniform(0.3, 1, 60), [0.0, 1.0, 1.0, 0.5, 0.25]])
    after = ledger.measure_half_lives(keep_T)
    for k in range(len(keep_T)):
        ahead = [
            n for n in range(1, len(keep_T) - k) if math.prod(keep_T[k + 1 : k + 1 + n]) <= 0.5
        ]
        assert after.longer[k] == (not ahead)
        assert after.tokens[k] == (ahead[0] if ahead else len(keep_T) - 1 - k)
    reach = 10
    halves = np.where(after.longer, 99, after.tokens)
    real = sorted(halves[: len(keep_T) - reach].tolist())
    assert ledger.median([keep_T[:, None]], reach).tokens[0] == real[(len(real) - 1) // 2]


def test_half_lives_of_a_gate_that_shuts_once_and_of_one_that_never_does() -> None:
    # one token in 20 leaves 1e-6: half-life 20 ln 2 / ln 1e6 = 1.003 by the mean, 10 in the middle
    keep_T = np.where(np.arange(400) % 20 == 0, 1e-6, 1.0)[:, None]
    assert ledger.average(keep_T).tokens[0] == pytest.approx(1.0034, abs=1e-4)
    assert ledger.median([keep_T], 40).tokens[0] == 10
    keep_TU = np.ones((50, 2))
    keep_TU[:, 1] = 0.999
    found = ledger.average(keep_TU)
    assert [found.say(u) for u in (0, 1)] == ["longer than 50", "longer than 50"]
    assert ledger.median([keep_TU], 20).say(0) == "longer than 20"
    assert ledger.measure_half_lives(keep_TU[:, 0]).say(10) == "longer than 39"
    assert np.isfinite(found.tokens).all()
    with pytest.raises(ValueError, match="no half-life"):
        ledger.constant(1.0)

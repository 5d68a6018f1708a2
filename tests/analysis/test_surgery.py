"""Surgery: edits round-trip through their text, no edit changes nothing, every short cut says what a whole
reading says; edits of heads and weights beside models whose weights are changed and sums by hand."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis import rollout, surgery
from engine.analysis.decode import draw
from engine.core.registry import models
from engine.core.tap import Edit, How
from engine.saving import redraw
from tests.conftest import diagonal, sampled, together

TEXT = "the cat sat on the mat"
RECURRENT = [id for id in models.ids() if hasattr(models.get(id), "cell")]
SIZES = {"gate.forget": (2, 12), "cell": (2, 12), "gate.input.short": (3, 7)}


def ranges(most: int) -> st.SearchStrategy[Any]:
    pair = st.tuples(st.integers(0, most - 1), st.integers(0, most - 1)).map(
        lambda p: (min(p), max(p) + 1)
    )
    return st.none() | st.integers(0, most - 1) | pair


@st.composite
def an_edit(make: Any) -> Edit:
    name = make(st.sampled_from(list(SIZES)))
    layers, units = SIZES[name]
    tokens = ranges(10**6) | st.integers(0, 10**6 - 1).map(lambda first: (first, None))
    where = {"layer": make(ranges(layers)), "unit": make(ranges(units)), "token": make(tokens)}
    how = make(st.sampled_from(How))
    low = 0.0 if how is How.SET and name.startswith("gate.") else -1000.0
    value = make(st.floats(low, 1.0 if low == 0 else 1000.0)) if how is not How.FREEZE else 0.0
    return Edit(name, {k: v for k, v in where.items() if v is not None}, value, how)


@settings(max_examples=60, deadline=None)
@given(st.lists(an_edit(), max_size=8).map(tuple))
def test_edits_come_back_from_their_text(edits: tuple[Edit, ...]) -> None:
    found, problems = surgery.read(surgery.write(edits), SIZES)
    assert found == edits and not problems
    assert surgery.words(edits)


def test_the_text_of_an_edit() -> None:
    (edit,), _ = surgery.read("gate.forget:1:3-9:5-:scale:0.5", SIZES)
    where = {"layer": 1, "unit": (3, 10), "token": (5, None)}
    assert edit == Edit("gate.forget", where, 0.5, How.SCALE)
    said = "gate.forget of units 3 to 9, layer 2 times 0.5 from token 5 on"
    assert surgery.words((edit,)) == said
    edits, problems = surgery.read(",".join(["cell:0:0:0-:set:1"] * 40), SIZES)
    assert len(edits) == surgery.MOST and "first 32" in problems[0]


@settings(max_examples=60, deadline=None)
@given(st.text() | st.text(alphabet="cel:gat.forinpu0123456789-*,sz", max_size=60))
def test_any_text_is_read(text: str) -> None:
    edits, problems = surgery.read(text, SIZES)
    assert len(edits) <= surgery.MOST
    assert surgery.read(surgery.write(edits), SIZES) == (edits, [])
    assert all(p.endswith(".") for p in problems)


BAD = """cell cell:0:0:0-:set cell:0:0:0-:set:nan cell:0:0:0-:set:1e9 cell:0:0:0-:set:inf
cell:2:0:0-:set:1 cell:0:12:0-:set:1 cell:0:9-3:0-:set:1 cell:0:3-:0-:set:1 cell:0:0:x:set:1
cell:0:0:-1:set:1 cell:0:0:0-:kill:1 cell:0:0:0-:freeze:1 gate.forget:0:0:0-:set:1.5
hidden:0:0:0-:set:1 cell:0:0:0-:set:٣ cell:0:٣:0-:set:1"""


@together("bad", BAD.split())
def test_what_is_no_edit_is_left_out_with_a_sentence(bad: str) -> None:
    edits, problems = surgery.read(f"{bad},cell:0:0:0-:set:1", SIZES)
    assert len(edits) == 1 and len(problems) == 1 and bad in problems[0]


@sampled("id", [*RECURRENT, "transformer", "bert"], each=3)
def test_an_edit_that_does_nothing_changes_exactly_nothing(id: str, trained: Any) -> None:
    model = trained(id)
    plain, recurrent = model.trace(TEXT), id in RECURRENT
    states = ("hidden:*:*:2-:scale:1", "hidden:0:3:2-9:add:0", "hidden:1:0:900-:set:1")
    heads = ("reading:0:1:*:scale:1", "attention:0:1:2:1:add:0")
    for text in ("", *(states if recurrent else heads)):
        edits, problems = surgery.read(text, surgery.operable(model))
        assert not problems
        both = surgery.compare(plain, surgery.operate(model, plain, edits))
        names = {name for name in both if name.startswith("change.")} - {"change.score"}
        assert not any(np.nan_to_num(both.field(name).values).any() for name in names)


def held(model: Any, how: str = "set:0", tokens: str = "5-") -> tuple[Edit, ...]:
    """Some units of every field that can be edited."""
    text = ",".join(f"{name}:*:2-5:{tokens}:{how}" for name in surgery.operable(model))
    edits, problems = surgery.read(text, surgery.operable(model))
    assert edits and not problems
    return edits


@diagonal("id,how", RECURRENT, ["set:0.25", "scale:0.5", "add:0.5", "freeze"])
def test_going_on_says_what_a_whole_edited_reading_says(id: str, how: str, trained: Any) -> None:
    model = trained(id)
    for tokens in ("5-", "0-6"):
        edits, last = held(model, how, tokens), None
        for text in (TEXT[:4], TEXT[:9], TEXT):
            plain, whole = model.trace(text), model.trace(text, edits)
            operated = surgery.operate(model, plain, edits)
            for found in (operated, surgery.operate(model, plain, edits, last, np.inf)):
                for name in whole:
                    got, want = (t.field(name).values for t in (found, whole))
                    np.testing.assert_allclose(got, want, atol=2e-5, err_msg=f"{name} {text}")
            last = found
            reached = int(surgery.begins(edits))
            for name in plain:  # before the first edit every number is the same
                along = plain.field(name).axis_names.index("token")
                both = (np.moveaxis(t.field(name).values, along, 0) for t in (plain, operated))
                assert np.array_equal(*(values[:reached] for values in both))


def test_a_window_goes_on_like_a_whole_reading(trained: Any, monkeypatch: Any) -> None:
    """Of a long text only the end is shown: typing and dragging there read only what is new."""
    model = trained("gru")
    edits = held(model, "set:0.25", "3-")
    before = surgery.operate(model, model.trace(TEXT, window=(8, 20)), edits)
    plain, whole = model.trace(TEXT, window=(8, 23)), model.trace(TEXT, edits)
    late = held(model, "freeze", "15-")
    expected = model.trace(TEXT, late)
    monkeypatch.setattr(type(model), "run", lambda *a: pytest.fail("the text is read again"))
    for found, right in (
        (surgery.operate(model, plain, edits, before, np.inf), whole),
        (surgery.operate(model, plain, late), expected),
    ):
        for name in plain:
            values = right.field(name).values
            want = values[..., 8:23, :] if values.ndim == 3 else values[8:23]
            np.testing.assert_allclose(found.field(name).values, want, atol=2e-5)


def test_what_is_edited_has_the_value_and_is_used(trained: Any) -> None:
    """By hand, in double precision: the steps of an LSTM with a gate held at 0.3 in its first layer."""
    model = trained("lstm")
    edits, _ = surgery.read("gate.forget:0:3:4-:set:0.3", surgery.operable(model))
    found = surgery.operate(model, model.trace(TEXT), edits)
    w = {k: v.astype(np.float64) for k, v in model.weights().items() if k != "tokenizer"}
    of = {k[15:-3]: v for k, v in w.items() if k.startswith("layers.0.fused.")}
    h = c = np.zeros(model.config.units)
    for t, id in enumerate(found.ids):
        a = of["weight_ih"] @ w["embed.weight"][id] + of["weight_hh"] @ h
        a += of["bias_ih"] + of["bias_hh"]
        i, f, g, o = np.split(a, 4)
        f = 1 / (1 + np.exp(-f))
        f[3] = 0.3 if t >= 4 else f[3]
        c = f * c + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        np.testing.assert_allclose(found.field("cell").values[0, t], c, atol=1e-5)
        np.testing.assert_allclose(found.field("hidden").values[0, t], h, atol=1e-5)


def test_two_lists_of_edits_part_where_they_first_say_different_things() -> None:
    a, b, c = (
        surgery.read(text, SIZES)[0][0]
        for text in ("cell:0:0:9-:set:1", "cell:0:0:3-:set:1", "cell:0:0:7:set:1")
    )
    assert surgery.parting((), ()) == np.inf and surgery.parting((a, b), (a, b)) == np.inf
    assert surgery.parting((a,), ()) == 9
    assert surgery.parting((a, b), (a, c)) == 3
    assert surgery.parting((a, b), (b, a)) == 3


@diagonal("id,how", RECURRENT[::2], ["set:0.25", "freeze"])
def test_what_is_written_is_what_tracing_the_growing_text_gives(
    id: str, how: str, trained: Any
) -> None:
    model = trained(id)
    edits = held(model, how) + held(model, "set:0.75", "20-30")
    end = surgery.operate(model, model.trace(TEXT), edits)
    for seed in (None, 3):
        ids = rollout.roll_out(model, end, edits, 12, seed)
        rng, text, expected = np.random.default_rng(seed), TEXT, []
        for _ in range(12):
            p_V = model.trace(text, edits).field("probability").values[-1]
            expected.append(int(p_V.argmax()) if seed is None else draw(p_V, rng))
            text += model.tokenizer.vocab[expected[-1]]
        assert ids == expected
        assert rollout.text_of(model, int(end.ids[-1]), ids) == text[len(TEXT) :]


def test_the_largest_moves_come_first_and_equal_ones_by_probability() -> None:
    plain = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]], np.float32)
    edited = np.array([[0.4, 0.1, 0.5], [0.1, 0.6, 0.3]], np.float32)
    rows = surgery.moves(plain, edited, ("a", "b", "c"), 2)
    assert rows == [[["c", 0.2, 0.5], ["b", 0.3, 0.1]], [["b", 0.6, 0.6], ["c", 0.3, 0.3]]]


def test_the_script_runs_the_model_again_with_the_edits(
    trained: Any, run_folder: Any, tmp_path: Any, monkeypatch: Any
) -> None:
    def told(figure: Any, format: str, stamp: dict[str, str]) -> bytes:
        return f"{format} of {stamp['text']}".encode()

    monkeypatch.setattr("engine.saving.export.render", told)
    model = trained("lstm")
    run_folder("lstm")
    plain, edits = model.trace(TEXT, window=(3, 15)), held(model)
    both = surgery.compare(plain, surgery.operate(model, plain, edits))
    shown = {"names": ("change.cell",), "picks": {"layer": 1}, "edits": surgery.write(edits)}
    drawn = SimpleNamespace(trace=both, view="heatmap", drawer="heatmap", **shown)
    stamp = {"run": "small-lstm", "model": "lstm", "text": TEXT}
    written = redraw.script(drawn, {"of": "a 'name'", "dark": False}, stamp)
    made: dict[str, Any] = {"__file__": str(tmp_path / "draw.py")}
    exec(compile(written, "draw.py", "exec"), made)  # noqa: S102  what a reader would run
    want = both.field("change.cell").values[1].T.ravel()
    np.testing.assert_allclose(made["figure"].frame["value"], want, atol=2e-5)
    assert (tmp_path / "figure.svg").read_text() == f"svg of {TEXT}"


@settings(max_examples=20, deadline=None)
@given(
    edits=st.lists(st.sampled_from(["set", "scale", "add", "freeze"]), min_size=1, max_size=3),
    value=st.floats(-1000, 1000),
)
def test_no_edit_makes_a_number_that_is_none(edits: list[str], value: float, trained: Any) -> None:
    """However far a memory is driven at every token, it stays a number."""
    for id in ("lstm", "rnn"):
        model = trained(id)
        field = "cell" if id == "lstm" else "preactivation"
        by = {how: "" if how == "freeze" else f":{value:.3f}" for how in edits}
        text = ",".join(f"{field}:*:*:1-:{how}{by[how]}" for how in edits)
        found, _ = surgery.read(text, surgery.operable(model))
        trace = surgery.operate(model, plain := model.trace(TEXT * 4), found)
        assert all(np.isfinite(trace.field(name).values).all() for name in plain)


@pytest.fixture(scope="module")
def model(trained: Any) -> Any:
    return trained("transformer")


def edits_of(model: Any, text: str) -> tuple[Edit, ...]:
    edits, problems = surgery.read(text, surgery.operable(model))
    assert edits and not problems
    assert surgery.write(edits) == text and surgery.words(edits)
    return edits


def test_the_text_of_edits_of_heads_and_weights(model: Any) -> None:
    c, found = model.config, surgery.operable(model)
    assert found["reading"] == found["attention"] == found["score"] == (c.layers, c.heads)
    assert found["attention.output"] == found["feed_forward.output"] == (c.layers, c.width)
    assert not {"head.output", "mask", "attention.norm.mean", "logits"} & set(found)
    one, other = edits_of(model, "reading:1:0:*:scale:0.5,score:1:0-1:5-:2:add:1.5")
    assert one == Edit("reading", {"layer": 1, "head": 0}, 0.5, How.SCALE)
    where = {"layer": 1, "head": (0, 2), "query": (5, None), "key": 2}
    assert other == Edit("score", where, 1.5, How.ADD)
    assert surgery.words((one,)) == "reading of head 1, layer 2 times 0.5 everywhere"
    said = "score of heads 1 to 2, layer 2 plus 1.5 from token 5 on, looking at token 2"
    assert surgery.words((other,)) == said
    wrong = "reading:0:2:*:scale:0 attention:0:0:1:scale:0 attention:0:0:1:1:freeze mask:0:0:set:0"
    for bad in (*wrong.split(), "score:0:0:1:x:set:0", "head.output:0:0:0:set:0"):
        edits, problems = surgery.read(f"{bad},reading:0:0:*:scale:0", surgery.operable(model))
        assert len(edits) == 1 and len(problems) == 1 and bad in problems[0]


def changed(model: Any, act: Any) -> Any:
    """A copy of the model whose weights were changed."""
    other = copy.deepcopy(model)
    with torch.no_grad():
        act(other.net.tower.blocks[1])
    return other


def test_a_head_or_a_part_that_is_off_is_one_without_weights(model: Any) -> None:
    dim = model.config.width // model.config.heads

    def silence(block: Any) -> None:
        block.attention.out.weight[:, dim : 2 * dim] = 0

    want = changed(model, silence).trace(TEXT).field("probability").values
    plain = model.trace(TEXT)
    found = surgery.operate(model, plain, edits_of(model, "reading:1:1:*:scale:0"))
    np.testing.assert_allclose(found.field("probability").values, want, atol=1e-6)
    assert np.abs(want - plain.field("probability").values).max() > 1e-5
    below, same = (trace.field("residual").values[0] for trace in (found, plain))
    np.testing.assert_array_equal(below, same)

    def silence(block: Any) -> None:
        block.feed_forward.down.weight[:] = 0
        block.feed_forward.down.bias[:] = 0

    want = changed(model, silence).trace(TEXT).field("probability").values
    off = edits_of(model, "feed_forward.output:1:*:*:scale:0")
    found = surgery.operate(model, model.trace(TEXT), off)
    np.testing.assert_allclose(found.field("probability").values, want, atol=1e-6)


def test_a_weight_alone_and_a_weight_whose_row_shares_the_rest(model: Any) -> None:
    plain = model.trace(TEXT)
    weight_TT, value_TK = (
        plain.field(name).values[0, 1].astype(float) for name in ("attention", "value")
    )
    alone, shared = weight_TT[4].copy(), weight_TT[4].copy()
    alone[2] = shared[2] = 0.0
    shared /= shared.sum()
    for text, row in (("attention:0:1:4:2:set:0", alone), ("score:0:1:4:2:set:-1000", shared)):
        found = surgery.operate(model, plain, edits_of(model, text))
        np.testing.assert_allclose(found.field("attention").values[0, 1, 4], row, atol=1e-6)
        reading_K = found.field("reading").values[0, 1, 4]
        np.testing.assert_allclose(reading_K, row @ value_TK, atol=1e-5)
        before, same = (trace.field("residual").values[:, :4] for trace in (found, plain))
        np.testing.assert_array_equal(before, same)


@diagonal("edit,more", ["", "attention:1:0:3-:1:set:0", "reading:0:*:3-:scale:0"], [-1000, -3, 9])
def test_what_is_written_afresh_is_what_tracing_gives(model: Any, edit: str, more: int) -> None:
    """Also where the text becomes longer than the model sees, or is: by `more` tokens."""
    edits = edits_of(model, edit) if edit else ()
    tokens = model.tokens(f"{TEXT} " * 40)[: max(2, model.context + more)]
    assert len(tokens) == max(2, model.context + more)
    for seed in (None, 3):
        ids = rollout.reread(model, tokens, edits, 6, seed)
        rng, now = np.random.default_rng(seed), tokens
        for id in ids:
            p_V = model.trace("", edits, tokens=now).field("probability").values[-1]
            assert id == (int(p_V.argmax()) if seed is None else draw(p_V, rng))
            labels = (*now.labels, model.tokenizer.vocab[id])
            now = type(now)(np.append(now.ids, id), labels, (*now.spans, (0, 0)))


@diagonal("part,layer", ["attention", "feed_forward"], [0, 1])
def test_norms_and_residual_connections_switched_off(model: Any, part: str, layer: int) -> None:
    """Beside a copy whose norm is an identity, and one in which what goes past the part is taken off behind it."""
    norm = "norm_1" if part == "attention" else "norm_2"
    plain = model.trace(TEXT)
    (edit,) = edits_of(model, f"{part}.norm:{layer}:*:*:scale:0")
    other = copy.copy(model)
    other.net = copy.deepcopy(model.net)
    setattr(other.net.tower.blocks[layer], norm, torch.nn.Identity())
    found = surgery.operate(model, plain, (edit,))
    same(found, other.trace(TEXT, fields=("probability",)))
    said = f"{part}.norm of all units, layer {layer + 1} times 0 everywhere"
    assert surgery.words((edit,)) == said

    (edit,) = edits_of(model, f"{part}.skip:{layer}:*:*:scale:0")
    other.net = copy.deepcopy(model.net)
    block, past = other.net.tower.blocks[layer], list[torch.Tensor]()
    getattr(block, norm).register_forward_pre_hook(lambda _, given: past.append(given[0]))
    calls: list[int] = []

    def without(_: Any, __: Any, y: torch.Tensor) -> torch.Tensor:
        calls.append(0)
        return y - past[-1] if (len(calls) == 1) == (part == "attention") else y

    block.dropout.register_forward_hook(without)
    same(surgery.operate(model, plain, (edit,)), other.trace(TEXT, fields=("probability",)))

    (edit,) = edits_of(model, f"{part}.skip:{layer}:*:3-:scale:0.5")
    found = surgery.operate(model, plain, (edit,))
    before, after = (x.field("probability").values for x in (plain, found))
    assert before[:3] == pytest.approx(after[:3], abs=1e-6)
    assert abs(before[3:] - after[3:]).max() > 1e-4


def same(found: Any, other: Any) -> None:
    got, want = (trace.field("probability").values for trace in (found, other))
    assert got == pytest.approx(want, rel=1e-3, abs=1e-6)

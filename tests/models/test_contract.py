"""Contract: what holds for every model in the folder, on any text.  A new model is tested here
without being named; each promise is a function, which says in its name what did not hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.registry import models
from engine.core.tap import Edit, Recorder
from engine.core.trace import AXES, Field, FieldSpec, Kind, Table, TableSpec, Trace
from tests.conftest import behind_a_source, together

IDS = models.ids()
SENTENCE = "the old cat saw the dog"
ODD = {
    "empty": "",
    "space": " ",
    "line ends": "\n\n\n",
    "emoji": "a 👩‍👩‍👧‍👦 and 🏳️‍🌈 sat",
    "right to left": "שלום the عالم cat",
    "combining": "e\u0301 o\u0308\u0323 \u0301",
    "control": "a\x00b\x07c\x1b[31m\x7f\ufeff",
    "markup": "<script>alert('x')</script> & <b>the</b>",
    "long": ("the cat sat on the mat " * 250)[:5000],
    "one long word": "x" * 3000,
    "surrogate": "a \ud800 b",
    "tabs": "the\tcat\r\nsat",
}

Trained = Callable[[str], Any]


def same(a: Trace, b: Trace) -> None:
    assert a.tokens == b.tokens and list(a) == list(b)
    for name in a:
        one, other = a[name], b[name]
        if isinstance(one, Field) and isinstance(other, Field):
            np.testing.assert_array_equal(one.values, other.values, err_msg=str(name))
        elif isinstance(one, Table) and isinstance(other, Table):
            for column in one.columns:
                np.testing.assert_array_equal(
                    one.columns[column], other.columns[column], err_msg=f"{name}.{column}"
                )


def sentence(model: Any) -> str:
    return behind_a_source(model, SENTENCE)


def fields(trace: Trace) -> dict[str, Field]:
    return {name: f for name, f in trace.items() if isinstance(f, Field)}


def along(field: Field) -> tuple[int, ...]:
    """The dimensions of a field that run along the text."""
    return tuple(i for i, a in enumerate(field.axis_names) if a in ("token", "query", "key"))


def card_and_config_are_whole(id: str, trained: Trained) -> None:
    model = models.get(id)
    assert model.card.id == id
    assert model.card.title and model.card.source and 1900 < model.card.year < 2100
    config = model.config_type()
    for f in config.__dataclass_fields__.values():
        assert f.metadata.get("says"), f"{id}.{f.name} has no sentence for the reader"
        value = getattr(config, f.name)
        if "min" in f.metadata:
            assert f.metadata["min"] <= value <= f.metadata["max"], (
                f"{id}.{f.name}: the default is out of its own range"
            )


def the_promise_is_well_formed(id: str, trained: Trained) -> None:
    """And what can be asked of the class, before a model is opened, is what the opened one does."""
    model = trained(id)
    spec = model.spec()
    causal = {s.name for s in spec if isinstance(s, FieldSpec) and s.causal}
    assert type(model).foretells == ("probability" in causal) and model.tokenizer.vocab
    names = [s.name for s in spec]
    assert names and len(set(names)) == len(names)
    for s in spec:
        assert s.says[:1].isupper() and s.says.rstrip().endswith("."), (
            f"{s.name}: {s.says!r} is not a sentence"
        )
        if isinstance(s, FieldSpec):
            assert set(s.axes) <= AXES and isinstance(s.kind, Kind)


def the_promise_is_kept(id: str, trained: Trained) -> None:
    """`trace` raises when spec and taps disagree; here also order, sizes and labels."""
    model = trained(id)
    trace = model.trace(sentence(model))
    assert list(trace) == [s.name for s in model.spec()]
    for s in model.spec():
        found = trace[s.name]
        if isinstance(s, TableSpec):
            assert isinstance(found, Table) and len({len(c) for c in found.columns.values()}) == 1
        else:
            assert isinstance(found, Field)
            assert not found.values.flags.writeable
            assert found.values.dtype == np.float32
            for axis in found.axes:
                if axis.name in ("token", "query", "key"):
                    assert axis.labels == trace.tokens
    assert len(trace.ids) == len(trace.tokens) == len(trace.spans)
    if "probability" in trace:  # what comes next, of all that there is
        field = trace.field("probability")
        assert field.axis_names == ("token", "next") and field.spec.kind is Kind.PROBABILITY
        assert len(field.axis("next")) == len(model.tokenizer.vocab)


def any_text_gives_sound_numbers(id: str, trained: Trained) -> None:
    model = trained(id)
    for odd, text in (ODD | {"long": behind_a_source(model, ODD["long"])}).items():
        cut = len(text) > 1000 and model.context is None
        trace = model.trace(text, window=(0, 40) if cut else None)
        for field in fields(trace).values():
            assert not field.problems(), odd
        for start, stop in trace.spans:
            assert 0 <= start <= stop <= len(text), odd
        assert odd != "long" or trace.total >= 1000


@given(text=st.text(max_size=30))
@settings(max_examples=15, deadline=None)
def no_text_breaks_an_invariant(id: str, trained: Trained, text: str) -> None:
    trace = trained(id).trace(text)
    assert not [p for field in fields(trace).values() for p in field.problems()]
    assert all(text[a:b] for a, b in trace.spans if a < b)


def saved_and_loaded_is_the_same_model(id: str, trained: Trained) -> None:
    from safetensors.numpy import load, save

    model = trained(id)
    weights = load(save({k: np.ascontiguousarray(v) for k, v in model.weights().items()}))
    again = type(model).from_weights(model.config, weights)
    same(model.trace(sentence(model)), again.trace(sentence(model)))
    same(model.parameters(), again.parameters())


def half_precision_is_close(id: str, trained: Trained) -> None:
    """Shipped runs are stored as float16; no number of a trace moves by more than a hundredth."""
    model = trained(id)
    half = {
        k: v.astype(np.float16) if v.dtype == np.float32 else v for k, v in model.weights().items()
    }
    other = type(model).from_weights(model.config, half).trace(sentence(model))
    for name, field in fields(model.trace(sentence(model))).items():
        if field.spec.kind is not Kind.SCORE:
            scale = max(1.0, float(np.abs(field.values).max(initial=0)))
            np.testing.assert_allclose(
                other.field(name).values, field.values, atol=0.01 * scale, err_msg=name
            )


def looking_changes_nothing(id: str, trained: Trained) -> None:
    model = trained(id)
    before, weights = (
        model.trace(sentence(model)),
        {k: v.copy() for k, v in model.weights().items()},
    )
    model.trace("something else entirely", _edits(before))
    same(before, model.trace(sentence(model)))
    after = model.weights()
    for name, array in weights.items():
        np.testing.assert_array_equal(array, after[name], err_msg=name)


def _edits(trace: Trace) -> tuple[Edit, ...]:
    """One edit for each field along the text: the last number of its second token set to 0.25, a
    count to 9."""
    made = []
    for name, f in fields(trace).items():
        inside = along(f)
        if inside and all(f.values.shape) and not f.spec.derived:
            where = {
                a: 1 if i in inside else len(f.axes[i]) - 1 for i, a in enumerate(f.axis_names)
            }
            made.append(Edit(name, where, 9.0 if f.spec.kind is Kind.COUNT else 0.25))
    return tuple(made)


def no_edit_equals_an_edit_that_sets_what_is_there(id: str, trained: Trained) -> None:
    """The watched and the edited route through a model compute the same numbers."""
    model = trained(id)
    plain = model.trace(sentence(model))
    for edit in _edits(plain):
        f = plain.field(edit.name)
        there = float(f.values[tuple(edit.where[a] for a in f.axis_names)])
        other = model.trace(sentence(model), (Edit(edit.name, edit.where, there),))
        for name, field in fields(plain).items():
            np.testing.assert_allclose(
                other.field(name).values,
                field.values,
                rtol=1e-4,
                atol=1e-5,
                err_msg=f"{edit.name}: {name}",
            )


def an_edit_is_seen_and_changes_what_follows(id: str, trained: Trained) -> None:
    """Setting a number shows it; setting each of an early field's numbers moves a number that comes
    later."""
    model = trained(id)
    plain = model.trace(sentence(model))
    moved = []
    for edit in _edits(plain):
        other = model.trace(sentence(model), (edit,))
        f = other.field(edit.name)
        assert f.values[tuple(edit.where[a] for a in f.axis_names)] == np.float32(edit.to), (
            edit.name
        )
        later = [
            name
            for name, g in fields(plain).items()
            if name != edit.name and not np.array_equal(g.values, other.field(name).values)
        ]
        if later:
            moved.append(edit.name)
        for name, g in fields(plain).items():
            if g.spec.causal:  # what comes before the edited token stays
                np.testing.assert_allclose(
                    _first(other.field(name), 1), _first(g, 1), rtol=1e-4, atol=1e-5, err_msg=name
                )
    assert moved, "no edit changes anything: the taps are not on the path"


def _first(field: Field, n: int) -> np.ndarray:
    return field.values[
        tuple(slice(n) if i in along(field) else slice(None) for i in range(field.values.ndim))
    ]


GROWING = [
    ("the cat sat", ("the cat ran to the sea", "the cat sat?", "the cat sat on the mat")),
    ("the the", ("the the cat",)),
]
WITH_SOURCE = [
    ("the cat sat => the old dog", ("the dog ran => the old dog sat", "a cat => the old dog"))
]


def a_field_that_says_causal_does_not_look_ahead(id: str, trained: Trained) -> None:
    """What a trace shows of a token stays when more is typed; what says that it does not stay is
    really moved by a later token."""
    model, moved = trained(id), set[str]()
    source = model.tokens("the cat").source is not None
    for text, longer in GROWING + (WITH_SOURCE if source else []):
        whole = model.trace(text, (), window=(0, 12))
        for other in (model.trace(more, (), window=(0, 12)) for more in longer):
            shared = _shared(whole, other)
            assert shared > (not source)
            for name, field in fields(whole).items():
                apart = _apart(field, other.field(name), shared)
                if field.spec.causal:
                    assert apart < 1e-4, f"{name} of {text!r} changed with {other.text!r}"
                elif apart > 1e-5:
                    moved.add(name)
    promised = {s.name for s in model.spec() if isinstance(s, FieldSpec) and not s.causal}
    assert moved == promised, "these are never moved by what follows them"


def _shared(one: Trace, other: Trace) -> int:
    """How many leading tokens are the same; an unknown word is spelled."""
    pairs = zip(
        zip(one.ids, one.tokens, strict=True),
        zip(other.ids, other.tokens, strict=True),
        strict=False,
    )
    return next(
        (i for i, (x, y) in enumerate(pairs) if x != y), min(len(one.tokens), len(other.tokens))
    )


def _apart(a: Field, b: Field, shared: int) -> float:
    """How far the numbers at the first tokens are from each other, as a share of the largest of
    them; infinite where something else than nothing stands in the columns of later tokens.  A field
    without an axis along the text is compared as a whole."""
    inside = along(a)
    rows = [np.moveaxis(f.values, inside[0], 0)[:shared] if inside else f.values for f in (a, b)]
    if len(inside) > 1:
        nothing = -np.inf if a.spec.kind is Kind.SCORE else 0.0
        columns = [np.moveaxis(row, inside[1], 1) for row in rows]
        if any((part[:, shared:] != nothing).any() for part in columns):
            return np.inf
        rows = [part[:, :shared] for part in columns]
    if rows[0].shape != rows[1].shape:
        return np.inf
    one, two = (np.nan_to_num(part, neginf=0.0) for part in rows)
    largest = max(1e-3, float(np.abs(one).max(initial=0)))
    return float(np.abs(one - two).max(initial=0)) / largest


def window_and_fields_give_the_numbers_of_the_whole(id: str, trained: Trained) -> None:
    model = trained(id)
    text = behind_a_source(model, SENTENCE[:16])
    whole = model.trace(text)
    assert model.context is None or whole.total <= model.context
    for window in ((0, 2), (1, 3), (2, whole.total), (whole.total - 1, whole.total)):
        start, stop = window
        part = model.trace(text, window=window)
        assert part.tokens == whole.tokens[start:stop]
        assert part.offset == start
        assert part.total == whole.total
        for name, field in fields(whole).items():
            index = tuple(
                slice(*window) if i in along(field) else slice(None)
                for i in range(field.values.ndim)
            )
            np.testing.assert_allclose(
                part.field(name).values,
                field.values[index],
                rtol=1e-4,
                atol=1e-5,
                err_msg=f"{name} {window}",
            )
    assert len(model.trace(SENTENCE, window=(900, 950))) == 0, "outside the text"
    for name in whole:
        only = model.trace(text, fields=(str(name),))
        assert list(only) == [name]
        if isinstance(whole[name], Field):
            np.testing.assert_allclose(
                only.field(str(name)).values, whole.field(str(name)).values, rtol=1e-4, atol=1e-5
            )


def a_tap_that_is_not_promised_raises(id: str, trained: Trained) -> None:
    model = trained(id)
    tokens = model.tokens(sentence(model))[:4]
    recorder = Recorder()
    model.run(tokens, recorder)
    recorder("surprise", np.zeros(4, np.float32), ("token",))
    with pytest.raises(LookupError, match="surprise"):
        recorder.fields(model.spec(), model.labels(tokens))


def parameters_are_a_trace_of_no_text(id: str, trained: Trained) -> None:
    model = trained(id)
    found = model.parameters()
    assert list(found) == [s.name for s in model.parameters_spec()] and len(found)
    assert found.text == "" and not found.tokens
    for name, field in fields(found).items():
        assert not field.problems(), name
        assert field.spec.says.endswith(".") and not along(field), name
        assert not field.values.flags.writeable, name
    # with the numbers that the weights hold, none of them lost: each array of the same name
    arrays, shown = model.weights(), fields(found)
    for name in arrays.keys() & shown.keys():
        np.testing.assert_array_equal(
            shown[name].values.ravel(), np.asarray(arrays[name], np.float32).ravel(), err_msg=name
        )
    one = next(iter(found))
    assert list(model.parameters((one,))) == [one]
    same(found, model.parameters())


GOLDEN = {
    "lstm": "gate.input gate.forget candidate gate.output cell hidden probability",
    "transformer": "query key value score attention residual probability",
    "gru": "gate.update gate.reset candidate hidden probability",
}
AXES_OF = {"lstm": ("layer", "token", "unit"), "gru": ("layer", "token", "unit")}


def names_of_fields_are_public(id: str, trained: Trained) -> None:
    """Names and axes of section 6 of the design: scripts depend on them."""
    spec = {s.name: s for s in trained(id).spec()}
    named = GOLDEN.get(id, "").split()
    assert set(named) <= set(spec)
    for name in named:
        if name != "probability" and id in AXES_OF:
            assert spec[name].axes == AXES_OF[id]
    if "attention" in named:
        assert spec["attention"].axes == ("layer", "head", "query", "key")


PROMISES = (
    card_and_config_are_whole,
    the_promise_is_well_formed,
    the_promise_is_kept,
    any_text_gives_sound_numbers,
    no_text_breaks_an_invariant,
    saved_and_loaded_is_the_same_model,
    half_precision_is_close,
    looking_changes_nothing,
    no_edit_equals_an_edit_that_sets_what_is_there,
    an_edit_is_seen_and_changes_what_follows,
    a_field_that_says_causal_does_not_look_ahead,
    window_and_fields_give_the_numbers_of_the_whole,
    a_tap_that_is_not_promised_raises,
    parameters_are_a_trace_of_no_text,
    names_of_fields_are_public,
)


def keeps_its_promises(id: str, trained: Trained) -> None:
    """Each is tried, and all that are not kept are named."""

    @together("promise", PROMISES)
    def each(promise: Callable[[str, Trained], None]) -> None:
        promise(id, trained)

    each()


@pytest.mark.parametrize("id", IDS)
def test_a_kind_of_model_keeps_its_promises(id: str, trained: Trained) -> None:
    keeps_its_promises(id, trained)


def test_there_are_language_models() -> None:
    assert {"lstm", "transformer"} <= {id for id in IDS if models.get(id).foretells}

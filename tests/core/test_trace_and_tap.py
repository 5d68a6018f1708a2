"""Trace and tap: what a number is called, where it lies, and what may be done to it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from engine.core.labels import WRITTEN, numbered
from engine.core.tap import Edit, Recorder, passthrough
from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, TableSpec, Trace
from tests.conftest import together

GATE = FieldSpec("gate", Kind.GATE, ("layer", "token", "unit"), "A gate.")


def field(values: np.ndarray, kind: Kind = Kind.STATE, *axes: str) -> Field:
    spec = FieldSpec("f", kind, axes, "Some numbers.")
    return Field(
        spec,
        values,
        tuple(Axis(a, tuple(map(str, range(n)))) for a, n in zip(axes, values.shape, strict=True)),
    )


def test_axes_come_from_the_closed_list() -> None:
    with pytest.raises(ValueError, match="no axis"):
        FieldSpec("f", Kind.STATE, ("neuron",), "Not an axis.")


def test_sizes_must_agree() -> None:
    with pytest.raises(ValueError, match="values"):
        Field(
            FieldSpec("f", Kind.STATE, ("token",), "Some."),
            np.zeros(3, np.float32),
            (Axis("token", ("a", "b")),),
        )


def test_a_field_is_read_only_and_its_source_is_not() -> None:
    values = np.zeros((2, 3), np.float32)
    f = field(values, Kind.STATE, "token", "unit")
    with pytest.raises(ValueError, match="read-only"):
        f.values[0, 0] = 1
    values[0, 0] = 1
    assert values.flags.writeable


def test_pick_takes_a_slice_and_its_axis_away() -> None:
    f = field(np.arange(6, dtype=np.float32).reshape(2, 3), Kind.STATE, "token", "unit")
    assert f.pick(token=1).values.tolist() == [3, 4, 5] and f.pick(token=1).axis_names == ("unit",)
    with pytest.raises(KeyError, match="head"):
        f.pick(head=0)


def test_frame_has_a_row_per_number() -> None:
    frame = field(np.array([[1, 2], [3, 4]], np.float32), Kind.STATE, "token", "unit").frame()
    assert frame["value"].tolist() == [1, 2, 3, 4]
    assert frame["token"].tolist() == [0, 0, 1, 1]
    assert frame["unit_label"].tolist() == ["0", "1", "0", "1"]


BROKEN = {
    Kind.PROBABILITY: [[0.5, 0.4]],
    Kind.ATTENTION: [[1.5, -0.5]],
    Kind.GATE: [[0.5, 1.1]],
    Kind.COSINE: [[-1.1, 0]],
    Kind.COUNT: [[-1, 0]],
    Kind.LOSS: [[-0.1, 0]],
    Kind.STATE: [[np.nan, 0]],
    Kind.GRADIENT: [[np.inf, 0]],
    Kind.SCORE: [[np.inf, 0]],
}


@together("kind", Kind)
def test_each_kind_knows_what_is_not_sound(kind: Kind) -> None:
    assert field(np.array(BROKEN[kind], np.float32), kind, "token", "next").problems()
    assert not field(np.array([[0.25, 0.75]], np.float32), kind, "token", "next").problems()
    assert not field(np.zeros((0, 2), np.float32), kind, "token", "next").problems()


def test_a_forbidden_score_is_sound() -> None:
    assert not field(np.array([[-np.inf, 0]], np.float32), Kind.SCORE, "query", "key").problems()


def test_a_trace_names_what_it_has() -> None:
    table = Table(TableSpec("t", ("a",), "Rows."), {"a": np.zeros(2)})
    trace = Trace("x", ("x",), (field(np.zeros(1, np.float32), Kind.STATE, "token"), table))
    assert list(trace) == ["f", "t"] and len(trace) == 2 and trace.size_bytes == 4
    with pytest.raises(KeyError, match="no field 'g'; this trace has f, t"):
        trace["g"]
    with pytest.raises(TypeError, match="is a table"):
        trace.field("t")
    with pytest.raises(ValueError, match="promised columns"):
        Table(TableSpec("t", ("a", "b"), "Rows."), {"a": np.zeros(2)})


def test_passthrough_returns_the_very_same() -> None:
    value = np.ones(3)
    assert passthrough.at(layer=1)("f", value, ("token",)) is value
    assert passthrough.in_loop("f", ("token",)) is None
    assert not passthrough.wants("f") and not passthrough.edits("f")
    passthrough.table("t", lambda: pytest.fail("nobody looks: the table need not be made"))


def test_a_loop_index_becomes_an_axis() -> None:
    recorder = Recorder()
    for layer in (1, 0):  # in any order
        recorder.at(layer=layer)(
            "gate", np.full((1, 2, 3), layer, np.float32), ("batch", "token", "unit")
        )
    (found,) = recorder.fields([GATE], {"token": ("a", "b")})
    assert isinstance(found, Field)
    assert found.values[:, 0, 0].tolist() == [0, 1] and found.axis("token").labels == ("a", "b")
    assert found.axis("layer").labels == ("0", "1")


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_an_edit_is_a_copy(library: str) -> None:
    if library == "torch":
        import torch

        value = torch.zeros(1, 4, 3)
    else:
        value = np.zeros((1, 4, 3))
    recorder = Recorder(
        [Edit("gate", {"layer": 0, "token": 2, "unit": 1}, 1.0), Edit("gate", {"layer": 1}, 0.5)]
    )
    out = recorder.at(layer=0)("gate", value, ("batch", "token", "unit"))
    assert out[0, 2, 1] == 1 and out.sum() == 1 and value.sum() == 0
    assert recorder.at(layer=1)("gate", value, ("batch", "token", "unit")).sum() == 6
    assert recorder.at(layer=2)("gate", value, ("batch", "token", "unit")) is value


def test_an_edit_beyond_the_text_changes_nothing_one_on_a_foreign_axis_raises() -> None:
    value = np.zeros((2, 3))
    assert Edit("g", {"token": 9}, 1.0).apply(value, ("token", "unit"), {}) is value
    with pytest.raises(KeyError, match="head"):
        Edit("g", {"head": 0}, 1.0).apply(value, ("token", "unit"), {})


def test_an_edit_counts_tokens_of_the_whole_text() -> None:
    """A run that begins at token 5 holds token 6 at its place 1."""
    recorder = Recorder([Edit("g", {"token": 6}, 1.0)], origin=5)
    assert recorder("g", np.zeros(3), ("token",)).tolist() == [0, 1, 0]
    change = recorder.in_loop("g", ("unit",))
    assert change
    assert change(1, np.zeros(2), np.zeros(2)).tolist() == [1, 1]
    assert not change(0, np.zeros(2), np.zeros(2)).any()


def test_a_window_cuts_all_axes_along_the_text() -> None:
    recorder = Recorder(window=(1, 3))
    recorder("a", np.arange(16.0).reshape(4, 4), ("query", "key"))
    (found,) = recorder.fields([FieldSpec("a", Kind.STATE, ("query", "key"), "Pairs.")], {})
    assert isinstance(found, Field)
    assert found.values.tolist() == [[5, 6], [9, 10]]


def test_only_what_is_asked_for_is_kept_but_all_must_be_tapped() -> None:
    recorder = Recorder(fields={"a"})
    recorder("a", np.zeros(2), ("token",)), recorder("b", np.zeros(2), ("token",))
    spec = [FieldSpec(n, Kind.STATE, ("token",), "Some.") for n in ("a", "b")]
    assert [f.spec.name for f in recorder.fields(spec, {})] == ["a"]
    with pytest.raises(LookupError, match=r"promised but not tapped: \['c'\]"):
        recorder.fields([*spec, FieldSpec("c", Kind.STATE, ("token",), "Some.")], {})
    with pytest.raises(LookupError, match=r"tapped but not promised: \['b'\]"):
        recorder.fields(spec[:1], {})
    with pytest.raises(LookupError, match="promised axes"):
        recorder.fields([FieldSpec("a", Kind.STATE, ("unit",), "Some."), spec[1]], {})


def test_a_million_labels_take_no_room_and_read_as_texts() -> None:
    tracemalloc.start()
    try:
        many = numbered(1_000_003)
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert used < 100_000 and len(many) == 1_000_003
    assert (many[0], many[-1], many[7:9]) == ("0", "1000002", ("7", "8"))
    for size in (0, 3, WRITTEN, WRITTEN + 1, 3 * WRITTEN):
        plain, made = tuple(map(str, range(size))), numbered(size)
        assert made == plain and plain == made and tuple(made) == plain
        assert hash(made) == hash(plain) and made[1:] == plain[1:] and made[-5000:] == plain[-5000:]
    assert numbered(WRITTEN + 1) != (*map(str, range(WRITTEN)), "x") != numbered(WRITTEN + 2)

"""Numbers in 8 bits and fewer: off by half a scale at most, nothing lost, and no model knows of
it."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from engine.core.registry import models
from engine.runs.store import Recipe, RunStore, digest
from engine.storage import quantised
from engine.storage.arrays import read_arrays, write_arrays
from engine.storage.run_folder import SNAPSHOTS, WEIGHTS
from engine.training.fit import fit
from engine.training.trial import problem
from tests.conftest import TEXT, small

WIDE = quantised.NARROW
SHAPES = st.one_of(
    st.tuples(st.integers(0, 4), st.integers(WIDE, WIDE + 5)),
    st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(WIDE, WIDE + 2)),
    arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
)
NUMBERS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(arrays_of.arrays(np.float32, SHAPES, elements=NUMBERS))
def test_a_number_is_off_by_half_a_scale_at_most(x: np.ndarray) -> None:
    packed = quantised.pack({"before": np.arange(3), "x": x, "after": np.array([True])})
    back = quantised.unpack(packed)
    assert list(back) == ["before", "x", "after"] and back["x"].shape == x.shape
    assert np.array_equal(back["before"], np.arange(3))
    assert back["before"].dtype == np.int64
    assert back["after"].dtype == bool
    assert np.all(np.isfinite(back["x"]))
    assert not back["x"][x == 0].any()
    if "x#int8" in packed:
        assert (
            packed["x#int8"].dtype == np.int8
            and back["x"].dtype == np.float32
            and back["x"].base is None
        )
        off = (
            np.abs(back["x"].astype(np.float64) - x)
            / packed["x#scale"].astype(np.float64)[..., None]
        )
        assert off.size == 0 or off.max() <= 0.5 + 1e-4  # and the rounding of float32 itself
    else:
        assert x.ndim < 2 or x.shape[-1] < WIDE
        assert np.array_equal(back["x"], x.astype(back["x"].dtype)), (
            "in float16 where that holds them, else as they were"
        )
        assert back["x"].dtype == (np.float16 if np.abs(x).max(initial=0) <= 65504 else np.float32)


@pytest.mark.parametrize(
    ("most", "x", "codes", "scale", "off"),
    [
        (
            quantised.most_of(8),
            [0.913, -0.356, 0.124, -1.27, 0.507],
            [91, -36, 12, -127, 51],
            0.01,
            0.004,
        ),
        (
            quantised.most_of(4),
            [0.9, -0.35, 0.12, -1.27, 0.5],
            [5, -2, 1, -7, 3],
            1.27 / 7,
            0.061429,
        ),
    ],
)
def test_codes_as_specified(
    most: int, x: list[float], codes: list[int], scale: float, off: float
) -> None:
    """language_models T34: one scale, that of the largest number."""
    row = np.array([x], np.float32)
    found, code = quantised.rounded(row, most, np.array([1.0], np.float32))
    assert code[0].tolist() == codes and found[0] == pytest.approx(scale)
    assert np.abs(code * found[:, None] - row).max() == pytest.approx(off, abs=1e-6)
    assert off <= scale / 2


@pytest.mark.parametrize(
    ("numbers", "bits", "most", "gain"), [("int6", 6, 31, 1.0), ("int4", 4, 7, 0.95)]
)
def test_fewer_bits_leave_no_more_squares_than_the_largest_number_asks_for(
    numbers: str, bits: int, most: int, gain: float
) -> None:
    x = np.random.default_rng(0).standard_t(5, (3, 40, 24)).astype(np.float32)
    x[1, 2] = 0
    packed = quantised.pack({"x": x}, numbers)
    assert (
        packed[f"x#{numbers}"].nbytes == x.size * bits // 8
        and packed[f"x#{numbers}"].dtype == np.uint8
    )
    back, scale = quantised.unpack(packed)["x"], np.abs(x).max(-1, keepdims=True) / most
    plain = np.rint(np.divide(x, scale, out=np.zeros_like(x), where=scale > 0)) * scale
    ours, theirs = (np.square(y - x).sum(-1) for y in (back, plain))
    assert (ours <= theirs * (1 + 1e-5)).all()
    assert ours.sum() < gain * theirs.sum()
    assert not back[1, 2].any()
    whole = back / packed["x#scale"][..., None]
    np.testing.assert_allclose(whole, np.rint(whole), atol=1e-4)
    assert np.abs(whole).max() <= most + 1e-4
    inside = np.abs(x) < most * packed["x#scale"][..., None]
    assert (np.abs(back - x) <= 0.5001 * packed["x#scale"][..., None])[inside].all(), (
        "what is not cut is off by half a scale at most"
    )
    for width, kind in ((22, "int4" if bits == 4 else "int8"), (21, "int8")):
        odd = quantised.pack({"x": x[..., :width]}, numbers)
        assert f"x#{kind}" in odd and quantised.unpack(odd)["x"].shape == (3, 40, width), (
            "rows that do not fill bytes take 8 bits"
        )
    with pytest.raises(ValueError, match="without the scale"):
        quantised.unpack(
            {f"x#{numbers}": packed[f"x#{numbers}"].astype(np.int8), "x#scale": packed["x#scale"]}
        )


def test_how_several_numbers_lie_in_a_byte() -> None:
    row = np.zeros((1, WIDE), np.float32)
    row[0, :4] = 7, -7, 1, 0  # the scale is 1 for most 7, and no cut does better
    assert quantised.pack({"x": row}, "int4")["x#int4"][0, :3].tolist() == [
        15 | 1 << 4,
        9 | 8 << 4,
        8 | 8 << 4,
    ]
    # 27 is 59 = 0b111011 with 32 added: its bits 11, 10, 11 from the low end on top of the three
    row[0, :4] = (31, -31, 2, 27)
    assert quantised.pack({"x": row}, "int6")["x#int6"][0, :3].tolist() == [
        63 | 0b11 << 6,
        1 | 0b10 << 6,
        34 | 0b11 << 6,
    ]
    assert quantised.unpack(quantised.pack({"x": row}, "int6"))["x"][0, :4].tolist() == [
        31,
        -31,
        2,
        27,
    ]


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
def test_what_8_bits_cannot_hold_is_refused(odd: float) -> None:
    x = np.ones((2, WIDE), np.float32)
    x[1, 3] = odd
    with pytest.raises(ValueError, match=r"^head\.weight holds a number that is infinite"):
        quantised.stored({"head.weight": x}, "int8")
    assert quantised.stored({"x": x}, "float32")["x"] is x
    assert np.array_equal(quantised.stored({"bias": x[1]}, "int8")["bias"], x[1], equal_nan=True)


@pytest.mark.parametrize(
    "scale", [None, np.ones(3, np.float32), np.ones(2, np.float64), np.ones((2, 1), np.float32)]
)
def test_numbers_without_their_scale_are_said(scale: np.ndarray | None, tmp_path: Path) -> None:
    arrays = {
        "x#int8": np.ones((2, WIDE), np.int8),
        **({} if scale is None else {"x#scale": scale}),
    }
    write_arrays(tmp_path / "a", arrays)
    with pytest.raises(ValueError, match="x#int8 is without the scale of its rows"):
        quantised.read(tmp_path / "a")
    with pytest.raises(ValueError, match="without the scale"):
        quantised.unpack(
            {"x#int8": np.ones((2, WIDE), np.uint8), "x#scale": np.ones(2, np.float32)}
        )
    with pytest.raises(ValueError, match="without the scale"):
        quantised.unpack({"x#int8": np.array(1, np.int8), "x#scale": np.array(1, np.float32)})
    assert list(quantised.unpack({"x#scale": np.ones(2)})) == ["x#scale"], (
        "a name like any other where no table has it"
    )


def test_a_run_in_8_bits_is_the_model_that_was_trained(tmp_path: Path) -> None:
    """The finished one and its snapshots, against the same training in float32; smaller, and the
    parcel's check takes it."""
    made = Recipe(
        "transformer", small(models.get("transformer"), width=32, steps=6), digest(TEXT), 0
    )
    for numbers in ("float32", "int8"):
        for _ in fit(tmp_path / numbers, made, TEXT, numbers=numbers, snapshots=2):
            pass
    store = RunStore(tmp_path)
    plain, packed = (store.find(numbers) for numbers in ("float32", "int8"))
    assert (packed.folder / WEIGHTS).stat().st_size < 0.5 * (plain.folder / WEIGHTS).stat().st_size
    for step in (None, *plain.snapshots):
        a, b = store.load(plain.at(step)), store.load(packed.at(step))
        raw = read_arrays(
            packed.folder / (WEIGHTS if step is None else f"{SNAPSHOTS}/{step:08d}.safetensors")
        )
        before, after = a.weights(), b.weights()
        assert before.keys() == after.keys() and any(name.endswith("#int8") for name in raw)
        for name, values in before.items():
            assert after[name].dtype == values.dtype
            if f"{name}#scale" in raw:
                assert np.all(
                    np.abs(after[name] - values) <= 0.5001 * raw[f"{name}#scale"][..., None]
                ), name
            else:
                np.testing.assert_allclose(after[name], values, rtol=1e-3, atol=1e-7, err_msg=name)
        p, q = (m.trace("the old cat").field("probability").values for m in (a, b))
        assert not np.array_equal(p, q) and np.abs(p - q).max() < 0.02
    assert problem(packed.folder) == ""
    assert plain.note["held_out"] != packed.note["held_out"], "measured on what is stored"
    write_arrays(
        packed.folder / WEIGHTS,
        {
            k: v
            for k, v in read_arrays(packed.folder / WEIGHTS).items()
            if k != "embed.weight#scale"
        },
    )
    assert "without the scale" in problem(packed.folder)
    with pytest.raises(ValueError, match=r"can't be opened.*without the scale"):
        store.load(packed)


def test_only_what_is_in_8_bits_is_brought_into_memory(tmp_path: Path) -> None:
    file = tmp_path / "a"
    write_arrays(
        file,
        quantised.stored(
            {
                "table": np.ones((3, WIDE), np.float32),
                "bias": np.ones(4, np.float32),
                "counts": np.arange(9),
            },
            "int8",
        ),
    )
    found = quantised.read(file)
    assert found["table"].base is None
    assert found["bias"].base is not None
    assert found["counts"].base is not None


def test_long_rows_of_bytes_are_compressed() -> None:
    """The words of a tokenizer; what is short, or no bytes, lies as it is."""
    words = np.frombuffer(json.dumps([f"word{n}" for n in range(5000)]).encode(), np.uint8)
    rows = {
        "tokenizer": words,
        "names": words[:100],
        "counts": np.arange(5000, dtype=np.uint32),
        "table": np.zeros((100, 100), np.uint8),
    }
    packed = quantised.pack(rows)
    assert (
        packed["tokenizer#xz"].size < words.size / 4
        and lzma.decompress(packed["tokenizer#xz"].tobytes()) == words.tobytes()
    )
    assert packed.keys() == {"tokenizer#xz", "names", "counts", "table"}
    back = quantised.unpack(packed)
    assert back.keys() == rows.keys()
    assert all(
        np.array_equal(back[name], x) and back[name].dtype == x.dtype for name, x in rows.items()
    )


def test_bytes_that_can_not_be_expanded_are_said() -> None:
    for bad in (
        b"no such thing",
        lzma.compress(b"a" * 9000)[:-20],
        lzma.compress(b"a") + b"more",
        lzma.compress(bytes(quantised.MEMORY + 1)),
        lzma.compress(b"a" * 9000, preset=9),
    ):
        with pytest.raises(ValueError, match="tokenizer#xz can't be expanded"):
            quantised.unpack({"tokenizer#xz": np.frombuffer(bad, np.uint8)})

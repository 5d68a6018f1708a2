"""The live part of the map page: many words as points, the typed ones among them, and what the map
made of each."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.registry import projections
from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, Trace
from engine.live.drawing import Drawing, with_entries
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.runs.store import Run
from engine.vectors.base import Vectors
from pages.ui.maps.made import Made, placed

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

PICTURE = 5_000  # points of a saved picture
TOP = 65_535  # places are sent in 16 bits
MEASURES = {
    name: FieldSpec(name, kind, ("word",), says, domain=domain)
    for name, kind, domain, says in (
        (
            "trust",
            Kind.GATE,
            (0.5, 1),
            "Trustworthiness: 1 where all neighbours on the map are near in truth.",
        ),
        (
            "continuity",
            Kind.GATE,
            (0.5, 1),
            "Continuity: 1 where all true neighbours are near on the map.",
        ),
        (
            "kept",
            Kind.COUNT,
            (0, 10),
            "Number of true nearest neighbours that are among the nearest on the map.",
        ),
        (
            "frequency",
            Kind.COUNT,
            (0, 6),
            "Count of the word in the training text, as a power of ten.",
        ),
    )
}
NAMES = {
    "trust": "trustworthiness",
    "continuity": "continuity",
    "kept": "true neighbours kept",
    "frequency": "frequency, powers of ten",
}


def stage(run: Run, model: WordSpace[Any], made: Made, group: np.ndarray | None = None) -> Stage:
    space: Vectors = model.space
    words = [space.words[i] for i in made.rows.tolist()]
    places_VK = np.array(made.arrays["places"])
    axes = "xyz"[: places_VK.shape[1]]
    says_place = "Position of the word on the map; the last number is 1 where it has one."
    spec = FieldSpec("place", Kind.STATE, ("token", "coordinate"), says_place, "z")
    coordinates = Axis("coordinate", (*axes, "known"))
    row_of, place_of = {word: i for i, word in enumerate(words)}, placed(made)

    @cache
    def other(word: str, vector: bytes) -> tuple[float, ...]:
        vector_D = np.frombuffer(vector, np.float32)
        return (*place_of((vector_D / np.linalg.norm(vector_D))[None])[0].tolist(), 1.0)

    def one(word: str, vector_D: np.ndarray) -> tuple[float, ...]:
        if (row := row_of.get(word.lower())) is not None:
            return (*places_VK[row].tolist(), 1.0)
        return other(word, vector_D.tobytes()) if vector_D.any() else (0.0,) * len(coordinates)

    def place(trace: Trace) -> tuple[Field, ...]:
        words_of = zip(trace.tokens, trace.field("vector").values, strict=True)
        found = np.array([one(*word) for word in words_of], np.float32)
        return (Field(spec, found, (Axis("token", trace.tokens), coordinates)),)

    reader = Reader(
        "space",
        run.title,
        model,
        run.id,
        "words",
        top="neighbours",
        most=12,
        derive=place,
        derived=(spec,),
    )
    panel = Panel(
        "points",
        "points",
        title_of(made),
        says(made),
        {
            "reader": "space",
            "rings": ring_of(made),
            "ends": made.ends,
            **packed(made, space, words, group),
        },
        _figure(made, space, words),
    )
    return Stage(((reader, run),), (panel,), most=400)


def title_of(made: Made) -> str:
    if made.ends:
        return f"{len(made.rows):,} words between " + ", and between ".join(
            f"“{a.strip()}” and “{b.strip()}”" for a, b in made.ends
        )
    kind = (made.kind if made.ready or made.kind.quick else projections.get("pca")).title
    more = (
        ": the mean of ten random starts, with ellipses of one standard deviation"
        if made.ready and made.settings.what == "seeds"
        else ""
    )
    return f"{kind} of {len(made.rows):,} words{more}"


def says(made: Made) -> str:
    """Which words, and what the map lost of them."""
    kept = made.arrays.get("kept")
    near = (
        ""
        if kept is None or "nearest neighbours" in made.lost
        else (
            f"Of the {made.arrays['near'].shape[1]} true nearest neighbours of a word"
            f" {kept.mean():.1f} are among its nearest on the map. "
        )
    )
    turned = (
        ""
        if made.turn is None
        else (
            " The words of this step are rotated onto those of the finished run and shown from"
            " the same side."
        )
    )
    return f"{made.drawn} {near}{made.lost}{turned}".replace("of a point", "of a word")


def ring_of(made: Made) -> str:
    exact = not made.ready or made.kind.quick
    return (
        "at the place the map gives its vector"
        if exact
        else "between the drawn words that are nearest to it in truth"
    )


def packed(
    made: Made, space: Vectors, words: list[str], group: np.ndarray | None
) -> dict[str, Any]:
    """All that the browser draws, in few bytes: 16-bit places on a common scale, neighbours, what
    is told by colour."""
    arrays, places_VK = made.arrays, np.asarray(made.arrays["places"], np.float64)
    low_K, step = places_VK.min(0), float(np.ptp(places_VK, axis=0).max() or 1.0) / TOP
    sent: dict[str, Any] = {
        "words": words,
        "dims": places_VK.shape[1],
        "low": low_K.tolist(),
        "step": step,
        "places": _bytes((places_VK - low_K) / step, "<u2"),
    }
    if "frames" in arrays:
        frames_FVK = np.asarray(arrays["frames"], np.float64)
        lows_FK = frames_FVK.min(1)
        steps_F = (np.ptp(frames_FVK, axis=1).max(1) + 1e-12) / TOP
        sent["early"] = made.kind.early(len(words), places_VK.shape[1])
        sent["frames"] = {
            "steps": arrays["steps"].tolist(),
            "low": lows_FK.tolist(),
            "step": steps_F.tolist(),
            "places": _bytes((frames_FVK - lows_FK[:, None]) / steps_F[:, None, None], "<u2"),
        }
    colours: dict[str, np.ndarray] = {
        name: np.asarray(arrays[name]) for name in ("trust", "continuity", "kept") if name in arrays
    }
    if "rows" in arrays and len(arrays["rows"]) < len(words):
        for name, values in colours.items():
            colours[name] = np.full(len(words), np.nan)
            colours[name][arrays["rows"]] = values
    if space.counts is not None:
        colours["frequency"] = np.log10(np.maximum(space.counts[made.rows], 1))
    sent["colours"] = {
        name: {
            "label": NAMES[name],
            "values": _bytes(values, "<f4"),
            **describe_field(MEASURES[name]),
        }
        for name, values in colours.items()
    }
    if group is not None:
        sent["group"] = _bytes(group, "u1")
    if "near" in arrays:
        sent |= {
            "k": arrays["near"].shape[1],
            "rows": _bytes(arrays["rows"], "<u4"),
            "near": _bytes(arrays["near"], "<u4"),
            "cosine": _bytes(arrays["cosine"] * 32767, "<i2"),
        }
    if "covariance" in arrays:
        sent["covariance"] = _bytes(
            np.asarray(arrays["covariance"])[:, [0, 0, 1], [0, 1, 1]], "<f4"
        )
    return sent


def _bytes(values: np.ndarray, dtype: str) -> str:
    if np.dtype(dtype).kind != "f":
        values = np.rint(values)
    return b64encode(values.astype(dtype).tobytes()).decode()


def _figure(made: Made, space: Vectors, words: list[str]) -> Any:
    def draw(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
        trace, v = traces["space"], len(words)
        typed = {word.lower() for word in trace.tokens}
        kept = (
            np.random.default_rng(0).choice(v, PICTURE, replace=False) if v > PICTURE else range(v)
        )
        rows = np.union1d(kept, [i for i, word in enumerate(words) if word in typed]).astype(int)
        places_VK, arrays = np.asarray(made.arrays["places"]), made.arrays
        measures = [n for n in ("trust", "continuity", "kept") if len(arrays.get(n, ())) == v]
        columns = {
            "word": [words[i] for i in rows],
            **dict(zip("xyz", places_VK[rows].T, strict=False)),
            "group": [2 if words[i] in typed else 0 for i in rows],
            "frequency": [1] * len(rows) if space.counts is None else space.counts[made.rows[rows]],
            **{name: np.asarray(arrays[name])[rows] for name in measures},
        }
        part = f" Drawn: {len(rows):,} of its {v:,} words." if len(rows) < v else ""
        table = Table.of("map", f"{title_of(made)}. {says(made)}{part}", columns)
        view = "scatter" if places_VK.shape[1] == 2 else "scatter3d"
        return Drawing("space", view, with_entries(trace, table), ("map",))

    return draw

"""The live part of the lesson on embeddings: many words as points of a map, the typed ones among them,
what the map made of each, and the true neighbours of the one looked at.

Shapes    S = words of the map, K = its dimensions, F = frames
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache as once
from typing import Any

import numpy as np

from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, Trace
from engine.lessons.embeddings.head import Made
from engine.lessons.vectors.typed import nearest
from engine.live import cache
from engine.live.drawing import Drawing, with_entries
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.models.wordspace import WordSpace
from engine.runs.store import Run

TOP = 65_535  # places are sent in 16 bits
PLACE = FieldSpec(
    "place",
    Kind.STATE,
    ("token", "coordinate"),
    "Position of the word on the map; the last number is 1 where it has one.",
    "z",
)
MEASURES = {  # name: label, kind, range, what it says
    "trust": (
        "trustworthiness",
        Kind.GATE,
        (0.5, 1),
        "Trustworthiness: 1 where all neighbours on the map are near in truth.",
    ),
    "continuity": (
        "continuity",
        Kind.GATE,
        (0.5, 1),
        "Continuity: 1 where all true neighbours are near on the map.",
    ),
    "kept": (
        "true neighbours kept",
        Kind.COUNT,
        (0, 10),
        "Number of true nearest neighbours that are among the nearest on the map.",
    ),
    "frequency": (
        "frequency, powers of ten",
        Kind.COUNT,
        (0, 6),
        "Count of the word in the training text, as a power of ten.",
    ),
}


def stage(run: Run, made: Made) -> Stage:
    model = cache.model(run, WordSpace)
    words, places_SK = [model.space.words[i] for i in made.rows.tolist()], made.places
    coordinates = Axis("coordinate", (*"xyz"[: places_SK.shape[1]], "known"))
    row_of = {word: i for i, word in enumerate(words)}

    @once
    def other(word: str, vector: bytes) -> tuple[float, ...]:
        vector_D = np.frombuffer(vector, np.float32)
        return (*made.place((vector_D / np.linalg.norm(vector_D))[None])[0].tolist(), 1.0)

    def one(word: str, vector_D: np.ndarray) -> tuple[float, ...]:
        if (row := row_of.get(word.lower())) is not None:
            return (*places_SK[row].tolist(), 1.0)
        return other(word, vector_D.tobytes()) if vector_D.any() else (0.0,) * len(coordinates)

    def place(trace: Trace) -> tuple[Field, ...]:
        words_of = zip(trace.tokens, trace.field("vector").values, strict=True)
        found = np.array([one(*word) for word in words_of], np.float32)
        return (Field(PLACE, found, (Axis("token", trace.tokens), coordinates)),)

    counts = model.space.counts
    counts_S = None if counts is None else np.asarray(counts[made.rows])
    reader = Reader(
        "space",
        run.title,
        model,
        run.id,
        "words",
        top="neighbours",
        most=12,
        derive=place,
        derived=(PLACE,),
        more={"dims": model.config.width, "vocabulary": len(model.space)},
    )
    rings = (
        "at the place the map gives its vector"
        if made.kind.exact
        else "between the drawn words that are nearest to it in truth"
    )

    def saved(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
        return table(made, words, counts_S, traces["space"])

    points = Panel(
        "points",
        "points",
        title_of(made),
        says(made),
        {"reader": "space", "rings": rings, "ends": made.ends, "column": "left"}
        | packed(made, words, counts_S),
        saved,
    )
    neighbours = Panel(
        "neighbours",
        "neighbours",
        "True neighbours of",
        options={"column": "right", "words": True, "reader": "space"},
        figure=near,
    )
    return Stage(((reader, run),), (points, neighbours), most=900)


def title_of(made: Made) -> str:
    if made.ends:
        return f"{len(made.rows):,} words between " + ", and between ".join(
            f"“{a.strip()}” and “{b.strip()}”" for a, b in made.ends
        )
    return f"{made.kind.title} of {len(made.rows):,} words"


def says(made: Made) -> str:
    """Which words, and what the map lost of them."""
    kept = made.quality and (
        f"Of the {made.quality.k} true nearest neighbours of a word {made.quality.kept.mean():.1f}"
        " are among its nearest on the map. "
    )
    turned = (
        " The words of this step are rotated onto those of the finished run and shown from the same"
        " side."
    )
    lost = made.fitted.map.lost + (turned if made.turn is not None else "")
    return f"{made.drawn} {kept or ''}{lost}"


def packed(made: Made, words: list[str], counts_S: np.ndarray | None) -> dict[str, Any]:
    """All that the browser draws, in few bytes: 16-bit places on a common scale, neighbours, what
    is told by colour."""
    places_SK, found = np.asarray(made.places, np.float64), made.quality
    low_K, step = places_SK.min(0), float(np.ptp(places_SK, axis=0).max() or 1.0) / TOP
    sent: dict[str, Any] = {
        "words": words,
        "dims": places_SK.shape[1],
        "low": low_K.tolist(),
        "step": step,
        "places": _bytes((places_SK - low_K) / step, "<u2"),
    }
    if made.frames:
        frames_FSK = np.stack([made.seen(place) for _, place in made.frames]).astype(float)
        lows_FK = frames_FSK.min(1)
        steps_F = (np.ptp(frames_FSK, axis=1).max(1) + 1e-12) / TOP
        sent["early"] = made.kind.early()
        sent["frames"] = {
            "steps": [step for step, _ in made.frames],
            "low": lows_FK.tolist(),
            "step": steps_F.tolist(),
            "places": _bytes((frames_FSK - lows_FK[:, None]) / steps_F[:, None, None], "<u2"),
        }
    colours = (
        {} if found is None else {n: getattr(found, n) for n in ("trust", "continuity", "kept")}
    )
    if counts_S is not None:
        colours["frequency"] = np.log10(np.maximum(counts_S, 1))
    sent["colours"] = {}
    for name, values in colours.items():
        label, kind, domain, what = MEASURES[name]
        spec = describe_field(FieldSpec(name, kind, ("word",), what, domain=domain))
        sent["colours"][name] = {"label": label, "values": _bytes(values, "<f4"), **spec}
    if found is not None:
        unit_SD = made.given["points"]
        cosine_SN = np.einsum("snd,sd->sn", unit_SD[found.near], unit_SD)
        sent |= {
            "k": found.k,
            "near": _bytes(found.near, "<u4"),
            "cosine": _bytes(cosine_SN * 32767, "<i2"),
        }
    return sent


def _bytes(values: np.ndarray, dtype: str) -> str:
    if np.dtype(dtype).kind != "f":
        values = np.rint(values)
    return b64encode(values.astype(dtype).tobytes()).decode()


def table(made: Made, words: list[str], counts_S: np.ndarray | None, trace: Trace) -> Drawing:
    """The whole map, to be saved."""
    typed, found = {word.lower() for word in trace.tokens}, made.quality
    columns = {
        "word": words,
        **dict(zip("xyz", made.places.T, strict=False)),
        "group": [2 if word in typed else 0 for word in words],
        "frequency": [1] * len(words) if counts_S is None else counts_S,
    }
    if found is not None:
        columns |= {name: getattr(found, name) for name in ("trust", "continuity", "kept")}
    drawn = Table.of("map", f"{title_of(made)}. {says(made)}", columns)
    view = "scatter" if made.places.shape[1] == 2 else "scatter3d"
    return Drawing("space", view, with_entries(trace, drawn), ("map",))


def near(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
    """Of the word looked at, or the last one before it that has a vector."""
    trace = traces["space"]
    at = min(max(0, int(look.get("token", 10**9)) - trace.offset), len(trace.tokens) - 1)
    while at > 0 and not trace.field("vector").values[at].any():
        at -= 1
    return Drawing("space", "neighbours", with_entries(trace, nearest(trace, at)), ("nearest",))


LIVE = stage

"""The live part of the lesson on embeddings: many words as points of a map, the typed ones among them,
what the map made of each, and the true neighbours of the one looked at.

Shapes    S = words of the map, N = true neighbours of each
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache as once
from typing import Any

import numpy as np

from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.language.message import _
from engine.lessons.embeddings.head import Made
from engine.lessons.vectors.typed import NEIGHBOURS, find_seen
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.wordspace import WordSpace
from engine.runs.store import Run

MEASURES = {  # what a point can be coloured by: label, kind, range
    "trust": ("trustworthiness", Kind.GATE, (0.5, 1)),
    "kept": ("true neighbours kept", Kind.COUNT, (0, 10)),
    "frequency": ("frequency, powers of ten", Kind.COUNT, (0, 6)),
}


def stage(run: Run, made: Made) -> Stage:
    return declared.stage(drawn(made, cache.model(run, WordSpace)), run, "space")


def drawn(made: Made, model: WordSpace[Any]) -> pic.Live:
    words = [model.space.words[i] for i in made.rows.tolist()]
    tables = measured(made, model)
    row_of = {word: i for i, word in enumerate(words)}

    @once
    def other(vector: bytes) -> tuple[float, ...]:
        vector_D = np.frombuffer(vector, np.float32)
        return tuple(made.place((vector_D / np.linalg.norm(vector_D))[None])[0].tolist())

    def place(word: str, vector_D: np.ndarray) -> tuple[float, ...]:
        if (row := row_of.get(word.lower())) is not None:
            return tuple(made.places[row].tolist())
        return other(vector_D.tobytes()) if vector_D.any() else (np.nan, np.nan)

    def derive(model: WordSpace[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
        vector_TD = trace.field("vector").values
        drawn_T = [row_of.get(word.lower(), -1) for word in trace.tokens]
        last_T = np.maximum.accumulate(
            np.where(np.array(drawn_T, int) < 0, -1, np.arange(len(drawn_T)))
        )
        typed = [place(*word) for word in zip(trace.tokens, vector_TD, strict=True)]
        return {
            "typed": (("token", "coordinate"), np.reshape(typed, (-1, 2))),
            "row": (("token",), np.array([drawn_T[t] if t >= 0 else np.nan for t in last_T])),
            "seen": (("token",), find_seen(trace)),
            "k": ((), len(near)),
        }

    near = [str(n + 1) for n in range(tables["near"].shape[1])]
    told = pic.Once(
        {"point": words, "rank": near},
        tables=tuple(
            (FieldSpec(name, kind, axes, "", domain=ends), tables[name])
            for name, (axes, kind, ends) in FIELDS.items()
            if name in tables
        ),
    )
    return pic.Live(
        (),
        (points(made, tables), NEIGHBOURS),
        lambda model: told,
        derive,
        also=("vector",),
        unit=lambda model: "words",
        places={"point": pic.Place("other", "row"), "top": pic.Place("rank", first=-1)},
        top="neighbours",
        most=900,
    )


FIELDS: dict[str, tuple[tuple[str, ...], Kind, tuple[float, float] | None]] = {
    "place": (("point", "coordinate"), Kind.STATE, None),
    "near": (("point", "rank"), Kind.COUNT, None),
    "cosine": (("point", "rank"), Kind.COSINE, None),
    **{name: (("point",), kind, ends) for name, (__, kind, ends) in MEASURES.items()},
}


def measured(made: Made, model: WordSpace[Any]) -> dict[str, np.ndarray]:
    """Where the words of the map lie, their true neighbours, and what is told by colour."""
    found, unit_SD = made.quality, made.given["points"]
    near_SN = np.zeros((len(made.rows), 0), int) if found is None else found.near
    sent = {
        "place": made.places,
        "near": near_SN,
        "cosine": np.einsum("snd,sd->sn", unit_SD[near_SN], unit_SD),
    }
    if found is not None:
        sent |= {"trust": found.trust, "kept": found.kept}
    if model.space.counts is not None:
        counts_S = np.asarray(model.space.counts[made.rows])
        sent["frequency"] = np.log10(np.maximum(counts_S, 1))
    return sent


def points(made: Made, measures: Mapping[str, np.ndarray]) -> pic.Picture:
    coloured = tuple((name, label) for name, (label, *__) in MEASURES.items() if name in measures)
    return pic.Picture(
        "points",
        pic.Points(
            (
                pic.Spots("point", "place", label="{point}", shade="&by" if coloured else ""),
                pic.Spots(
                    "rank", "place[point=near]", pulls="place", label="{near:point} {cosine}"
                ),
                pic.Spots("token", "typed", "0.05", label="{token}"),
            ),
            zoom="times",
            legend="{by}",
        ),
        title_of(made),
        says=says(made),
        tell=(
            "“{point}”: true neighbours {all}.[ {kept:n} of its {k:n} true neighbours are near on the map"
            "[, trustworthiness {trust}].]",
            "Type a word: lines lead to its true nearest neighbours.",
        ),
        side="left",
        controls=(
            *((pic.Choice("by", coloured, coloured[0][0]),) if coloured else ()),
            pic.Amount("times", 1, 12, 1, 1, "Zoom: {times:n} ×"),
        ),
        parts={"all": pic.Series("rank", "{near:point} {cosine}", ", ", 5, "cosine")},
        table=pic.Table(
            ("point",),
            (
                ("word", "{point}"),
                ("x", "{place[coordinate=0]}"),
                ("y", "{place[coordinate=1]}"),
                *((label, "{" + name + "}") for name, label in coloured),
            ),
        ),
    )


def title_of(made: Made) -> str:
    if made.ends:
        return _("{rows:,} words between ", rows=len(made.rows)) + _(", and between ").join(
            _("“{a}” and “{b}”", a=a.strip(), b=b.strip()) for a, b in made.ends
        )
    return _("{title} of {rows:,} words", title=_(made.kind.title), rows=len(made.rows))


def says(made: Made) -> str:
    """Which words, and what the map lost of them."""
    kept = made.quality and (
        _(
            "Of the {k} true nearest neighbours of a word {mean:.1f} are among its nearest"
            " on the map. ",
            k=made.quality.k,
            mean=made.quality.kept.mean(),
        )
    )
    turned = (
        " The words of this step are rotated onto those of the finished run and shown from the same"
        " side."
    )
    rings = (
        " A ring is a typed word, at the place the map gives its vector."
        if made.kind.exact
        else " A ring is a typed word; one that is not drawn lies between those that are nearest to it in truth."
    )
    return _(
        "{drawn} {kept}{lost}{turned}{rings}",
        drawn=made.drawn,
        kept=kept or "",
        lost=made.fitted.map.lost,
        turned=_(turned) if made.turn is not None else "",
        rings=_(rings),
    )


LIVE = stage

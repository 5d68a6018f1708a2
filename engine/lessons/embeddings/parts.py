"""Below the map: are its groups there in truth, asked of noise drawn by the same method; and the map in space."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.projection.pca import PCA
from engine.core.trace import Table
from engine.language.message import _, refusal
from engine.lessons.embeddings import groups
from engine.lessons.embeddings.head import Made
from engine.models.wordspace import WordSpace

LEAST, WORDS = 50, 8
NEAR = 12  # words nearest to one


@fr.part("Are the groups real?", always=True, was=("groups",))
def real(
    model: WordSpace[Any],
    made: Made,
    *,
    compare: bool = fr.start("Draw four maps of noise and compare", ("made",)),
) -> fr.Blocks:
    yield (
        "Every method that pulls neighbours together draws groups, even in pure noise. So the"
        " same method also draws **noise**: points without groups, with the same mean and"
        " spread in every direction as these words. Groups are found on all these maps in the"
        " same way (k-means), and each is then judged in all dimensions: how much nearer are"
        " its words to each other than to the nearest other group (the silhouette)? A group"
        " counts only if it is better separated than every group in the noise."
    )
    point_SD = made.given["points"]
    if len(point_SD) < LEAST:
        raise refusal("The test needs a map of at least {LEAST} words.")
    yield fr.Controls(["compare"])
    if not compare:
        return
    drawn = []
    for n in range(groups.NOISES):
        yield fr.Progress(
            n / groups.NOISES, _("Noise {n} of {noises}", n=n + 1, noises=groups.NOISES)
        )
        noise_SD = groups.noise(point_SD, 1 + n)
        given = {**made.given, "points": noise_SD}
        drawn.append((noise_SD, made.kind.drawn(given).map.positions))
    found = groups.judge(point_SD, made.places, drawn)
    yield from tell_verdict(found)
    mine = [made.rows[found.group == g] for g in range(len(found.separation))]
    yield fr.Rows(
        [
            {
                "group": g + 1,
                "words": len(rows),
                "separation": float(found.separation[g]),
                "better than noise": "yes" if found.borne_out[g] else "no",
                "commonest words": ", ".join(model.space.words[i] for i in np.sort(rows)[:WORDS]),
            }
            for g, rows in enumerate(mine)
        ]
    )
    yield fr.Note(
        _(
            "The best-separated of {n} noise groups scores {most:.3f}.",
            n=len(found.noise),
            most=found.noise.max(),
        )
    )


def tell_verdict(found: groups.Verdict) -> fr.Blocks:
    kept = _(
        "Trustworthiness {trust:.2f}; of maps of noise: {noise:.2f}.",
        trust=found.trust,
        noise=found.noise_trust,
    )
    fine, of = int(found.borne_out.sum()), len(found.separation)
    if found.warns:
        yield fr.Warn(
            _(
                "Do not trust the groups of this map: {fine} of {of} {fine|is|are} better separated in"
                " truth than the groups that the same method makes of pure noise. {kept}",
                fine=fine,
                of=of,
                kept=kept,
            )
        )
        return
    yield _(
        "{fine} of {of} groups {fine|is|are} better separated in truth than any group that the same"
        " method makes of pure noise. {kept}",
        fine=fine,
        of=of,
        kept=kept,
    )


@fr.part("The map in space", always=True, was=("map_dims",))
def space(
    model: WordSpace[Any],
    made: Made,
    word: str = fr.typed("Word to look for", "queen", 80, width=200),
    *,
    draw: bool = fr.start("Draw it in space", ("made",)),
) -> fr.Blocks:
    yield (
        "The three directions in which the words of the map differ most, one more than the page has room"
        " for. Drag to turn the cloud: what lies side by side from one side may be far apart from another."
    )
    yield fr.Controls(["draw"])
    if not draw:
        return
    space, row = model.space, model.space.row(word)
    if row is None:
        yield fr.Note(_("“{word}” is not among the words of this model.", word=word[:40]))
    rows = made.rows if row is None else np.union1d(made.rows, [row])
    point_SD, group_S = np.array(space.unit[rows]), np.zeros(len(rows), int)
    place_SK = PCA.fit(point_SD, 3).map.positions
    if row is not None:
        group_S[np.argsort(-(point_SD @ space.unit[row]), kind="stable")[:NEAR]] = 1
        group_S[rows == row] = 2
    counts = np.ones(len(rows)) if space.counts is None else space.counts[rows]
    columns = {"word": [space.words[i] for i in rows], **dict(zip("xyz", place_SK.T))}
    columns |= {"group": group_S, "frequency": counts}
    says = _("{n:,} words in space, and what is nearest to “{word}”", n=len(rows), word=word[:40])
    yield fr.Chart("space", says, "scatter3d", (Table.of("space", says, columns),), made.drawn)


PARTS = (real, space)

"""The typed words in two spaces: how far, beyond chance or not, between which neighbours; who moved
farthest; and one word with a vector for each of its places."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.cell_card import listed
from engine.core.trace import Kind, Table
from engine.language.message import _
from engine.lessons.moved.head import Pair
from engine.live import cache
from engine.live.markdown import escape
from engine.text.segmentation import WORDS, is_word
from engine.vectors import contextual

MOST, NEAR, BANDS, LISTED = 24, 5, 12, 25
FEW = 5  # words of a band, and typed ones in the picture


@fr.part("", always=True, was=("compared", "plane", "moved"))
def words(
    lesson: Any,
    pair: Pair,
    moved_words: str = fr.typed(
        "Words to follow", lambda given: given["lesson"].example, 400, width=420
    ),
) -> fr.Blocks:
    typed = list(dict.fromkeys(WORDS.findall(moved_words)))[:MOST]
    at = {word: row for word in typed if (row := pair.moved.row(word)) is not None}
    missing = ", ".join(escape(word) for word in typed if word not in at)
    if not at:
        raise ValueError(
            _("Not in both texts: {missing}. Type other words.", missing=missing)
            if missing
            else "Type a word that occurs in both texts."
        )
    rows = [*at.values()]
    yield fr.Beside([[plane(pair, rows)], [*chance(pair, rows)]])
    table = []
    for word, row in at.items():
        before, after = pair.moved.neighbours(row, NEAR)
        said: dict[str, Any] = {"word": word, "moved": float(pair.moved.distance[row])}
        if pair.chance is not None:
            half, rare = pair.chance[:, row]
            said |= {
                "by chance": _("{half:.2f}, rarely {rare:.2f}", half=half, rare=rare),
                "× rare chance": float(pair.moved.distance[row] / rare),
            }
        said |= {"nearest before": ", ".join(before), "nearest after": ", ".join(after)}
        table.append(said | {"shared of 10": round(10 * pair.moved.kept(row))})
    yield fr.Rows(table, {"moved": "%.2f", "× rare chance": "%.1f"})
    yield fr.Note(
        "Moved: 1 − cosine of the two vectors, after rotating one space onto the other: 0 same"
        " direction, 1 at right angles. By chance: the same distance between two trainings on one text"
        " with different seeds, the median and what 95 % of equally frequent words stay below."
    )
    if missing:
        yield fr.Note(_("Not in both texts: {words}.", words=missing))


def chance(pair: Pair, rows: list[int]) -> fr.Blocks:
    """How far words move, by how frequent they are: by another seed, between the two, and the typed
    words."""
    found = pair.moved
    least, most = max(1, found.counts.min()), found.counts.max() + 1
    edges = np.unique(np.geomspace(least, most, BANDS + 1).round())
    band_N = np.clip(np.searchsorted(edges, found.counts, "right") - 1, 0, max(0, len(edges) - 2))
    drawn = {"half of all words, between the two texts": found.distance}
    if pair.chance is not None:
        drawn["95 % of words, with another seed"] = pair.chance[1]
        drawn["half of all words, with another seed"] = pair.chance[0]
    bands = [b for n in np.unique(band_N) if len(b := np.flatnonzero(band_N == n)) >= FEW]
    series: dict[str, Any] = {
        name: tuple(
            zip(*((np.median(found.counts[b]), np.median(far[b])) for b in bands), strict=True)
        )
        for name, far in drawn.items()
    }
    for row in rows[:FEW]:
        series[found.words[row]] = [found.counts[row]], [found.distance[row]]
    x, y = "count of the word (in the text where it is rarer)", "moved: 1 − cosine"
    title = "Distance moved, by frequency"
    yield fr.curves("moved", title, series, x, y, pair.says, log_x=True, tight=False)
    if pair.chance is None:
        yield fr.Note(
            "Neither of the two has a second training with another seed, so chance cannot be"
            " measured. Train one with the same settings and another `--seed`."
        )
        return
    yield fr.Note(
        _(
            "Chance is measured from {noise}: same text, different seed. {beyond:.0%} of the words"
            " move farther than that. Two different texts move nearly every word a little, so a word"
            " stands out only if it lies well above the line of its own pair.",
            noise=escape(" and ".join(pair.noise)),
            beyond=(found.distance > pair.chance[1]).mean(),
        )
    )


def plane(pair: Pair, rows: list[int]) -> fr.Chart:
    """The typed words before and after on the plane in which their moves are largest."""
    found, rows = pair.moved, rows[:8]
    near = [w for row in rows[:4] for words in found.neighbours(row, 3) for w in words]
    stay = list(dict.fromkeys(i for w in near if (i := found.row(w)) is not None and i not in rows))
    both = np.concatenate([found.before[rows], found.after[rows], found.after[stay]])
    centre = both.mean(0)
    _u, size, direction = np.linalg.svd(both - centre, full_matrices=False)
    # of a direction and its opposite, which fit equally well, always the same
    side = direction[:2][[0, 1], np.abs(direction[:2]).argmax(1)]
    direction = direction[:2] * np.where(side < 0, -1, 1)[:, None]
    start = (np.concatenate([found.before[rows], found.after[stay]]) - centre) @ direction.T
    stop = (found.after[[*rows, *stay]] - centre) @ direction.T
    stop[len(rows) :] = np.nan  # the neighbours stay
    columns = {
        "word": [found.words[i] for i in (*rows, *stay)],
        "x": start[:, 0],
        "y": start[:, 1],
        "group": [0] * len(rows) + [2] * len(stay),
        "to_x": stop[:, 0],
        "to_y": stop[:, 1],
    }
    typed = "typed words: before, with an arrow to after"
    groups = (typed, "", "their neighbours, at their position after")
    options = {"x": "first direction", "y": "second direction", "groups": groups}
    says = "Where the words were, and where they went"
    share = (size[:2] ** 2).sum() / max(1e-12, (size**2).sum())
    note = _("The two directions show {share:.0%} of the differences.", share=share)
    table = Table.of("plane", says, columns)
    return fr.Chart("plane", says, "points", (table,), note, options=options)


@fr.part("Which words moved farthest, and which stayed?", was=("farthest", "part-farthest"))
def farthest(
    pair: Pair,
    moved_least: int = fr.number("Only words that occur at least so often", 1, 100_000, 100, 10),
) -> fr.Blocks:
    found = pair.moved
    letters = np.array([is_word(word) and len(word) > 1 for word in found.words])
    frequent = np.flatnonzero((found.counts >= moved_least) & letters)
    if not len(frequent):
        raise ValueError("No word occurs that often in both texts: choose a smaller number.")
    order = frequent[np.argsort(-found.distance[frequent], kind="stable")]
    for title, at in (("moved farthest", order), ("stayed", order[::-1])):
        near = [(i, *found.neighbours(i, NEAR)) for i in at[:LISTED]]
        rows = [
            (found.words[i], float(found.distance[i]), ", ".join(before), ", ".join(after))
            for i, before, after in near
        ]
        heads = (title, "moved", "before", "after")
        yield fr.table(heads, rows, forms={"moved": "%.2f"}, tall=330)


# ------------------------------------------------------------------ a vector for each place

READERS = ("transformer", *listed(), "bert")
MOST_LINES, MOST_PLACES = 12, 24
EXAMPLE = "They turned to the right\nShe stood on the right\nHe was right\nThey were right"


def readers(given: fr.Others) -> dict[str, str]:
    return {run.id: f"{run.title} ({run.id})" for run in cache.runs_of(*READERS)} or {"": "none"}


def reader(given: fr.Others) -> Any:
    return cache.model(
        next(run for run in cache.runs_of(*READERS) if run.id == given["places_run"])
    )


def states(given: fr.Others) -> list[str]:
    return (
        [spec.name for spec in contextual.states_of(reader(given))] if given["places_run"] else [""]
    )


def usual(given: fr.Others) -> str:
    names = states(given)
    return next((name for name in ("residual", "hidden") if name in names), names[0])


def layers(given: fr.Others) -> int:
    if not given["places_run"]:
        return 1
    model = reader(given)
    spec = next(s for s in contextual.states_of(model) if s.name == given["places_field"])
    return int(model.config.layers) if "layer" in spec.axes else 1


@fr.part("One word, a vector for each occurrence", was=("places",))
def places(
    places_run: str = fr.pick("Model", readers, width=260),
    places_field: str = fr.pick("State", states, usual, width=160),
    places_layer: int = fr.number("Layer", 1, layers, layers, width=110),
    places_word: str = fr.typed("Word", "right", 60, width=160),
    *,
    places_text: str = fr.typed("Sentences", EXAMPLE, 2000, tall=130),
) -> fr.Blocks:
    yield (
        "A table gives a word the same vector wherever it occurs. A model that reads gives it"
        " a different one each time: its state there. Type sentences with the same word in"
        " them, one per line."
    )
    yield fr.Controls(["places_text"])
    if not places_run:
        raise ValueError("No language model has been trained yet.")
    model = reader({"places_run": places_run})
    spec = next(s for s in contextual.states_of(model) if s.name == places_field)
    lines = [line[:300] for line in places_text.split("\n")[:MOST_LINES]]
    found = contextual.read(model, lines, places_field, places_layer - 1)
    word = places_word.strip().lower()
    at = found.of(word)[:MOST_PLACES]
    if len(at) < 2:
        twice = {w.lower() for w in found.words if len(found.of(w)) > 1}
        raise ValueError(
            "No word occurs twice: use the same word in at least two sentences."
            if not twice
            else _(
                "Choose a word that occurs twice: {escape}.",
                escape=", ".join(map(escape, sorted(twice))),
            )
        )
    unit = found.values - found.values.mean(0)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    cosine = unit[at] @ unit[at].T

    def around(i: int) -> str:
        near = range(max(0, i - 2), min(len(found.words), i + 3))
        said = (found.words[j] for j in near if found.lines[j] == found.lines[i])
        return f"{found.lines[i] + 1}: {' '.join(said)}"

    title = _("Similarity of the states at “{word}”, line by line", word=word)
    rows, columns = map(around, at), [_("line {lines}", lines=found.lines[i] + 1) for i in at]
    yield fr.grid(
        "places", title, cosine, ("word", rows), ("label", columns), Kind.COSINE, text=word
    )
    others = np.setdiff1d(np.arange(len(found.words)), at)
    onwards = "This model reads left to right, so only the words before can tell the senses apart."
    yield fr.Note(
        _(
            "Cosines after subtracting the mean state of all words typed here; without that, all"
            " states of a model look alike. “{word}” with itself elsewhere: {own:.2f} on average;"
            " with the other words: {apart:.2f}. A table of word vectors would show 1 in every cell."
            " {reads}",
            word=escape(word),
            own=cosine[~np.eye(len(at), dtype=bool)].mean(),
            apart=(unit[at] @ unit[others].T).mean() if len(others) else float("nan"),
            reads=_(
                onwards
                if spec.causal
                else "This model reads both ways, so the words after count too."
            ),
        )
    )


PARTS = (words, farthest, places)

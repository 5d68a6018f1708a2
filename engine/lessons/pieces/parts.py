"""Vectors made of character n-grams: a word from its pieces, what two words share, and the same word in
every kind of table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.language.message import _, refusal
from engine.lessons.pieces import hybrid
from engine.lessons.vectors.typed import neighbours
from engine.live import cache
from engine.live.markdown import escape
from engine.models.abilities import Knows
from engine.models.gramvectors import GramVectors
from engine.models.wordspace import MARKS
from engine.runs.store import Run, RunStore
from engine.text.segmentation import first
from engine.vectors import shared
from engine.vectors.base import Vectors
from engine.vectors.grams import gram_hash, grams

MOST, LONGEST, NEAR = 8, 60, 10
TYPED = fr.shared(
    fr.typed(
        "Words: the first is cut up, the next compared with it",
        lambda given: given["mine"][:300] or given["lesson"].example,
        300,
        width=420,
        along=True,
    )
)


def split(typed: str) -> list[str]:
    found = [first(word, LONGEST) for word in dict.fromkeys(typed.lower().split())][:MOST]
    if not found:
        raise ValueError("Type a word.")
    return found


@fr.once
def counted(words: tuple[str, ...], least: int, most: int, buckets: int) -> Any:
    """In how many known words each n-gram stands, and how many n-grams each bucket holds."""
    found = shared.vocabulary_grams(words, least, most)
    return found, shared.bucket_loads(found, buckets)


def count_pieces(model: GramVectors) -> tuple[Counter[str], Counter[int]]:
    config = model.config
    found: tuple[Counter[str], Counter[int]] = counted(
        tuple(model.vocab[MARKS:]), config.least, config.most, config.buckets
    )
    return found


def chips(found: Counter[str], made: tuple[str, ...]) -> str:
    """N-grams as coloured words: green where training has seen them."""
    return " ".join(f":{'green' if found[g] else 'red'}-badge[{escape(g)}]" for g in made)


@fr.part("A word from its pieces", was=("pull", "made"))
def pieces(
    lesson: Any,
    mine: str,
    run: Run,
    model: GramVectors,
    pieces_words: str = TYPED,
    lengths: tuple[int, ...] = fr.several(
        "Lengths of n-grams that count",
        lambda given: range(given["model"].config.least, given["model"].config.most + 1),
        lambda given: range(given["model"].config.least, given["model"].config.most + 1),
    ),
) -> fr.Blocks:
    word, config = split(pieces_words)[0], model.config
    made = shared.different(word, config.least, config.most)
    if not made:
        raise refusal(
            "“{word}” is too short for n-grams of {config.least} to {config.most} characters.",
            word=escape(word),
        )
    found, loads = count_pieces(model)
    known = word in model.vocab[MARKS:]
    itself = "The word itself is **not known**: the model has only its n-grams."
    if known:
        whole = "The word itself is known and has a row of its own in addition."
        itself = whole if model.whole else "The word itself is known."
    weight = np.array([float(len(g) in lengths) for g in made])
    if not weight.any():
        raise ValueError("With no length nothing is left: choose at least one.")
    rows = [gram_hash(g) % config.buckets for g in made]
    unit = model.grams.buckets[rows].astype(np.float64)
    vector = (weight[:, None] * unit).sum(0) / weight.sum()
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    made_D = model.compose(word)
    assert made_D is not None
    pull = unit @ (made_D / max(1e-12, float(np.linalg.norm(made_D))))
    title, whose = "Nearest n-grams", f"{run.title} ({run.id})"
    left = fr.bars("pull", title, pull, ("label", made), Kind.COSINE, whose, word, top=14)
    near = model.space.nearest(vector, NEAR, without=(word,))
    title = "Words nearest to their mean"
    table = neighbours("made", title, [(word, *pair, n) for n, pair in enumerate(near, 1)])
    right = fr.Chart("made", title, "neighbours", (table,), whose, word, fluid=True)
    yield fr.Beside([[left], [right]])
    yield _(
        "< and > mark the ends of **{word}**. It has **{n}** different n-grams of {least} to {most}"
        " characters; {seen} of them occur in words that the model knows (green), {unseen} in none"
        " (red: their rows were never trained for them). {itself}",
        word=escape(word),
        n=len(made),
        least=config.least,
        most=config.most,
        seen=sum(found[g] > 0 for g in made),
        unseen=sum(not found[g] for g in made),
        itself=_(itself),
    )
    for n in sorted({len(g) for g in made}):
        own = tuple(g for g in made if len(g) == n)
        yield _("{n} characters: {chips}", n=n, chips=chips(found, own))
    yield _(
        "Length of the vector: **{length:.2f}** as the mean of its n-grams. Their sum points the"
        " same way, so its neighbours are the same; only the length differs.",
        length=np.linalg.norm(vector),
    )
    if (at := model.space.row(word)) is not None:
        own_D = model.space.values[at]
        scale = max(1e-12, float(np.linalg.norm(own_D) * np.linalg.norm(vector)))
        yield _(
            "“{word}” is known. Cosine of its own vector with the one built here: **{cosine:.2f}**.",
            word=escape(word),
            cosine=own_D @ vector / scale,
        )
    times = Counter(grams(word, config.least, config.most))
    heads = ("n-gram", "times in the word", "known words with it", "row", "n-grams in this row")
    listed = [
        (g, times[g], found[g], at, max(1, loads[at]), float(cosine))
        for g, at, cosine in zip(made, rows, pull, strict=True)
    ]
    crowd = np.array(list(loads.values()))
    said = _(
        "{grams:,} different n-grams of the vocabulary share {rows:,} rows, found by a hash"
        " (FNV-1a); {used:,} rows are in use, with {mean:.1f} n-grams each on average and {most} at"
        " most. N-grams that share a row share its numbers.",
        grams=len(found),
        rows=config.buckets,
        used=len(crowd),
        mean=crowd.mean(),
        most=crowd.max(),
    )
    table_ = fr.table((*heads, "cosine with the word vector"), listed, tall=300)
    yield fr.Behind("Every n-gram and its row", [table_, fr.Note(said)])


@fr.part("What do two words share?", was=("jaccard", "alike"))
def common(
    lesson: Any, mine: str, run: Run, model: GramVectors, pieces_words: str = TYPED
) -> fr.Blocks:
    typed, least, most = split(pieces_words), model.config.least, model.config.most
    if len(typed) < 2:
        raise ValueError("Type a second word after the first: a related word, or a misspelling.")
    a, b = typed[:2]
    found = shared.overlap(a, b, least, most)
    parts = {
        _("only {a}", a=escape(a)): tuple(g for g in found.first if g not in found.both),
        "both": found.both,
        _("only {b}", b=escape(b)): tuple(g for g in found.second if g not in found.both),
    }
    grams_seen = count_pieces(model)[0]
    yield fr.Beside(
        [
            [f"**{title}: {len(made)}**", chips(grams_seen, made) or "none"]
            for title, made in parts.items()
        ]
    )
    unit_ND = np.stack([direction(model, word) for word in typed])
    yield _(
        "{both} of the {first} n-grams of “{a}” also occur in “{b}”; of all {all} different ones"
        " that is {share:.0%} (Jaccard). Cosine of the two vectors: **{cosine:.2f}**.",
        both=len(found.both),
        first=len(found.first),
        a=escape(a),
        b=escape(b),
        all=len({*found.first, *found.second}),
        share=found.jaccard,
        cosine=unit_ND[0] @ unit_ND[1],
    )
    if len(typed) > 2:
        overlap = np.array(
            [[shared.overlap(x, y, least, most).jaccard for y in typed] for x in typed]
        )
        names, whose = (("word", typed), ("label", typed)), f"{run.title} ({run.id})"
        grids = [
            fr.grid(id, title, values, *names, kind, whose, " ".join(typed))
            for id, kind, title, values in (
                ("jaccard", Kind.SCORE, "Share of n-grams in common (Jaccard)", overlap),
                ("alike", Kind.COSINE, "Cosine of the vectors", unit_ND @ unit_ND.T),
            )
        ]
        yield fr.Beside([[one] for one in grids])


def direction(model: GramVectors, word: str) -> np.ndarray:
    """Of length 1; zeros where the model can't make one."""
    row = model.space.row(word)
    vector = model.space.values[row] if row is not None else model.compose(word)
    vector = np.asarray(np.zeros(model.config.width) if vector is None else vector, np.float64)
    return vector / (np.linalg.norm(vector) or 1)


KINDS = {
    "skipgram": "one row per word",
    "glove": "one row a word, from counts",
    "fasttext": "n-grams of 3 to 6 characters, and a row for each known word",
    "charngram": "n-grams of 1 to 4 characters alone",
}
GUIDE = {
    "Every word of your text is in the table": (
        "GloVe or skip-gram: one row a word, the smallest and the quickest"
    ),
    "Names, compounds, inflected words (Finnish, Turkish), misspellings": (
        "fastText: a new word gets a vector from its pieces"
    ),
    "Spelling matters more than meaning, or memory is scarce": (
        "CharNgram: a table of n-grams covers every possible word"
    ),
    "Both matter": "Concatenate a word's vector and that of its n-grams into one longer vector",
}


@fr.once
def bridge_of(words: str, made: str) -> hybrid.Bridge:
    return hybrid.fit_bridge(*(cache.model(RunStore().find(id), Knows) for id in (words, made)))


@fr.once
def joined(words: str, made: str) -> Vectors:
    return hybrid.join(*(cache.model(RunStore().find(id), Knows) for id in (words, made)))


def bridges() -> tuple[Run, Run, hybrid.Bridge] | None:
    """The tables that are put together, as far as they are here."""
    words, made = (next(iter(cache.runs_of(id)), None) for id in ("glove", "fasttext"))
    return (words, made, bridge_of(words.id, made.id)) if words and made else None


def hybrids(word: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Rows for a word of two tables together."""
    if (found := bridges()) is None:
        return
    words, made, bridge = found
    table, other = (cache.model(run, Knows) for run in (words, made))
    row, vector = table.space.row(word), other.compose(word)
    title = f"{words.title} + {made.title}"
    if row is None and vector is not None:
        near = table.space.nearest(bridge.carry(vector), 5)
        how = "one row a word, and where there is none, its n-grams through a matrix"
        yield word, title, "built from its n-grams", listed(near), how
    both = joined(words.id, made.id)
    if (here := both.row(word)) is not None:
        near = both.nearest(both.values[here], 5, without=(word,))
        yield word, title, "known", listed(near), "both vectors, one behind the other"


def listed(near: list[tuple[str, float]]) -> str:
    return ", ".join(f"{word} {cosine:.2f}" for word, cosine in near) or "none"


@fr.part("Three ways to give a word a vector", was=("models", "part-models"))
def models(lesson: Any, mine: str, pieces_words: str = TYPED) -> fr.Blocks:
    rows = []
    runs = [found[0] for id in KINDS if (found := cache.runs_of(id))]
    for word in split(pieces_words)[:4]:
        for run in runs:
            model = cache.model(run, Knows)
            row, vector = model.space.row(word), model.compose(word)
            has = "no vector" if vector is None else "built from its n-grams"
            if row is not None:
                vector, has = model.space.values[row], "known"
            near = [] if vector is None else model.space.nearest(vector, 5, without=(word,))
            rows.append((word, run.title, has, listed(near), KINDS[run.model]))
        rows += hybrids(word)
    heads = ("word", "table", "this word", "nearest words", "how")
    yield fr.table(heads, rows, widths={"nearest words": 360})
    if together := bridges():
        words, made, bridge = together
        yield _(
            "**Two tables in one.** A word that {words} lacks is put where its n-grams say: one matrix takes"
            " the n-grams of {made} to the rows of {words}. Of {tried:,} words that it was not fitted to,"
            " their own row is among the {first} nearest for {share:.0%}, of {n:,} rows; the median rank is"
            " {rank:,.0f}.",
            words=words.title,
            made=made.title,
            tried=bridge.tried,
            first=hybrid.FIRST,
            share=bridge.share,
            rank=bridge.rank,
            n=len(cache.model(words, Knows).space),
        )
    yield fr.Note(
        "Cosines from different tables cannot be compared: the tables were trained on"
        " different amounts of text, and n-grams alone make all words more alike."
    )
    yield "**Which one to choose**"
    yield fr.table(("when", "take"), GUIDE.items())


PARTS = (pieces, common, models)

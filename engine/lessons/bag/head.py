"""In the head of the page: the labelled texts that are counted, ours, the toy of four reviews or a table
of the reader's own, and how many of them are held out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine import frame as fr
from engine.course import first_minute
from engine.language.message import refusal
from engine.lessons.bag import tfidf
from engine.lessons.bag.counts import Counts, count
from engine.lessons.bag.evaluate import split as split_off
from engine.lessons.bag.labelled import (
    MOST_BYTES,
    MOST_CLASSES,
    MOST_ROWS,
    TOY,
    Labelled,
    Sheet,
    guess,
    sheet,
)
from engine.lessons.bag.labelled import labelled as paired
from engine.live.markdown import escape, sentence
from engine.live.stage import Opening
from engine.text.collection.beginning import by_label, left_out, read

REVIEWS, FOUR, TABLE = "reviews", "four", "table"
OURS = {REVIEWS: "Short reviews", FOUR: "Four toy reviews"}
SHARES = {0.1: "10 %", 0.3: "30 %", 0.5: "50 %"}
MOST_HELD, MOST_SEED = 2_000, 999  # texts held out; splits


@dataclass(frozen=True, eq=False)
class Chosen:
    """`split`: which texts are held out, by their share and the number of the split."""

    title: str
    split: str
    counts: Counts
    centroids: tfidf.Centroids
    counted: Labelled
    held: Labelled

    def opening(self, usual: Opening) -> Opening:
        """Examples and the first minute are about our reviews; of other texts the first is read."""
        steps = first_minute.true_of("bag", "", (self.title, self.split))
        if self.title == OURS[REVIEWS]:
            return replace(usual, steps=steps)
        return replace(usual, example=self.counted.texts[0][:300], tries=(), steps=steps)


def sources(given: fr.Others) -> dict[str, str]:
    stored = {c.id: label for label, c in by_label("labelled").items() if c.id != REVIEWS}
    return {**OURS, **stored, TABLE: "Your own table"}


opened = fr.once(sheet)
stored_rows = fr.once(read)


def columns(given: fr.Others) -> dict[int, str]:
    try:
        return dict(enumerate(opened(given["file"][1]).names))
    except (TypeError, ValueError):  # no file, or none that can be read: the head says so
        return {0: ""}


def guessed(place: int) -> Any:
    """The column of the texts, or that of the labels."""
    return lambda given: guess(opened(given["file"][1]))[place] if len(columns(given)) > 1 else 0


@fr.once
def prepared(title: str, found: Labelled, share: float, seed: int) -> Chosen:
    used, out = split_off(found.labels, share, seed) if share else ([*range(len(found.labels))], [])
    if len(out) > MOST_HELD:
        kept = {out[i * len(out) // MOST_HELD] for i in range(MOST_HELD)}
        used, out = [d for d in range(len(found.labels)) if d not in kept], sorted(kept)
    counted, held = (
        Labelled(tuple(found.labels[d] for d in ds), tuple(found.texts[d] for d in ds))
        for ds in (used, out)
    )
    counts = count(counted.labels, counted.texts, classes=found.classes)
    centroids = tfidf.fit(counts, counted.labels, counted.texts)
    return Chosen(title, f"{share}.{seed}", counts, centroids, counted, held)


@fr.head("Counting …")
def labelled(
    corpus: str = fr.pick("Learn from", sources, width=190),
    *,
    heldout: float = fr.pick("Held out, never counted", SHARES, 0.3, few=True),
    split: int = fr.number("Split", 0, MOST_SEED, 0),
    file: Any = fr.upload(
        "Table with a column of texts and a column of labels", ("csv", "tsv", "txt")
    ),
    texts: int = fr.pick("Text", columns, guessed(0), width=260),
    labels: int = fr.pick("Label", columns, guessed(1), width=260),
) -> fr.Choosing[Chosen]:
    title, found = escape(sources({})[corpus]), TOY
    share = 0.0 if corpus == FOUR else heldout
    try:
        if corpus == TABLE:
            yield fr.Controls(["file"])
            if not file:
                raise refusal(
                    "Add a CSV or TSV file with one text per row and its label in another column."
                    " 2 to {most} classes, {most_2:,} rows, {most_3} MB. It stays on"
                    " this computer and is not stored.",
                    most=MOST_CLASSES,
                    most_2=MOST_ROWS,
                    most_3=MOST_BYTES // 1000000,
                )
            title, table = escape(file[0]), opened(file[1])
            yield fr.Controls(["texts", "labels"])
            found = paired(table, texts, labels)
        elif corpus != FOUR:
            if note := left_out(corpus, MOST_BYTES):
                yield fr.Note(note)
            pairs = tuple(stored_rows(corpus, MOST_BYTES))
            if corpus == REVIEWS:
                found = Labelled(*zip(*pairs, strict=True))
            else:
                found = paired(Sheet(("label", "text"), pairs, ()), 1, 0)
        chosen = prepared(title, found, share, split if share else 0)
    except (ValueError, LookupError) as problem:
        raise ValueError(sentence(problem)) from problem
    yield from (fr.Note(sentence(note)) for note in found.notes)
    if share:
        note = "Another number gives another split."
        yield fr.Behind("Held out", [fr.Controls(["heldout", "split"], down=True), fr.Note(note)])
    return chosen


HEAD = labelled

"""Kinds: what the cases are parted by, to see where a model fails: length, frequency, part of speech, place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine import frame as fr
from engine.language.message import _
from engine.lessons.trial.cases import Cases
from engine.lessons.trial.head import Trial, training_lines
from engine.models.abilities import Labels
from engine.models.base import Corpus

BY = {
    "true": "what is true",
    "kind": "kind of token",
    "part": "part of speech",
    "length": "length of the token",
    "often": "frequency of the token",
    "place": "place in the line",
    "line": "length of the line",
}
EDGES = {
    "length": (2, 3, 4, 6, 8, 11),
    "place": (3, 6, 11, 21, 51, 101),
    "line": (21, 41, 61, 101, 201),
    "often": (1, 2, 5, 20, 100, 1_000, 10_000),
}
COUNTED = 2_000_000  # characters of the training text


def offered(given: fr.Others) -> dict[str, str]:
    trial: Trial = given["trial"]
    model = trial.model
    if isinstance(model, Labels):
        few = (
            ("true", "line")
            if model.corpus == Corpus.LABELLED
            else ("true", "length", "often", "place", "line")
        )
        return {id: BY[id] for id in few}
    pairs = model.corpus == Corpus.PARALLEL  # of the other language the tagger knows nothing
    return {id: label for id, label in BY.items() if id != "true" and not (pairs and id == "part")}


def ranged(value: int, edges: Sequence[int]) -> str:
    """The range between two edges that a number lies in."""
    at = int(np.searchsorted(edges, value, side="right"))
    low = edges[at - 1] if at else 0
    if at == len(edges):
        return f"{low:,} –"
    high = edges[at] - 1
    return f"{low:,}" if low == high else f"{low:,} – {high:,}"


def ordered(groups: Mapping[Any, np.ndarray]) -> list[tuple[Any, np.ndarray]]:
    """Ranges by their numbers, words by how many cases they have."""
    keys = [*groups]
    if all(key[:1].isdigit() for key in keys):
        return sorted(groups.items(), key=lambda item: int(item[0].split()[0].replace(",", "")))
    return sorted(groups.items(), key=lambda item: -len(item[1]))


def keys(
    by: str, found: Cases, trial: Trial, tagger: Labels[Any] | None
) -> tuple[list[str], fr.Words]:
    """The group of each case, and how it was found."""
    numbers = range(len(found))
    match by:
        case "true":
            return [found.names[a] for a in found.true_N], "By the right answer."
        case "length":
            wide = (found.stop_N - found.start_N).tolist()
            return [ranged(n, EDGES["length"]) for n in wide], "In characters."
        case "place":
            return (
                [ranged(n, EDGES["place"]) for n in found.place_N.tolist()],
                "How many tokens stand before it, and 1.",
            )
        case "line":
            wide = [len(found.lines[n]) for n in found.line_N]
            return [ranged(n, EDGES["line"]) for n in wide], "In characters."
        case "often":
            counts, says = frequencies(found, trial)
            return [ranged(counts[t], EDGES["often"]) for t in found.token_N.tolist()], says
        case "kind":
            return [kind_of(found, n) for n in numbers], (
                "A token that goes on a word follows a letter or a digit with nothing between."
            )
    if tagger is None:
        raise ValueError("The shipped tagger is not here.")
    return parts_of_speech(found, tagger), (
        "Tagged by the shipped tagger, which is right on 92 % of the words of its test; a piece has the tag of its"
        " word."
    )


def kind_of(found: Cases, n: int) -> str:
    piece, a = found.piece(n), int(found.start_N[n])
    word = piece.strip()
    if not word:
        return "line end" if "\n" in piece or not piece else "blank"
    if any(letter.isdigit() for letter in word):
        return "number"
    if not any(letter.isalpha() for letter in word):
        return "punctuation"
    if a and piece[0].isalnum() and found.lines[found.line_N[n]][a - 1].isalnum():
        return "goes on a word"
    if word[0].isupper():
        return "begins with a capital"
    return "small letters"


def parts_of_speech(found: Cases, tagger: Labels[Any]) -> list[str]:
    """Of the word in which each case begins."""
    of_line = list[list[tuple[int, int, str]]]()
    for text in found.lines:
        trace = tagger.trace(text, fields=("tag",))
        said = trace.field("tag").values.argmax(-1) if "tag" in trace else []
        of_line.append(
            [(a, b, tagger.names[k]) for (a, b), k in zip(trace.spans, said, strict=True)]
        )
    tags = []
    places = zip(found.line_N.tolist(), found.start_N.tolist(), found.stop_N.tolist(), strict=True)
    for line, a, b in places:
        text = found.lines[line]
        while a < b - 1 and a < len(text) and text[a].isspace():
            a += 1
        if a >= len(text):
            tags.append("line end")
        else:
            tags.append(next((tag for x, y, tag in of_line[line] if x <= a < y), "blank"))
    return tags


def frequencies(found: Cases, trial: Trial) -> tuple[Counter[int], fr.Words]:
    """How often each token stands in the training text, or in these lines where that is not here."""
    if trial.trained:
        lines = training_lines(trial.trained, int(trial.run.note.get("seed", 0)), COUNTED)
        return counted(trial, lines), _(
            "How often the token stands in the first {size:,} characters of the training text.",
            size=sum(map(len, lines)),
        )
    return Counter(found.token_N.tolist()), (
        "How often the token stands in these lines: the training text of this run is not here."
    )


def counted(trial: Trial, lines: tuple[str, ...]) -> Counter[int]:
    counts = Counter[int]()
    model = trial.model
    if isinstance(model, Labels):
        for line in lines:
            counts.update(model.tokens(line).ids.tolist())
    else:
        for ids in model.tokenizer.ids(list(lines)):
            counts.update(np.asarray(ids).tolist())
    return counts

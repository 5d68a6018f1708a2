"""Film reviews, good or bad: 1,800 of them in passages of one to three sentences; 200 are kept
back.

What      a label, a tab, a passage: each passage has the label of its review
Source    Pang & Lee, A Sentimental Education, 2004: the polarity dataset 2.0
Differs   A passage can say less, or something else, than its review as a whole; so the 200 are
          judged whole too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import partial

from engine.shipped.sources.base import Files, Source, lines_of, members

LABELS = {"pos": "positive", "neg": "negative"}
SHUFFLED, CUT = 7, 1  # seeds
LEARNED = 900  # of the 1,000 reviews of each label
Reviews = list[tuple[str, str]]  # label and text


def reviews(files: Files, part: slice) -> Reviews:
    """Those of a part of each label, in an order drawn by chance.  ValueError where there are
    none."""
    raw = members(files["reviews"])
    rng, found = random.Random(SHUFFLED), []
    for folder, label in LABELS.items():
        some = [
            lines_of(content, "latin-1")
            for name, content in raw
            if name.endswith(".txt") and name.split("/")[-2:-1] == [folder]
        ]
        if not some:
            raise ValueError(
                f"{files['reviews']} has no folder {folder!r} with reviews; take the polarity"
                " dataset 2.0 as it is"
            )
        rng.shuffle(some)
        found += [(label, text) for text in some[part]]
    return found


def _passages(part: slice, files: Files) -> str:
    rng = random.Random(CUT)
    found = [
        f"{label}\t{passage}" for label, text in reviews(files, part) for passage in _cut(text, rng)
    ]
    rng.shuffle(found)
    return "".join(f"{passage}\n" for passage in found)


def _cut(text: str, rng: random.Random) -> Iterator[str]:
    """One to three sentences each; those of fewer than three words are left out."""
    sentences = [sentence for line in text.split("\n") if len(sentence := _one_line(line)) > 1]
    while sentences:
        count = rng.randint(1, 3)
        passage, sentences = " ".join(sentences[:count]), sentences[count:]
        if len(passage.split()) >= 3:
            yield passage


def _whole(part: slice, files: Files) -> str:
    return "".join(f"{label}\t{_one_line(text)}\n" for label, text in reviews(files, part))


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


KEPT_BACK: dict[str, Callable[[Files], str]] = {
    "passages of 200 unseen reviews": partial(_passages, slice(LEARNED, None)),
    "200 unseen reviews, whole": partial(_whole, slice(LEARNED, None)),
}
SOURCE = Source(
    "Film reviews (Pang & Lee, polarity dataset 2.0)",
    "CC BY 4.0",
    "https://www.cs.cornell.edu/people/pabo/movie-review-data",
    partial(_passages, slice(LEARNED)),
    {"reviews": ("movie_reviews.zip", "review_polarity.tar.gz", "movie_reviews", "txt_sentoken")},
    KEPT_BACK,
)

"""Evaluate: how well a table of word vectors answers analogies and agrees with people on which
words are alike.

What      analogies: share of the questions a : b = c : ? whose best word is the right one
          (analogy.py);
          likeness: Spearman's rank correlation of cosine and human score over the pairs that have
          both words
Source    Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations, 2013, sec.
          4.1 (questions);
          Finkelstein et al., Placing Search in Context, 2002 (WordSim-353); Hill, Reichart &
          Korhonen, SimLex-999, 2015;
          Bruni, Tran & Baroni, Multimodal Distributional Semantics, 2014 (MEN)
Shapes    Q = questions, P = pairs, V = words
Differs   Answers are sought among the `among` commonest words; questions with a rarer word are left
          out and counted.  Every score comes with its coverage, and analogies also with nothing
          left out of the answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from engine.core import numbers
from engine.language.message import refusal
from engine.vectors.base import Vectors

AMONG = 30_000
AT_ONCE = 512  # questions compared with the vocabulary at a time
MOST_BYTES, MOST_LINES, MOST_SECTIONS = 20_000_000, 200_000, 10_000
Question = tuple[str, str, str, str]
Pair = tuple[str, str, float]


@dataclass(frozen=True)
class Section:
    """
    asked   questions in the file
    known   those whose four words have vectors
    right   right answers, the three words of the question left out
    honest  right answers with nothing left out
    """

    name: str
    asked: int
    known: int
    right: int
    honest: int


@dataclass(frozen=True)
class Likeness:
    """`spearman` is None where fewer than two pairs are known, or one side is the same for all."""

    name: str
    pairs: int
    known: int
    spearman: float | None


def read_questions(text: str) -> dict[str, list[Question]]:
    """Sections of ": name" lines with four words a line.  ValueError with one sentence for anything
    else."""
    found: dict[str, list[Question]] = {}
    name = "all"
    for number, line in enumerate(_lines(text), 1):
        if line.startswith(":"):
            name = line[1:].strip() or "all"
            continue
        words = line.split()
        if len(words) != 4:
            raise refusal(
                "line {number:,} has {words} words: an analogy is four words a line, under lines"
                " like “: capitals”",
                number=number,
                words=len(words),
            )
        found.setdefault(name, []).append((words[0], words[1], words[2], words[3]))
    if len(found) > MOST_SECTIONS:
        raise refusal(
            "it has {found:,} sections and at most {MOST_SECTIONS:,} are measured; join some",
            found=len(found),
        )
    if not found:
        raise ValueError(
            "there is no analogy in the file: four words a line, under lines like “: capitals”"
        )
    return found


def read_pairs(text: str) -> list[Pair]:
    """Two words and the first number behind them, parted by tabs, commas or blanks; a heading may
    stand first."""
    found: list[Pair] = []
    for number, line in enumerate(_lines(text), 1):
        cells = [
            cell.strip()
            for cell in (
                line.split("\t")
                if "\t" in line
                else line.split(",")
                if "," in line
                else line.split()
            )
        ]
        score = next((float(cell) for cell in cells[2:] if _is_number(cell)), None)
        if score is not None and cells[0] and cells[1]:
            found.append((cells[0], cells[1], score))
        elif number > 1 and not line.startswith("#"):
            raise refusal(
                "line {number:,} is no pair: two words and a score a line, parted by tabs, commas"
                " or blanks"
            )
    if not found:
        raise ValueError("there is no pair in the file: two words and a score a line")
    return found


def analogies(
    space: Vectors, sections: dict[str, list[Question]], among: int = AMONG
) -> Iterator[Section]:
    """One result a section, in order."""
    unit_VD = torch.from_numpy(np.array(space.unit[:among]))
    row = {word: i for i, word in reversed(list(enumerate(w.lower() for w in space.words[:among])))}
    for name, questions in sections.items():
        rows = [[row.get(word.lower(), -1) for word in question] for question in questions]
        known_Q4 = torch.tensor(
            [four for four in rows if min(four) >= 0], dtype=torch.long
        ).reshape(-1, 4)
        right = honest = 0
        for part_Q4 in known_Q4.split(AT_ONCE):
            a_Q, b_Q, c_Q, d_Q = part_Q4.T
            near_QV = (unit_VD[b_Q] - unit_VD[a_Q] + unit_VD[c_Q]) @ unit_VD.T
            honest += int((near_QV.argmax(1) == d_Q).sum())
            near_QV.scatter_(1, part_Q4[:, :3], -torch.inf)
            right += int((near_QV.argmax(1) == d_Q).sum())
        yield Section(name, len(questions), len(known_Q4), right, honest)


def likeness(space: Vectors, name: str, pairs: Sequence[Pair]) -> Likeness:
    """How the cosines of the known pairs rank beside the scores of people."""
    rows = [(space.row(a), space.row(b), score) for a, b, score in pairs]
    known = [(a, b, score) for a, b, score in rows if a is not None and b is not None]
    first, second = [row[0] for row in known], [row[1] for row in known]
    cosine_P = (space.unit[first] * space.unit[second]).sum(1) if known else np.zeros(0)
    return Likeness(
        name,
        len(pairs),
        len(known),
        spearman(cosine_P, np.array([score for __, __, score in known])),
    )


def spearman(x_P: np.ndarray, y_P: np.ndarray) -> float | None:
    """Pearson's correlation of the ranks; equal numbers share the mean of their ranks."""
    found = numbers.spearman(x_P, y_P)
    return None if math.isnan(found) else found


def read_file(path: Path) -> str:
    """The text of a test file.  ValueError with one sentence."""
    if not path.is_file():
        raise refusal("there is no file {path}")
    if path.stat().st_size > MOST_BYTES:
        raise refusal(
            "{path.name} has {st_size:,.0f} MB; a test of word vectors has at most {most:.0f}",
            st_size=path.stat().st_size / 1000000.0,
            most=MOST_BYTES / 1000000.0,
        )
    return decode(path.read_bytes())


def decode(raw: bytes) -> str:
    """ValueError where the bytes are no text."""
    if b"\0" in raw:
        raise ValueError("this is not a text file")
    return raw.decode("utf-8-sig", "replace")


def _lines(text: str) -> list[str]:
    found = [line.strip() for line in text.splitlines() if line.strip()]
    if len(found) > MOST_LINES:
        raise refusal(
            "the file has {found:,} lines and at most {MOST_LINES:,} are read; cut it into parts",
            found=len(found),
        )
    return found


def _is_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False

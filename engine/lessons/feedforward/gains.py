"""Recurrence gains: what a state brings over a window, measured on trained models.

What      focus: in sentences of agreement, how far the verb moves when the subject is put in the other number, and when
          a noun between is; apart: two beginnings before the same words, and how far apart what comes next still is
Source    Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn Syntax-Sensitive Dependencies, 2016
          (attractors); distances between distributions: total variation
Shapes    S = texts of one length, T = tokens, V = vocabulary, E = words of the common end
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.lessons.feedforward.swaps import predict_next
from engine.models.base import Model
from engine.models.recurrent import RecurrentModel
from engine.text.corpora.agreement import NOUNS, Agreement
from engine.text.tokenizers.base import Tokens

LINES, SEED = 400, 2026  # sentences that no training has drawn with this seed


@dataclass(frozen=True, slots=True)
class Focus:
    """Sentences whose subject stands so many tokens before the verb.

    distance  tokens from the subject to the verb; 1 if they are neighbours
    count     sentences
    right     share in which the verb of the right number is the likelier one
    subject   how far the share of "are" in "is" and "are" moves when the subject is put in the other number, on average
    between   the same, of each noun between the two; nan where there is none
    """

    distance: int
    count: int
    right: float
    subject: float
    between: float


def focus(model: RecurrentModel[Any], lines: int = LINES) -> list[Focus]:
    """By distance, shortest first."""
    vocab = {word: id for id, word in enumerate(model.tokenizer.vocab)}
    pairs = [(vocab[noun["one"]], vocab[noun["many"]]) for noun in NOUNS]
    other = {a: b for one, many in pairs for a, b in ((one, many), (many, one))}
    is_, are = vocab["is"], vocab["are"]
    grouped: dict[int, list[Tokens]] = defaultdict(list)
    for line in dict.fromkeys(Agreement().generate(lines, SEED)):
        tokens = model.tokens(line)
        verb = next(t for t, id in enumerate(tokens.ids) if id in (is_, are))
        grouped[verb].append(tokens)
    found: dict[int, list[tuple[bool, float, list[float]]]] = defaultdict(list)
    for verb, those in grouped.items():
        rows: list[np.ndarray] = []
        about = []
        for tokens in those:
            ids_T = tokens.ids[:verb]
            nouns = [t for t, id in enumerate(ids_T) if int(id) in other]
            about.append((len(rows), nouns, int(tokens.ids[verb])))
            rows.append(ids_T)
            for t in nouns:
                changed_T = ids_T.copy()
                changed_T[t] = other[int(ids_T[t])]
                rows.append(changed_T)
        p_SV = predict_next(model, those[0], np.stack(rows)).astype(float)
        are_S = p_SV[:, are] / (p_SV[:, is_] + p_SV[:, are])
        for at, nouns, id in about:
            moved = np.abs(are_S[at + 1 : at + 1 + len(nouns)] - are_S[at]).tolist()
            right = bool(are_S[at] > 0.5) == (id == are)
            found[verb - nouns[0]].append((right, moved[0], moved[1:]))
    return [
        Focus(
            distance,
            len(rows_),
            float(np.mean([right for right, _, _ in rows_])),
            float(np.mean([subject for _, subject, _ in rows_])),
            float(np.mean(between)) if (between := [m for _, _, b in rows_ for m in b]) else np.nan,
        )
        for distance, rows_ in sorted(found.items())
    ]


def apart(model: Model[Any], beginnings: tuple[str, str], end: str) -> tuple[list[str], np.ndarray]:
    """The tokens of the common end, and (E + 1): total variation distance, 0 to 1, between what is expected next after
    the one beginning and after the other: before the end, and after each of its tokens.

    ValueError if the end is cut in another way behind one of them.
    """
    ids, p = zip(*(_read(model, f"{beginning} {end}") for beginning in beginnings), strict=True)
    e = len(model.tokens(f"{beginnings[0]} {end}")) - len(model.tokens(beginnings[0]))
    if not 0 < e < min(map(len, ids)) or list(ids[0][-e:]) != list(ids[1][-e:]):
        raise ValueError("the two texts do not end alike")
    moved_E: np.ndarray = np.abs(p[0][-e - 1 :] - p[1][-e - 1 :]).sum(-1) / 2
    return [model.tokenizer.vocab[int(id)] for id in ids[0][-e:]], moved_E


def _read(model: Model[Any], text: str) -> tuple[np.ndarray, np.ndarray]:
    trace = model.trace(text, fields=("probability",))
    return model.tokens(text).ids, trace.field("probability").values.astype(float)

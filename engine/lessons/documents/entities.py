"""Entities: a tag for each word, and the spans that the tags say.

What      B-k begins an entity of kind k, I-k goes on with one, O is none.  A head reads of each word and its neighbours
          the vectors of their first pieces in two layers of BERT and how they are written:
          softmax(V relu(W x + b) + c).  Each word's likeliest tag may break the rule that I-k follows B-k or I-k
          alone; the likeliest path that keeps it: Viterbi, with 1 for a step that is allowed and 0 for one that is not
Source    Ramshaw & Marcus, Text Chunking using Transformation-Based Learning, 1995 (the tags); Tjong Kim Sang & De
          Meulder, Introduction to the CoNLL-2003 Shared Task, 2003 (strict entity F1); Devlin et al., BERT, 2019,
          sec. 5.3
Shapes    N = words, D = width, F = signs of how a word is written, X = numbers that the head reads, K = tags
Differs   This BERT reads everything in lower case: what it cannot see of capitals the head is told beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch

from engine.analysis import task_heads
from engine.hmm import recursions
from engine.lessons.documents import store
from engine.models.bert import Bert

KINDS = ("PER", "LOC", "ORG")
TAGS = ("O", *(f"{part}-{kind}" for kind in KINDS for part in "BI"))
OUTSIDE = TAGS[0]
SIGNS = 9
WEIGHT = 2.0  # of a sign beside the numbers of a vector
LONGEST = 8  # words of a name in the list
Entity = tuple[int, int, str]
"""Its first word, the one behind its last, and its kind."""
Word = tuple[int, int, int]
"""Its first token, its first character, and the one behind its last."""


def cut(labels: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[Word]:
    """The words of a text that is cut into pieces; marks are none."""
    found = list[Word]()
    for t, (label, (start, stop)) in enumerate(zip(labels, spans, strict=True)):
        if label.startswith("##") and found:
            found[-1] = (*found[-1][:2], stop)
        elif stop > start:
            found.append((t, start, stop))
    return found


def written(words: Sequence[str]) -> np.ndarray:
    """How each word is written (N, F): capitals, digits, its neighbours' capitals, the first of its text."""
    capital = [word[:1].isupper() for word in words]
    letters = [word for word in words if word.isalpha()]
    loud = sum(map(str.isupper, letters)) > 0.6 * max(1, len(letters))
    found_NF = np.zeros((len(words), SIGNS), np.float32)
    for n, word in enumerate(words):
        found_NF[n] = (
            capital[n],
            len(word) > 1 and word.isupper(),
            n == 0,
            any(map(str.isdigit, word)),
            word.islower(),
            n > 0 and capital[n - 1],
            n + 1 < len(words) and capital[n + 1],
            n == 0 and capital[0],
            loud,
        )
    return found_NF


def allowed() -> tuple[np.ndarray, np.ndarray]:
    """Whether a text may begin with each tag (K,), and whether each may follow each (K, K)."""
    starts_K = np.array([not tag.startswith("I-") for tag in TAGS], float)
    follows_KK = np.array(
        [[tag[:1] != "I" or before[1:] == tag[1:] for tag in TAGS] for before in TAGS], float
    )
    return starts_K, follows_KK


STARTS_K, FOLLOWS_KK = allowed()


def repaired(p_NK: np.ndarray) -> np.ndarray:
    """The likeliest tags (N,) that keep the rule."""
    if not len(p_NK):
        return np.zeros(0, np.int64)
    return recursions.path(*recursions.viterbi(STARTS_K, FOLLOWS_KK, p_NK.astype(float)))


def broken(tag_N: np.ndarray) -> np.ndarray:
    """Whether each tag may not stand behind the one before it (N,)."""
    ok_N = np.ones(len(tag_N), bool)
    ok_N[:1] = STARTS_K[tag_N[:1]] > 0
    ok_N[1:] = FOLLOWS_KK[tag_N[:-1], tag_N[1:]] > 0
    found: np.ndarray = ~ok_N
    return found


def entities(tag_N: Iterable[int]) -> list[Entity]:
    """A tag I-k that follows no k begins an entity, as conlleval counts."""
    found, start, kind = list[Entity](), 0, ""
    for n, tag in enumerate([*(TAGS[k] for k in tag_N), OUTSIDE]):
        if kind and tag != f"I-{kind}":
            found.append((start, n, kind))
            kind = ""
        if tag != OUTSIDE and not kind:
            start, kind = n, tag[2:]
    return found


def count(said: Sequence[Sequence[Entity]], right: Sequence[Sequence[Entity]]) -> dict[str, int]:
    """Entities said, those that are there, and those that are in both with their kind and both ends."""
    pairs = [*zip(said, right, strict=True)]
    return {
        "said": sum(len(a) for a, _b in pairs),
        "there": sum(len(b) for _a, b in pairs),
        "right": sum(len({*a} & {*b}) for a, b in pairs),
    }


def f1(of: Mapping[str, int]) -> float:
    return 2 * of["right"] / max(1, of["said"] + of["there"])


Names = Mapping[tuple[str, ...], str]


def name_list(texts: Sequence[tuple[Sequence[str], Sequence[Entity]]]) -> Names:
    """The names of some texts, each with the kind that it has most often."""
    kinds: dict[tuple[str, ...], Counter[str]] = {}
    for words, found in texts:
        for start, stop, kind in found:
            kinds.setdefault(tuple(words[start:stop]), Counter())[kind] += 1
    return {name: of.most_common(1)[0][0] for name, of in kinds.items()}


def look_up(words: Sequence[str], names: Names) -> list[Entity]:
    """The names of the list that stand in a text, from left to right, the longest first."""
    found, n = list[Entity](), 0
    while n < len(words):
        sizes = range(min(LONGEST, len(words) - n), 0, -1)
        size = next((s for s in sizes if tuple(words[n : n + s]) in names), 0)
        if size:
            found.append((n, n + size, names[tuple(words[n : n + size])]))
        n += size or 1
    return found


def read(
    above_TD: np.ndarray, below_TD: np.ndarray, words: Sequence[Word], text: str
) -> np.ndarray:
    """What the head reads of each word (N, X): two layers of BERT at its first piece and at those of its neighbours,
    and how it and two words to each side are written."""
    at_N = [t for t, _start, _stop in words]
    signs_NF = WEIGHT * written([text[start:stop] for _t, start, stop in words])
    vectors_ND = np.concatenate((above_TD[at_N], below_TD[at_N]), 1)
    return np.concatenate((beside(vectors_ND, 1), beside(signs_NF, 2)), 1).astype(np.float32)


def beside(x_ND: np.ndarray, far: int) -> np.ndarray:
    """Each row with so many before it and behind it; zeros beyond the ends."""
    wide = np.pad(x_ND, ((far, far), (0, 0)))
    return np.concatenate([wide[n : n + len(x_ND)] for n in range(2 * far + 1)], 1)


def tag(model: Bert, below_TD: np.ndarray, words: Sequence[Word], text: str) -> np.ndarray:
    """The probability of each tag at each word (N, K); `below_TD`: the layer that the tuned ones stand on."""
    of = store.shipped().arrays
    with torch.inference_mode():
        above_TD = task_heads.tuned(model)(torch.from_numpy(np.array(below_TD))[None])[0].numpy()
    h_NH = read(above_TD, below_TD, words, text) @ of["entity.1.weight"].T + of["entity.1.bias"]
    logit_NK = np.maximum(h_NH, 0) @ of["entity.4.weight"].T + of["entity.4.bias"]
    return task_heads.softmax(logit_NK)

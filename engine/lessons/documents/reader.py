"""Reader: where the answer to a question stands in a passage that may be longer than the model.

What      a window is [CLS] question [SEP] some tokens of the passage [SEP]; in each the span head scores every token as
          the first and as the last of the answer, s_i + e_j, of at most `LONGEST` tokens.  Which window has the answer:
          the one with the largest s_i + e_j, or the one that the pair head gives the largest log odds of holding it
Source    Devlin et al., BERT, 2019, sec. 4.2, and its program for SQuAD (windows with a stride, the best sum of all);
          Rajpurkar, Jia & Liang, Know What You Don't Know, 2018 (whether there is an answer)
Shapes    T = tokens of the passage, W = windows, L = tokens of a window, D = width
Differs   The span head has learned from short passages that hold the answer: what it says of others is worth little, so
          the pair head chooses.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch

from engine.analysis import task_heads
from engine.models.bert import SENTENCE_END, Bert
from engine.text import windows as tiles

ASKED, MARKS = 40, 3  # tokens of a question at most; marks of a window
BATCH = 16
PAIR, SUM = "pair", "sum"
WAYS = {PAIR: "the pair head", SUM: "the largest sum"}


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """windows  first token of the passage, and the one behind the last
    best     of each window its best span (first and last token of the passage) with its sum
    holds_W  of each window the log odds that it holds the answer
    spans    characters of each token of the passage
    """

    windows: Sequence[tiles.Window]
    best: Sequence[tuple[int, int, float]]
    holds_W: np.ndarray
    spans: Sequence[tuple[int, int]]

    def chosen(self, by: str = PAIR) -> int:
        """The window whose span is the answer."""
        if by == PAIR:
            return int(self.holds_W.argmax())
        return int(np.argmax([score for _first, _last, score in self.best]))

    def characters(self, window: int) -> tuple[int, int]:
        first, last, _score = self.best[window]
        return self.spans[first][0], self.spans[last][1]


_bodies: weakref.WeakKeyDictionary[Bert, Callable[[torch.Tensor], torch.Tensor]] = (
    weakref.WeakKeyDictionary()
)


def layers(model: Bert) -> Callable[[torch.Tensor], torch.Tensor]:
    """The lower layers and the tuned ones above them; kept as long as the model is."""
    found = _bodies.get(model)
    if found is None:
        below, above = task_heads.lower(model.net).eval(), task_heads.tuned(model)

        def found(ids_BL: torch.Tensor) -> torch.Tensor:
            return above(below(ids_BL))

        _bodies[model] = found
    return found


def sentences(text: str) -> list[tuple[int, int]]:
    """The characters of each sentence."""
    found, at = list[tuple[int, int]](), 0
    ends = [
        *((m.start(), m.end()) for m in SENTENCE_END.finditer(text)),
        (len(text), len(text)),
    ]
    for stop, behind in ends:
        lines = text[at:stop].split("\n")
        for line in lines:
            left = len(line) - len(line.lstrip())
            if line.strip():
                found.append((at + left, at + len(line.rstrip())))
            at += len(line) + 1
        at = behind
    return found


def room(model: Bert, question: str) -> int:
    """Tokens of the passage that a window takes behind this question."""
    return int(model.config.context) - MARKS - len(_asked(model, question))


def _asked(model: Bert, question: str) -> np.ndarray:
    line = " ".join(question.split())
    found: np.ndarray = model.tokens(line).ids[1:-1][:ASKED]
    return found


def read(
    model: Bert, question: str, passage: str, body: int, stride: int
) -> Iterator[float | Read]:
    """How much is done, from 0 to 1, and in the end what was read; `body`: tokens of the passage in a window, at most
    as many as there is room for.  ValueError where nothing is asked, or nothing can answer."""
    asked_Q, t = _asked(model, question), model.tokenizer
    whole = model.tokens(passage)
    kept = [n for n, (start, stop) in enumerate(whole.spans) if stop > start]
    if not len(asked_Q) or not kept:
        raise ValueError("Type a passage and a question.")
    ids_T, spans = whole.ids[kept], [whole.spans[n] for n in kept]
    found = tiles.windows(len(ids_T), min(body, room(model, question)), stride)
    best, holds = list[tuple[int, int, float]](), list[float]()
    of = task_heads.shipped()
    pair_2D, pair_2 = of.heads["tuned"]["pair_cls"]
    for length, group in groupby(found, lambda window: window[1] - window[0]):
        some = [*group]
        for at in range(0, len(some), BATCH):
            part = some[at : at + BATCH]
            ids_WL = np.stack(
                [
                    np.concatenate(([t.start], asked_Q, [t.end], ids_T[a:b], [t.end]))
                    for a, b in part
                ]
            )
            with torch.inference_mode():
                x_WLD = layers(model)(torch.from_numpy(ids_WL)).numpy()
            first = 2 + len(asked_Q)
            for (a, _b), x_LD in zip(part, x_WLD, strict=True):
                inner_TD = x_LD[first : first + length]
                logit_T2 = task_heads.of_tokens(of, "tuned", "span", inner_TD)
                no, yes = pair_2D @ x_LD[0] + pair_2
                holds.append(float(yes - no))
                best.append(best_span(logit_T2, a))
            yield len(best) / len(found)
    yield Read(found, best, np.array(holds), spans)


def best_span(logit_T2: np.ndarray, at: int) -> tuple[int, int, float]:
    """The span with the largest sum, counted from `at`, and that sum."""
    first, last = task_heads.find_span(*np.exp((logit_T2 - logit_T2.max(0)).astype(float)).T)
    return at + first, at + last, float(logit_T2[first, 0] + logit_T2[last, 1])

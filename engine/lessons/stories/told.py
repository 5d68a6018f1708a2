"""Told: sentences by which a memory is often explained, as texts of the grammar, each with its other text; and how
many bits a model remembers by them.

What      an early word is said to decide a later one.  With another early word in its place, the later
          one costs log2 P(word | text) - log2 P(word | other) bits more, as far as the model remembers
Differs   What stands between are sentences that the planted text does not have (`remembered.KEPT_BACK`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from engine.analysis.measure import surprisal
from engine.models.base import Model
from engine.models.neural import NeuralLanguageModel

REMEMBERED = 1.0  # bits that the later word has to cost more: half its probability


@dataclass(frozen=True, slots=True)
class Told:
    """The last word after the text, and after one with another early word: "I grew up in {France|Germany} ..."."""

    written: str

    def read(self, choice: int) -> str:
        """With the early word (0), or with the other one (1); without the last word."""
        whole = re.sub(r"{(.*)}", lambda early: early[1].split("|")[choice], self.written)
        return whole.rpartition(" ")[0]

    @property
    def text(self) -> str:
        return self.read(0)

    @property
    def other(self) -> str:
        return self.read(1)

    @property
    def word(self) -> str:
        return " " + self.written.rpartition(" ")[2]

    @property
    def title(self) -> str:
        """The early word and the late one."""
        early = self.written.partition("{")[2].partition("|")[0].split()
        return f"{' '.join(early[-2:])} … {self.word.strip()}"


def measure_bits(model: Model[Any], text: str, word: str) -> float:
    """-log2 P(word | text): the bits that the model needs for a space and the letters of the word."""
    whole = model.trace(text + word, fields=("probability",))
    begin = model.trace(text, fields=("probability",))
    return float(np.nansum(surprisal(whole)) - np.nansum(surprisal(begin)))


def measure_memory(model: Model[Any], story: Told) -> tuple[float, float]:
    """(bits of the word after the text, how many more it costs after the other text)."""
    first = measure_bits(model, story.text, story.word)
    return first, measure_bits(model, story.other, story.word) - first


@torch.inference_mode()
def measure_together(
    model: NeuralLanguageModel[Any], stories: Sequence[Told]
) -> list[tuple[float, float]]:
    """As `measure_memory` of each, in one batch, for a net whose words are tokens."""
    begun = [model.tokens(text) for one in stories for text in (one.text, one.other)]
    words = [model.tokenizer.vocab.index(one.word.strip()) for one in stories for _ in range(2)]
    ids_BT = torch.zeros(len(begun), max(map(len, begun)), dtype=torch.long)
    for b, tokens in enumerate(begun):
        ids_BT[b, : len(tokens)] = torch.from_numpy(tokens.ids)
    last_B = torch.tensor([len(tokens) - 1 for tokens in begun])
    logits_BV = model.net(ids_BT)[torch.arange(len(begun)), last_B]
    bits_B = -torch.log_softmax(logits_BV, -1)[torch.arange(len(begun)), words] / np.log(2)
    return [(first, other - first) for first, other in bits_B.view(-1, 2).tolist()]


LINES = (
    "That day the old lamp stood near the window.",
    "Later the red clock hung by the station.",
    "In May the small table lay near the garden.",
    "They read about Canada.",
    "In the evening the heavy picture hung by the church.",
)
LAMP, CLOCK, TABLE, *_REST = LINES
LONG = " ".join(LINES)
SENTENCES = (
    f"I grew up in {{France|Germany}}. {LAMP} {CLOCK} I speak fluent French",
    f"Jane grew up in {{Germany|Spain}}. She moved to France for college. {CLOCK} After graduation, she returned to"
    " Germany",
    "The {cats|cat}, which had been missing for days and had the entire neighborhood searching everywhere and had seen"
    " the old lamp near the window, finally returned home and were",
    "The {dog|dogs} (which had been away and had seen the small table near the garden) was",
    f"I am {{not|so}} happy. {LAMP} {CLOCK} I feel bad",
    f"{{Germany|Spain}} has a strong economy because its manufacturing sector is large. {LAMP} So we invest in Germany",
    f"{{John|Edward}} moved from New York to Boston. {TABLE} Now John",
    f"John moved from New York to {{Boston|Paris}}. {TABLE} Now John lives in Boston",
    f"Jane visited {{Paris|London}}. {CLOCK} {LAMP} From Paris",
    f"Tomorrow will be {{sunny|rainy}} with a high of 75°F. Last year it was snowy. {LAMP} So tomorrow take your hat",
    f"Mary was born in {{Ireland|Canada}} but moved to Spain as a teenager. {TABLE} She speaks with a slight Irish",
    "Mary was born in Ireland but moved to Canada as a {teenager|child}. She speaks with a slight Irish",
    f"{{Mary|Anna}} was born in Ireland but moved to Canada as a teenager. {TABLE} She speaks with a slight Irish"
    " accent, and the name is Mary",
    "Jane, who was born in {France|Germany} but moved to Canada as a child and had seen the small table near the"
    " garden, speaks fluent French",
    "Jane, who was born in France but moved to {Canada|Ireland} as a child, speaks fluent French with a slight"
    " Canadian",
    f"I {{need to go to the bank to deposit money|want to sit by the river bank and fish}}. {LAMP} {CLOCK} At the bank"
    " I met a cashier",
    f"I {{want to sit by the river bank and fish|need to go to the bank to deposit money}}. {LAMP} {CLOCK} At the bank"
    " I met a heron",
    "The cat {sat|hid} on",
    f"The {{cat|dog}} sat on the mat. {LAMP} {CLOCK} It was the cat",
    f"We talked about {{flights|food}}. {LAMP} {CLOCK} I'll meet you at the airport",
    f"The film was {{not bad|bad}}. {CLOCK} {TABLE} The review is positive",
    "The service was {good|bad} but the food was bad",
    f"These are sick {{beats|patients}}. {LAMP} {CLOCK} The mood is positive",
    f"The rate is {{five|two}} percent. On Monday the price rose by three percent. On Tuesday the price fell by six"
    f" percent. {LAMP} The rate is still five",
    "The voice said {yes|no} … … … … … … … … … … … … … … and after the pause it said yes",
    f"As a child she had a {{fever|wound}}. {LAMP} Last week she had a cough, and on Monday her head ached. The doctor"
    " wrote: as a child a fever",
    f"In the second chapter a man called {{Edward|Robert}} came to the village. {LONG} In the last chapter they see him"
    " again. It is Edward",
    f"Anna put the ball in the {{box|bag}}. {LAMP} She takes the ball out of the box",
    f"The {{man|woman}} who wrote the book entered the room. {LAMP} {CLOCK} Then he",
    "The {clouds|books} are in the sky",
)
STORIES = tuple(map(Told, SENTENCES))

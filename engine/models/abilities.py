"""Abilities: what only some models can do, each a class that such a model is made of.

What      `isinstance(model, Attends)` says that a model has attention heads, and mypy then knows
          `model.tower`; `issubclass(models.get(id), Judges)` says the same of a kind of model
          before one is opened.
Differs   An ability has few methods, and they are all it promises.  What comes from being of one
          family (all recurrent language models, all word vectors) is asked of the class of that
          family; an ability is what families have in common.  Torch is not imported here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from engine.language.message import refusal
from engine.models.base import Model, Weights
from engine.text.tokenizers.base import Tokens

if TYPE_CHECKING:
    from torch import Tensor, nn

    from engine.nn.cells.base import Memory
    from engine.nn.transformer import Tower
    from engine.vectors.base import Vectors

A = TypeVar("A")
C = TypeVar("C")


def able(model: object, ability: type[A]) -> A:
    """The same model, of which mypy then knows that it has this ability, or is of this family.
    TypeError where it is not: what asks for it was given a model of another kind."""
    if not isinstance(model, ability):
        raise refusal(
            "{name} is not of the kind {ability.__name__}", TypeError, name=type(model).__name__
        )
    return model


class Judges(Model[C]):
    """It has a test of its own, other than how surprised it is: labels that are right, words
    guessed, sentences translated."""

    @abstractmethod
    def judge(self, lines: Sequence[str]) -> dict[str, float]:
        """How well it does on lines like those it learned from; empty where there is nothing to
        count."""


class HasNet(Model[C]):
    """It is a torch module that reads numbered tokens."""

    net: nn.Module


class Looks(HasNet[C]):
    """It has attention heads, `depth` layers of them, whose weights can be looked at."""

    @property
    @abstractmethod
    def heads(self) -> int:
        """How many in each layer; 0 where none can be looked at."""


class Attends(Looks[C]):
    """Its layers all write to one stream of vectors, and each number of them is at hand."""

    @property
    @abstractmethod
    def tower(self) -> Tower:
        """Its layers."""

    @property
    def heads(self) -> int:
        return self.tower.design.heads

    @property
    def reads_out(self) -> bool:
        """Whether `read_out` can be asked."""
        return True

    @abstractmethod
    def read_out(self, x_BTD: Tensor) -> Tensor:
        """Logits (B, T, V) of what the last norm gives: of the next word, or of the word at the
        place."""

    def output(self) -> tuple[Tensor, Tensor] | None:
        """Weights (V, D) and biases (V,) where `read_out` is one product and a sum; None where it
        is more than that."""
        return None


class Remembers(HasNet[C]):
    """It carries a state from token to token."""

    forwards: ClassVar[bool] = True
    """Whether its states are made from left to right only, of one text."""

    @property
    @abstractmethod
    def memories(self) -> tuple[Memory, ...]:
        """The sums that its states are; none for a state that is written anew at each token."""


class GoesOn(Model[C]):
    """A finished one can be trained further."""

    @abstractmethod
    def opened(self) -> Weights:
        """For `fit(resume=...)` with more steps, or another plan: a training that goes on with what
        this model has learned, and its tokenizer."""


class Labels(Judges[C]):
    """It chooses among a few labels, for each word or for the text so far."""

    names: tuple[str, ...]
    """The labels, in the order of the last axis of the field that says how likely each is."""


class Translates(Judges[C]):
    """It reads a source whole and writes a target from it."""

    @abstractmethod
    def source(self, text: str) -> Tokens:
        """The tokens of a source, its end mark among them."""

    @abstractmethod
    def translations(self, lines: Sequence[str]) -> list[str]:
        """What it writes for each line, in their order; a blank line stays empty."""


class Fills(Judges[C]):
    """It guesses words that are hidden from it, from both sides."""

    @abstractmethod
    def look(
        self, texts: Sequence[tuple[np.ndarray, Sequence[int]]]
    ) -> list[tuple[np.ndarray | None, np.ndarray | None]]:
        """What a trace of each text, ids (T,), says at a few places of it only: rows (places, V) of
        `fill`, and `sentence` (2,); None for a head it has not.  Texts of one length are read
        together."""


class Knows(Model[C]):
    """It has a vector for each word."""

    @property
    @abstractmethod
    def space(self) -> Vectors:
        """The words with their vectors as trained, commonest first."""

    @abstractmethod
    def compose(self, word: str) -> np.ndarray | None:
        """A vector (D,) for a word that has no row, or None where it can't make one."""


class CountsRuns(Model[C]):
    """It has counted runs of tokens, and says which of them a probability comes from."""

    @abstractmethod
    def runs(self) -> int:
        """How many different runs it has counted, of all lengths."""

    @abstractmethod
    def ladder_of(self, text: str, window: tuple[int, int], word: int) -> Mapping[str, np.ndarray]:
        """For one next token after each of the tokens (start, stop): `part` (T, M); `count`,
        `total`, `discount` (T, n)."""

"""Examples: what a model makes of a question behind none, one or more examples, and which of them did it.

What      P(answer | prompt) = product over the tokens of the answer; the loss of an example is -log2 of
          that of its own answer behind all before it.  Left out, in another order, with labels dealt
          anew: the prompt is made again, and the same answer asked for.  Looks: of each head, the
          attention of the last token on the label of each example
Source    Brown et al., Language Models are Few-Shot Learners, 2020; Min et al., Rethinking the Role of
          Demonstrations, 2022 (labels at random); Lu et al., Fantastically Ordered Prompts and Where
          to Find Them, 2022 (order)
Shapes    A = answers, E = examples, K = E + 1 prompts of 0 to E examples, L = layers, N = heads
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from engine import frame as fr
from engine.core.tap import Recorder
from engine.language.markdown import escaped
from engine.language.message import _, refusal
from engine.models.abilities import Attends, HasNet
from engine.models.base import Model
from engine.text.tokenizers.base import Tokens

Pair = tuple[str, str]  # an input and its answer
Pairs = tuple[Pair, ...]
MOST = 12  # examples
KINDS_OF_ANSWERS = 6  # at most, that are compared
TOPS = 8


@dataclass(frozen=True, slots=True)
class Form:
    """How an example is written; the answer follows `text` behind a space."""

    title: str
    text: str
    between: str

    def told(self, examples: Iterable[Pair]) -> list[str]:
        return [f"{self.text.format(given)} {answer}" for given, answer in examples]

    def prompt(self, examples: Iterable[Pair], question: str) -> str:
        return self.between.join([*self.told(examples), self.text.format(question)])

    def spans(self, examples: Sequence[Pair]) -> list[tuple[int, int]]:
        """Where the answers stand in the prompt."""
        found, at = [], 0
        for given, answer in examples:
            at += len(self.text.format(given)) + 1
            found.append((at, at + len(answer)))
            at += len(answer) + len(self.between)
        return found


FORMS = {
    "marks": Form("= and ; in one line", text="{} =", between=" ; "),
    "lines": Form("Input: and Output:", text="Input: {}\nOutput:", between="\n\n"),
    "arrows": Form("arrows, a line each", text="{} ->", between="\n"),
}


def pairs(text: str) -> Pairs:
    """Of lines "input = answer".  ValueError with a sentence for one that is none."""
    found = []
    for n, line in enumerate(filter(None, map(str.strip, text.splitlines())), 1):
        given, mark, answer = (part.strip() for part in line.rpartition("="))
        if not (given and mark and answer):
            raise refusal("Example {n} needs an input, = and an answer.", n=n)
        found.append((given, answer))
    if len(found) > MOST:
        raise refusal("{n} examples: at most {MOST} fit.", n=len(found), MOST=MOST)
    return tuple(found)


def answers(examples: Pairs) -> list[str]:
    """The different ones, in their order.  ValueError where there are too few to choose from."""
    found = list(dict.fromkeys(answer for _, answer in examples))
    if len(found) < 2:
        raise ValueError("Give examples with at least two different answers.")
    if len(found) > KINDS_OF_ANSWERS:
        raise refusal(
            "{n} different answers: at most {KINDS_OF_ANSWERS} can be compared.",
            n=len(found),
            KINDS_OF_ANSWERS=KINDS_OF_ANSWERS,
        )
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Asks one model prompt after prompt; what one begins with as `base` does is read once."""

    model: Model[Any]
    base: Tokens
    carried: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, model: Model[Any], text: str) -> Self:
        base, names = model.tokens(text), set(model.carries)
        if not model.gathers or (model.context or len(base)) < len(base):
            return cls(model, base, {})
        trace = model.trace("", fields=names, tokens=base)
        return cls(model, base, {name: trace.field(name).values for name in names})

    def read(self, tokens: Tokens) -> tuple[int, np.ndarray]:
        """The first tokens whose rows are left out, and of the others what follows each (T, V)."""
        fits = len(tokens) <= (self.model.context or len(tokens))
        count = min(len(tokens), len(self.base)) - 1 if self.carried and fits else 0
        differs = np.flatnonzero(self.base.ids[:count] != tokens.ids[:count])
        same = int(differs[0]) if len(differs) else count
        if not same:
            trace = self.model.trace("", fields={"probability"}, tokens=tokens)
            return trace.offset, trace.field("probability").values
        recorder = Recorder((), {"probability"}, origin=same)
        self.model.go_on(
            tokens[same:], {n: of[..., :same, :] for n, of in self.carried.items()}, recorder
        )
        spec = self.model.promise("probability")
        assert spec is not None
        return same, recorder.values(spec)

    def bits(self, text: str, spans: Sequence[tuple[int, int]]) -> list[float]:
        """Of what stands in each span, given all before it."""
        tokens = self.model.tokens(text)
        first, p_TV = self.read(tokens)
        found = []
        for start, stop in spans:
            own = [t for t in at(tokens, start, stop) if t > first]
            each = [float(p_TV[t - 1 - first, tokens.ids[t]]) for t in own]
            found.append(float(-np.log2(np.maximum(each, 1e-30)).sum()))
        return found

    def after(self, prompt: str) -> np.ndarray:
        """What follows the prompt (V,)."""
        found: np.ndarray = self.read(self.model.tokens(prompt))[1][-1]
        return found

    def chances(self, prompt: str, of: Sequence[str], next_V: np.ndarray) -> list[float]:
        """Of each answer behind the prompt; of one that is several tokens the product."""
        asked, found = self.model.tokens(prompt), []
        for answer in of:
            whole = self.model.tokens(f"{prompt} {answer}")
            if len(whole) == len(asked) + 1 and np.array_equal(whole.ids[:-1], asked.ids):
                found.append(float(next_V[whole.ids[-1]]))
            else:
                span = len(prompt), len(prompt) + 1 + len(answer)
                found.append(2 ** -self.bits(f"{prompt} {answer}", [span])[0])
        return found


def at(tokens: Tokens, start: int, stop: int) -> list[int]:
    """Which tokens hold some of these characters."""
    return [t for t, (a, b) in enumerate(tokens.spans) if a < stop and start < b]


@lru_cache(maxsize=2)
def reader(model: Model[Any], form: Form, examples: Pairs) -> Reader:
    """One that has read these examples."""
    return Reader.of(model, form.between.join(form.told(examples)))


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """How likely each answer is behind each of some prompts (P, A), and the TOPS likeliest tokens
    there."""

    p_PA: np.ndarray
    tops: list[list[tuple[str, float]]]


def behind(
    model: Model[Any],
    form: Form,
    base: Pairs,
    told: Sequence[Pairs],
    question: str,
    of: Sequence[str],
) -> fr.Taking[Answered]:
    """Of the prompts of `told`, each with examples of its own; what they begin with as `base` does is
    read once."""
    reading, vocab = reader(model, form, base), model.tokenizer.vocab
    rows, tops = [], []
    for n, examples in enumerate(told):
        yield fr.Progress(n / len(told), "Reading")
        next_V = reading.after(prompt := form.prompt(examples, question))
        rows.append(reading.chances(prompt, of, next_V))
        likeliest = np.argsort(-next_V, kind="stable")[:TOPS].tolist()
        tops.append([(vocab[i], float(next_V[i])) for i in likeliest])
    return Answered(np.array(rows).reshape(len(rows), len(of)), tops)


def losses(model: Model[Any], form: Form, examples: Pairs) -> list[float]:
    """Bits of the answer of each example, given those before it."""
    *before, (given, answer) = examples
    whole = f"{form.prompt(before, given)} {answer}"
    return Reader(model, model.tokens(""), {}).bits(
        whole, [(start - 1, stop) for start, stop in form.spans(examples)]
    )


def growing(examples: Pairs) -> list[Pairs]:
    """None of them, the first, the first two, ..."""
    return [examples[:k] for k in range(len(examples) + 1)]


def left_out(examples: Pairs) -> list[Pairs]:
    return [examples[:e] + examples[e + 1 :] for e in range(len(examples))]


def reordered(examples: Pairs, seed: int) -> Pairs:
    order = np.random.default_rng(seed).permutation(len(examples))
    return tuple(examples[e] for e in order)


def relabelled(examples: Pairs, seed: int) -> Pairs:
    """The same inputs in their order, with the same answers dealt anew."""
    order = np.random.default_rng(seed).permutation(len(examples))
    return tuple((given, examples[e][1]) for (given, _), e in zip(examples, order, strict=True))


def looks(model: Attends[Any], form: Form, examples: Pairs, question: str) -> np.ndarray:
    """How much weight the last token of the prompt puts on the label of each example (L, N, E)."""
    tokens = model.tokens(form.prompt(examples, question))
    trace = model.trace("", fields={"attention"}, tokens=tokens)
    weight_LNT = trace.field("attention").values[..., -1, :]
    found = np.zeros((*weight_LNT.shape[:2], len(examples)))
    for e, (start, stop) in enumerate(form.spans(examples)):
        own = [t - trace.offset for t in at(tokens, start, stop) if t >= trace.offset]
        found[..., e] = weight_LNT[..., own].sum(-1)
    return found


def unknown(model: Model[Any], prompt: str) -> fr.Blocks:
    """What of the prompt the model does not know, or does not read."""
    tokens = model.tokens(prompt)
    words = [*dict.fromkeys(tokens.labels[t] for t in tokens.unknown)]
    if words:
        yield fr.Warn(
            _(
                "This model has never met {words}: it reads each of them as one unknown word.",
                words=", ".join(
                    [*(f"“{escaped(word)}”" for word in words[:TOPS]), "…"][: len(words)]
                ),
            )
        )
    if model.context and len(tokens) > model.context:
        yield fr.Warn(
            _(
                "The prompt has {n:,} tokens, and this model reads the last {most:,} only.",
                n=len(tokens),
                most=model.context,
            )
        )


def size(model: Model[Any]) -> int:
    """Numbers that each token is multiplied with, about."""
    net = model.net if isinstance(model, HasNet) else None
    return sum(p.numel() for p in net.parameters()) if net is not None else 0

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
from operator import itemgetter
from typing import Any

import numpy as np
import torch

from engine import frame as fr
from engine.core.cache import MB, remembered
from engine.core.tap import Recorder
from engine.language.markdown import escaped
from engine.language.message import _, refusal
from engine.models.abilities import Attends, HasNet
from engine.models.base import Model
from engine.models.neural import ReadsOut
from engine.text.tokenizers.base import Tokens

Pair = tuple[str, str]  # an input and its answer
Pairs = tuple[Pair, ...]
MOST = 12  # examples
KINDS_OF_ANSWERS = 6  # at most, that are compared
TOPS = 8
KEPT = 64 * MB  # of what is kept of texts that a model has read


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
class Read:
    """What a model keeps of a text that it has read: of each token what later ones look back at."""

    ids: np.ndarray
    carried: Mapping[str, np.ndarray]

    @property
    def size_bytes(self) -> int:
        return sum(values.nbytes for values in self.carried.values())


@remembered(2)
def _read_before(model: Model[Any]) -> list[Read]:
    """The texts that it has read lately, the newest last."""
    return []


def _longest(model: Model[Any], ids: np.ndarray, most: int) -> tuple[int, Mapping[str, np.ndarray]]:
    """How many of its first tokens, at most so many, it has read before, and what it keeps of them."""
    found: tuple[int, Read | None] = 0, None
    for one in (*_read_before(model),):
        count = min(len(one.ids), most)
        differs = np.flatnonzero(one.ids[:count] != ids[:count])
        found = max(found, (int(differs[0]) if len(differs) else count, one), key=itemgetter(0))
    same, of = found
    return same, {name: values[..., :same, :] for name, values in of.carried.items()} if of else {}


def read(model: Model[Any], tokens: Tokens, since: int) -> np.ndarray:
    """What follows each token from `since` on (T, V).  Of a text that begins as one before did, only what is
    new is read, and written out only what is asked for: a large vocabulary costs as much as some layers."""
    net = model.net if isinstance(model, HasNet) else None
    whole = len(tokens) <= (model.context or len(tokens))
    if not (model.gathers and whole and isinstance(net, ReadsOut)):
        trace = model.trace("", fields={"probability"}, tokens=tokens)
        rows_TV: np.ndarray = trace.field("probability").values[max(0, since - trace.offset) :]
        return rows_TV
    same, carried = _longest(model, tokens.ids, since)
    recorder = Recorder((), {*model.carries}, origin=same)
    like = next(p for p in model.net.parameters() if p.is_floating_point())
    state = {name: torch.from_numpy(values).to(like) for name, values in carried.items()}
    with torch.inference_mode():
        x_BTD = net.stream(torch.from_numpy(tokens.ids[same:])[None], recorder, state or None)
        p_TV: np.ndarray = net.read_out(x_BTD[:, since - same :])[0].float().softmax(-1).numpy()
    found = {}
    for name in model.carries:
        spec = model.promise(name)
        assert spec is not None
        new = recorder.values(spec)
        found[name] = np.concatenate((carried[name], new), -2) if same else new
    kept = _read_before(model)
    kept.append(Read(tokens.ids, found))
    while len(kept) > 1 and sum(one.size_bytes for one in kept) > KEPT:
        kept.pop(0)
    return p_TV


def bits(model: Model[Any], text: str, spans: Sequence[tuple[int, int]]) -> list[float]:
    """Of what stands in each span, given all before it."""
    tokens = model.tokens(text)
    own = [at(tokens, start, stop) for start, stop in spans]
    since = max(0, min((t for each in own for t in each), default=1) - 1)
    p_TV = read(model, tokens, since)
    first = len(tokens) - len(p_TV)
    found = []
    for each in own:
        p_T = [float(p_TV[t - 1 - first, tokens.ids[t]]) for t in each if t > first]
        found.append(float(-np.log2(np.maximum(p_T, 1e-30)).sum()))
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    """How likely each answer is behind a prompt, of one that is several tokens the product; and the
    TOPS likeliest tokens there."""

    p_A: tuple[float, ...]
    tops: tuple[tuple[str, float], ...]


@lru_cache(maxsize=128)
def ask(model: Model[Any], prompt: str, of: tuple[str, ...]) -> Asked:
    tokens, vocab = model.tokens(prompt), model.tokenizer.vocab
    next_V = read(model, tokens, len(tokens) - 1)[-1]
    chances = []
    for answer in of:
        whole = model.tokens(f"{prompt} {answer}")
        if len(whole) == len(tokens) + 1 and np.array_equal(whole.ids[:-1], tokens.ids):
            chances.append(float(next_V[whole.ids[-1]]))
        else:
            span = len(prompt), len(prompt) + 1 + len(answer)
            chances.append(2 ** -bits(model, f"{prompt} {answer}", [span])[0])
    likeliest = np.argpartition(-next_V, min(TOPS, len(next_V)) - 1)[:TOPS]
    likeliest = likeliest[np.argsort(-next_V[likeliest], kind="stable")]
    return Asked(tuple(chances), tuple((vocab[i], float(next_V[i])) for i in likeliest.tolist()))


def at(tokens: Tokens, start: int, stop: int) -> list[int]:
    """Which tokens hold some of these characters."""
    return [t for t, (a, b) in enumerate(tokens.spans) if a < stop and start < b]


def behind(model: Model[Any], prompts: Sequence[str], of: Sequence[str]) -> fr.Taking[list[Asked]]:
    """The answers behind each prompt."""
    found = []
    for n, prompt in enumerate(prompts):
        yield fr.Progress(n / len(prompts), "Reading")
        found.append(ask(model, prompt, tuple(of)))
    return found


def losses(model: Model[Any], form: Form, examples: Pairs) -> list[float]:
    """Bits of the answer of each example, given those before it."""
    *before, (given, answer) = examples
    whole = f"{form.prompt(before, given)} {answer}"
    return bits(model, whole, [(start - 1, stop) for start, stop in form.spans(examples)])


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
    last, first = len(tokens) - 1, 0
    same, carried = _longest(model, tokens.ids, last)
    if same == last and last:  # as where the answers behind this prompt were asked for
        recorder = Recorder((), {"attention"}, origin=last)
        model.go_on(tokens[last:], carried, recorder)
        spec = model.promise("attention")
        assert spec is not None
        weight_LNT = recorder.values(spec)[..., -1, :]
    else:
        trace = model.trace("", fields={"attention"}, tokens=tokens)
        weight_LNT, first = trace.field("attention").values[..., -1, :], trace.offset
    found = np.zeros((*weight_LNT.shape[:2], len(examples)))
    for e, (start, stop) in enumerate(form.spans(examples)):
        own = [t - first for t in at(tokens, start, stop) if t >= first]
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
    if 2 * len(tokens.unknown) > len(tokens):
        yield fr.Note(
            "A model that reads pieces of words, such as SmolLM2, knows every text; choose one above."
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

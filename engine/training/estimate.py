"""Estimate: what a training will be of, before it begins: tokens, parameters, memory, disk.

What      parameters   exact, of the net built without numbers (torch's meta device) for the vocabulary that the tokenizer learns
          memory       program + text + weights 4 P + gradients 4 P + optimiser 4 P per number it keeps + activations + output
          activations  every tensor that the backward pass of one step needs, added up on a forward pass without numbers, for
                       the part of the batch that is read at a time; when layers are computed twice, one layer and all inputs
          output       the gradient of the logits, 4 B T V: as large as the logits themselves
          disk         weights 4 P, the best model 4 P, a checkpoint 4 P (1 + optimiser), and 4 P for each snapshot
Source    Rajbhandari, Rasley, Ruwase & He, ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, 2020, sec. 3
          (what a training holds in memory); a vocabulary grows as a power of its text: Heaps, Information Retrieval, 1978
Shapes    P = parameters, B = rows of a batch that are read at a time, T = span, V = vocabulary
Differs   Of a text longer than SAMPLE the beginning is cut into tokens; the rest is taken to go on as its second half does.
          Activations are added up for three short spans and carried on as a parabola, which attention makes exact.  The largest
          memory that ten trainings really took was 0.7 to 1.4 times the estimate (0.7: pairs of sentences shorter than the span).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.registry import models, tokenizers
from engine.text.base import passages, split

SAMPLE = 300_000  # characters
HELD_OUT, MOST_HELD_OUT = 0.05, 400_000
SPANS = (6, 9, 12)
PROGRAM = 340_000_000  # bytes of a process that has opened torch and trained next to nothing; measured 330 to 360 MB
PER_TOKEN, PER_CHARACTER = 24, 3  # bytes of a text in memory: as ids, as lines
KEPT = {"sgd": 1, "rmsprop": 1, "adam": 2, "adamw": 2}  # numbers that an optimiser keeps for each parameter


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as the tokenizer of a model cuts it; `whole`: counted to its end, not carried on from its beginning."""

    tokens: int
    vocabulary: int
    labels: int = 0
    ngrams: tuple[int, ...] = ()  # of each order, for a model that counts
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Estimate:
    """`parameters` is 0 and `memory` empty for a model that counts; memory and disk in bytes."""

    cut: Cut
    characters: int
    parameters: int = 0
    memory: Mapping[str, int] = field(default_factory=dict)
    disk: Mapping[str, int] = field(default_factory=dict)

    @property
    def memory_bytes(self) -> int:
        return sum(self.memory.values())

    @property
    def disk_bytes(self) -> int:
        return sum(self.disk.values())


def estimate(model_id: str, config: Any, text: str, snapshots: int = 0) -> Estimate:
    """ValueError with a sentence for the reader where this can't be trained."""
    model = models.get(model_id)
    if not passages(text[:SAMPLE]):
        raise ValueError("there is nothing to learn from: the text has no line that is not blank")
    found = cut(model, config, text)
    if hasattr(model, "build"):
        parameters, activations = of_net(model, config, found)
        kept = KEPT.get(config.optimiser, 2) if config.optimiser != "sgd" or config.momentum else 0
        memory = {
            "program": PROGRAM, "text": PER_TOKEN * found.tokens + PER_CHARACTER * len(text), "weights": 4 * parameters * (2 if config.bits else 1),
            "gradients": 4 * parameters, "optimiser": 4 * kept * parameters, "activations": activations,
            "output": 4 * rows(config) * config.span * (found.labels or found.vocabulary),
        }  # fmt: skip
    elif (parameters := of_vectors(config, found)) > 0:
        kept, memory = 0, {}
    else:
        return Estimate(found, len(text))
    times = getattr(config, "steps", 0) or getattr(config, "epochs", 0) > 0
    disk = {"weights": 4 * parameters, **({"best": 4 * parameters, "checkpoint": 4 * parameters * (1 + kept), "snapshots": 4 * parameters * snapshots} if times else {})}
    return Estimate(found, len(text), parameters, memory, disk)


def cut(model: Any, config: Any, text: str) -> Cut:
    """Tokens and vocabulary of the part of a text that is learned from."""
    if len(text) <= SAMPLE:
        return _cut(model, config, split(passages(text))[0])
    sample = text[: text.rfind("\n", 0, SAMPLE) + 1] or text[:SAMPLE]
    lines = passages(sample)
    half = lines[: len(lines) // 2]
    size, part = len(sample), sum(map(len, half)) + len(half)
    if not half:  # one passage: its halves are as good as any
        half, part = [sample[: size // 2]], size // 2
    first, last = (_cut(model, config, some) for some in (half, lines))

    def carried(a: int, b: int, most: float = math.inf) -> int:
        power = math.log(b / a) / math.log(size / part) if 0 < a < b else 0.0
        return int(min(most, b * (len(text) / size) ** min(1.0, power)))

    held_out = min(HELD_OUT * len(text), MOST_HELD_OUT)  # as `split` does
    tokens = int(last.tokens * (len(text) - held_out) / size)
    vocabulary = carried(first.vocabulary, last.vocabulary, getattr(config, "vocabulary", math.inf))
    ngrams = tuple(carried(a, b, tokens) for a, b in zip(first.ngrams, last.ngrams, strict=True))
    return Cut(tokens, vocabulary, last.labels, ngrams, whole=False)


def _cut(model: Any, config: Any, lines: list[str]) -> Cut:
    if not lines:
        raise ValueError("there is nothing to learn from: the text is too short to hold a line back")
    if hasattr(model, "parse"):  # it labels words
        from engine.nn.wordform import normal

        examples = model.read("\n".join(lines)).values()
        words = {normal(word) for example in examples for word in example.words}
        labels = {label for example in examples for label in example.labels}
        return Cut(sum(len(e.words) for e in examples), min(len(words), config.vocabulary - 3) + 3, len(labels))
    if hasattr(model, "build"):
        sides = [side for line in lines for side in line.split("\t")] if hasattr(model, "sample") else lines
        tokenizer, stream_N = tokenizers.get(config.tokenizer).learn(sides, config.vocabulary)
        return Cut(len(stream_N), len(tokenizer.vocab))
    if hasattr(config, "window"):  # vectors of words
        from engine.models.wordspace import learn

        tokenizer, stream_N = learn(lines, config)
        return Cut(len(stream_N), len(tokenizer.vocab))
    said: dict[str, float] = {}
    for report in model.fit_lines(lines, config):
        said |= report.metrics
        if f"ngrams_{config.order}" in said:
            break
    return Cut(int(said["tokens"]), int(said["vocabulary"]), ngrams=tuple(int(said[f"ngrams_{m}"]) for m in range(1, config.order + 1)))


def of_vectors(config: Any, found: Cut) -> int:
    """Two tables of a row a word, rows of n-grams besides; GloVe learns one more number a row; of PPMI's one table is kept."""
    if not hasattr(config, "window"):
        return 0
    if hasattr(config, "x_max"):
        return 2 * found.vocabulary * (config.width + 1)
    tables = 2 if hasattr(config, "epochs") else 1
    return (tables * found.vocabulary + getattr(config, "buckets", 0)) * config.width


def of_net(model: Any, config: Any, found: Cut) -> tuple[int, int]:
    """(parameters, bytes of activations of one step)."""
    import torch

    with torch.device("meta"):
        net = model.build(config, found.vocabulary, found.labels) if found.labels else model.build(config, found.vocabulary)
    net.train()
    parameters = sum(p.numel() for p in net.parameters())
    if config.span <= SPANS[-1]:
        held = activations(net, config, config.span)
    else:
        held = round(parabola(SPANS, [activations(net, config, span) for span in SPANS])(config.span))
    if config.recompute:  # what goes into each layer, and one layer at a time
        layers = max(1, getattr(config, "layers", 1))
        held = held // layers + 4 * layers * rows(config) * config.span * config.width
    return parameters, held


def rows(config: Any) -> int:
    """How many of the batch are read at a time."""
    return -(-config.batch // config.accumulate)


def parabola(x_3: tuple[int, ...], y_3: list[int]) -> Callable[[float], float]:
    """The one through three points."""

    def at(x: float) -> float:
        total = 0.0
        for i, y in enumerate(y_3):
            others = [other for j, other in enumerate(x_3) if j != i]
            total += y * math.prod((x - other) / (x_3[i] - other) for other in others)
        return total

    return at


def activations(net: Any, config: Any, span: int) -> int:
    """Bytes of what the backward pass of one step over `span` tokens needs, the weights left out."""
    import torch
    from torch.nn import functional as F

    seen: dict[int, Any] = {}
    weights = {p.untyped_storage()._cdata for p in net.parameters()}

    def keep(tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        if storage._cdata not in weights:
            seen[storage._cdata] = storage  # kept, so that no other takes its place
        return tensor

    labels = hasattr(net, "buckets") or hasattr(config, "buckets")
    ids = torch.zeros((rows(config), span, 8) if labels else (rows(config), span), dtype=torch.long, device="meta")
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        if hasattr(net, "write"):  # an encoder before the decoder
            logits = net.write(ids, net.read(ids))
        elif hasattr(net, "fill"):  # only the words that are to be guessed have logits
            held = net(ids).flatten(0, 1)
            logits = net.fill(held[: max(1, round(config.share * len(held)))])
        else:
            logits = net(ids)
        flat = logits.flatten(0, -2)
        F.cross_entropy(flat.float(), torch.zeros(len(flat), dtype=torch.long, device="meta"))
    return sum(storage.nbytes() for storage in seen.values())


def room(folder: Any) -> tuple[int, int]:
    """Bytes of memory, and on the disk of a folder, that are free now."""
    import psutil

    there = next(place for place in (folder, *folder.resolve().parents) if place.exists())
    return int(psutil.virtual_memory().available), int(psutil.disk_usage(str(there)).free)


def whole_memory() -> int:
    """Bytes of memory of this computer."""
    import psutil

    return int(psutil.virtual_memory().total)

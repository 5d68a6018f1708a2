"""BERT: an encoder.  Every token looks at all others, before and after it; it learns by guessing
words that were masked.

What      x = norm(token + place + segment); blocks with the norm after each part; a masked word:
          softmax(E norm(gelu(W x)) + b);
          does the second sentence follow the first: softmax(W' tanh(W'' x_[CLS]))
Source    Devlin, Chang, Lee & Toutanova, BERT: Pre-training of Deep Bidirectional Transformers,
          2018, sec. 3 and A.1
Shapes    B = batch, T = tokens, V = vocabulary, D = width
Differs   Settings also make RoBERTa (one segment, places from 2 on), DistilBERT (no segments, no
          pairs), ALBERT (narrow embeddings, shared layers), ELECTRA (narrow embeddings), ModernBERT
          (norms first, rotary places, windows) and DeBERTa (vectors of distances).  Words
          are masked anew each step; `engine/nn/masking.py` says how examples are drawn.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, Self, final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.core.cache import once
from engine.core.registry import positions, tokenizers
from engine.core.setting import setting
from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind
from engine.language.message import _, refusal
from engine.models.abilities import Attends, Fills, GoesOn
from engine.models.base import Card, Progress, Weights
from engine.models.cost import Cost, Cut
from engine.models.neural import cost_of, install_new, opened, own, report, state_of, tokenizer_of
from engine.nn import loop
from engine.nn.cost import blank
from engine.nn.encoder import Net, design, places
from engine.nn.feed_forward import ACTIVATIONS, GATED
from engine.nn.masking import FATES, Marks, Sentences, masked
from engine.nn.meta_init import unfilled
from engine.nn.plan import MIXED, Training, option
from engine.nn.transformer import Tower, promises
from engine.nn.tuning import base as tuning
from engine.text.tokenizers.base import Tokenizer, Tokens, passages, split

SEGMENT = FieldSpec(
    "embedding.segment",
    Kind.STATE,
    ("token", "unit"),
    "Vector added for the segment of the token: first or second sentence.",
    "s",
)
FILL = FieldSpec(
    "fill",
    Kind.PROBABILITY,
    ("token", "next"),
    "Prediction for the token at each place, from the context on both sides.",
    "P",
    derived=True,
    causal=False,
)
SENTENCE = FieldSpec(
    "sentence",
    Kind.PROBABILITY,
    ("label",),
    "Prediction whether the second sentence follows the first, read at [CLS].",
    "P",
    causal=False,
)
REPLACED = FieldSpec(
    "replaced",
    Kind.PROBABILITY,
    ("token", "label"),
    "Prediction whether another model put the token there in place of the original one.",
    "P",
    derived=True,
    causal=False,
)
ANSWERS = ("IsNext", "NotNext")
FOUND = ("original", "replaced")
SPLIT = re.compile(r"(?:(?<!\s)\s++)?\[SEP\]\s*|\n", re.IGNORECASE)
TYPED_MASK = re.compile(r"\[MASK\]", re.IGNORECASE)
SENTENCE_END = re.compile(
    r"(?:(?<=[.!?])|(?<=[.!?][\"')]))(?<!\b[A-Z]\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bSt\.)\s+"
)


@dataclass(frozen=True, slots=True)
class Config(Training):
    width: int = setting(128, "size of a token's vector", min=8, max=16_384)
    heads: int = setting(4, "attention heads in each layer", min=1, max=128)
    layers: int = setting(4, "layers", min=1, max=128)
    context: int = setting(64, "longest text in tokens, marks included", min=4, max=131_072)
    inner: int = setting(
        0, "inner width of the feed-forward part; 0: four times the width", min=0, max=65_536
    )
    activation: str = setting(
        "gelu",
        "activation of the feed-forward part: relu, gelu, gelu_tanh, silu, swiglu, geglu, geglu_erf",
    )
    embedding_width: int = setting(
        0, "width of the embeddings; 0: that of the layers", min=0, max=16_384, later=True
    )
    shared: int = setting(
        0,
        "layers with weights of their own, which the others share, as in ALBERT; 0: all",
        min=0,
        max=128,
        later=True,
    )
    detects: bool = setting(
        False, "say of each word whether it was replaced, as ELECTRA's discriminator", later=True
    )
    position: str = setting(
        "learned", _("how positions are encoded: {ids}", ids=", ".join(positions.ids())), later=True
    )
    norm_first: bool = setting(
        False,
        "normalise before each part but the very first, as in ModernBERT; off: after it",
        later=True,
    )
    bias: bool = setting(True, "add bias terms", later=True)
    base: float = setting(
        10_000.0,
        "base of the wavelengths of sinusoidal and rope; larger: slower waves",
        min=2.0,
        max=1e8,
        later=True,
    )
    near_base: float = setting(
        0.0,
        "base of rope in layers with a window; 0: that of all layers",
        min=0.0,
        max=1e8,
        later=True,
    )
    sliding_window: int = setting(
        0,
        "attention window in tokens to each side, the token itself counted; 0: all",
        min=0,
        max=131_072,
        later=True,
    )
    full_every: int = setting(
        0,
        "every so many layers, from the first on, one sees all tokens, despite a window; 0: none",
        min=0,
        max=128,
        later=True,
    )
    distances: int = setting(
        0,
        "distances to each side with a vector that queries and keys meet, as in DeBERTa; 0: none",
        min=0,
        max=4096,
        later=True,
    )
    farthest: int = setting(
        0,
        "distance that the last of these vectors stands for; 0: each has its own",
        min=0,
        max=131_072,
        later=True,
    )
    segments: int = setting(
        2,
        "segment vectors, to tell the two sentences apart; 0: none, 1: the same for both",
        min=0,
        max=2,
    )
    offset: int = setting(0, "the number of the first place", min=0, max=8)
    masked: bool = setting(True, "train to predict masked words")
    pairs: bool = setting(True, "train to predict whether the second sentence follows the first")
    epsilon: float = setting(
        1e-12, "small constant that keeps a norm from dividing by 0", min=1e-12, max=1e-2
    )
    share: float = setting(0.15, "share of words to be predicted", min=0.01, max=0.9)
    dropout: float = setting(
        0.0, "dropout: share of numbers set to 0 in training", min=0.0, max=0.7
    )
    tokenizer: str = setting(
        "wordpiece", "how the text is cut: wordpiece, or library for a checkpoint's own"
    )
    vocabulary: int = setting(5000, "largest vocabulary", min=16, max=300_000)
    steps: int = setting(2000, "training steps", min=1, max=500_000)
    batch: int = setting(64, "examples per step", min=1, max=512)
    span: int = setting(64, "tokens of an example, at most `context`", min=4, max=8192)
    rate: float = setting(1e-3, "highest learning rate", min=1e-5, max=1e-1)
    mixed: bool = setting(False, MIXED, group="training")
    warmup: int = option(
        500,
        "warm-up: steps in which the rate climbs from 0, at most a tenth of all steps",
        min=0,
        max=100_000,
    )

    def __post_init__(self) -> None:
        Training.__post_init__(self)
        if self.span > self.context:
            raise refusal(
                "span {self.span} is longer than context {self.context}; an example can't be"
                " longer than the model sees"
            )
        if self.activation not in (known := [*ACTIVATIONS, *GATED]):
            raise refusal("no activation {self.activation!r}; there are {known}", known=known)
        if self.tokenizer not in ("wordpiece", "library"):
            raise refusal(
                "tokenizer is wordpiece or library, not {self.tokenizer!r}: others have no mask"
            )
        if self.pairs and self.detects:
            raise ValueError(
                "it answers about pairs or about replaced words; leave one of them off"
            )
        design(self)


class Drawn(Protocol):
    """What is asked of a config where words are masked."""

    @property
    def span(self) -> int: ...
    @property
    def share(self) -> float: ...
    @property
    def pairs(self) -> bool: ...


@final
class Bert(Fills[Config], Attends[Config], GoesOn[Config]):
    card = Card(
        "bert",
        "BERT",
        2018,
        "Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, 2018",
    )
    config_type = Config
    stepwise = True
    net: Net

    def __init__(self, config: Config, tokenizer: Tokenizer, net: Net) -> None:
        self.config, self.tokenizer, self.net = config, tokenizer, net.eval()
        self.context = config.context
        self._labels = {"next": tokenizer.vocab, "label": FOUND if config.detects else ANSWERS}

    @property
    def depth(self) -> int:
        return self.config.layers

    @property
    def tower(self) -> Tower:
        return self.net.tower

    @property
    def reads_out(self) -> bool:
        return self.config.masked

    def read_out(self, x_BTD: Tensor) -> Tensor:
        return self.net.fill(x_BTD)

    @classmethod
    def build(cls, config: Config, v: int, end: int = 0) -> Net:
        """The untrained net for a vocabulary of `v` tokens; `end` is the id of the mark behind a
        sentence."""
        return Net(v, config, end)

    @classmethod
    def cut(cls, lines: Sequence[str], config: Config) -> Cut:
        tokenizer, stream_N = tokenizers.get(config.tokenizer).learn(lines, config.vocabulary)
        return Cut(len(stream_N), len(tokenizer.vocab))

    @classmethod
    def cost(cls, config: Config, found: Cut) -> Cost:
        refuse_other_tasks(config)
        with unfilled():
            net = cls.build(config, found.vocabulary)
            tuning.install(net, config)

        def logits(span: int) -> Tensor:
            """Only the words that are to be guessed have logits."""
            x_ND = net(blank(config, span)).flatten(0, 1)
            return net.fill(x_ND[: max(1, round(config.share * len(x_ND)))])

        return cost_of(net, config, logits)

    @classmethod
    def fit(
        cls,
        text: str,
        config: Config,
        *,
        seed: int,
        device: str = "cpu",
        resume: Weights | None = None,
    ) -> Iterator[Progress]:
        lines, held_out = split(passages(text), seed)
        if not lines:
            raise ValueError("nothing to learn from: the text has no line")
        refuse_other_tasks(config)
        tokenizer = (
            tokenizer_of(config, resume)
            if resume
            else tokenizers.get(config.tokenizer).fit(lines, config.vocabulary)
        )
        torch.manual_seed(seed)
        net = cls.build(config, len(tokenizer.vocab), tokenizer.end)
        resume = install_new(net, config, resume)
        model, examples = cls(config, tokenizer, net), sentences_of(lines, tokenizer)
        if not (examples.ids_N != tokenizer.unknown).any():
            raise ValueError(
                "nothing to learn from: no line contains a word that the tokenizer knows"
            )

        def judge() -> dict[str, float]:
            found = model.judge(held_out, 512)
            net.train()
            return {
                f"held_out_{name}": found[name]
                for name in ("nats", "accuracy", "pair_accuracy")
                if name in found
            }

        plan, state = loop.Plan.of(config), state_of(tokenizer)
        for step in loop.descend(
            net,
            lambda step: model.draw(examples, config.batch, np.random.default_rng((seed, step))),
            plan,
            judge=judge,
            seed=seed,
            device=device,
            resume=resume,
            loss_of=partial(net.loss, smoothing=config.smoothing),
            looked_up=places,
        ):
            yield report(step, step.metrics, model, state)

    def draw(
        self, examples: Sentences, count: int, rng: np.random.Generator, plain: bool = False
    ) -> tuple[Tensor, Tensor]:
        """What is read (B, T) and what is to be found out (B, T); plain: as it is tested, 15 % of
        the words, all of them masked."""
        return draw_masked(self.tokenizer, self.config, examples, count, rng, plain)

    @torch.inference_mode()
    def judge(self, lines: Sequence[str], most: int = 4096) -> dict[str, float]:
        """How well masked words and pairs drawn from `lines` are guessed, beside always guessing
        the commonest word."""
        examples = sentences_of(lines, self.tokenizer)
        if not (examples.ids_N != self.tokenizer.unknown).any() or not self.config.masked:
            return {}
        self.net.eval()
        device, rng = next(self.net.parameters()).device, np.random.default_rng(0)
        wanted: list[np.ndarray] = []
        right, nats, pairs, true_pairs = 0, 0.0, 0, 0
        for _batch in range(math.ceil(min(most, 8 * len(examples)) / 64)):
            read_BT, y_BT = (part.to(device) for part in self.draw(examples, 64, rng, plain=True))
            x_BTD, chosen_BT = self.net(read_BT), y_BT[:, 1:] >= 0
            logit_NV, y_N = self.net.fill(x_BTD[:, 1:][chosen_BT]), y_BT[:, 1:][chosen_BT]
            right += int((logit_NV.argmax(-1) == y_N).sum())
            nats += float(F.cross_entropy(logit_NV, y_N, reduction="sum"))
            wanted.append(y_N.cpu().numpy())
            if self.config.pairs:
                asked_B = y_BT[:, 0] >= 0
                pairs += int(asked_B.sum())
                true_pairs += int((self.net.follows(x_BTD).argmax(-1) == y_BT[:, 0])[asked_B].sum())
        counts = np.bincount(np.concatenate(wanted))
        total = int(counts.sum())
        found = {
            "masked_words": total,
            "accuracy": right / total,
            "commonest_word": int(counts.max()) / total,
            "nats": nats / total,
        }
        return found | ({"pairs": pairs, "pair_accuracy": true_pairs / pairs} if pairs else {})

    def tokens(self, text: str) -> Tokens:
        return read_marked(self.tokenizer, text)

    @once
    def spec(self) -> tuple[FieldSpec, ...]:
        c = self.config
        tower = promises(last_norm=c.norm_first, causal=False)
        extra = (SEGMENT,) if c.segments else ()
        return (
            *tower[:2],
            *extra,
            *tower[2:],
            *((FILL,) if c.masked else ()),
            *((REPLACED,) if c.detects else ()),
            *((SENTENCE,) if c.pairs else ()),
        )

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return self._labels | {"token": tokens.labels, "query": tokens.labels, "key": tokens.labels}

    @torch.inference_mode()
    def run(self, tokens: Tokens, tap: Tap) -> None:
        device = next(self.net.parameters()).device
        x_BTD = self.net(torch.from_numpy(tokens.ids)[None].to(device), tap)
        if self.config.masked:
            tap.derived(
                "fill", lambda: self.net.fill(x_BTD).float().softmax(-1), ("batch", "token", "next")
            )
        if self.config.detects:
            tap.derived("replaced", lambda: self.net.replaced(x_BTD), ("batch", "token", "label"))
        if self.config.pairs:
            tap("sentence", self.net.follows(x_BTD).float().softmax(-1), ("batch", "label"))

    @torch.inference_mode()
    def look(
        self, texts: Sequence[tuple[np.ndarray, Sequence[int]]]
    ) -> list[tuple[np.ndarray | None, np.ndarray | None]]:
        """Each different text is read once."""
        device = next(self.net.parameters()).device
        read: dict[bytes, tuple[Tensor, np.ndarray | None]] = {}
        for length in {len(ids_T) for ids_T, _places in texts}:
            some = {ids_T.tobytes(): ids_T for ids_T, _places in texts if len(ids_T) == length}
            x_BTD = self.net(torch.from_numpy(np.stack([*some.values()])).to(device))
            pair_B2 = (
                self.net.follows(x_BTD).softmax(-1).cpu().numpy()
                if self.config.pairs
                else [None] * len(some)
            )
            read |= zip(some, zip(x_BTD, pair_B2, strict=True), strict=True)
        of = [read[ids_T.tobytes()] for ids_T, _ in texts]
        if not self.config.masked:
            return [(None, pair) for _, pair in of]
        rows = [x_TD[list(places)] for (x_TD, _), (_, places) in zip(of, texts, strict=True)]
        fill_NV = self.net.fill(torch.cat(rows)).softmax(-1).split([*map(len, rows)])
        return [(p_NV.cpu().numpy(), pair) for p_NV, (_, pair) in zip(fill_NV, of, strict=True)]

    def trail(self, stop: int, total: int) -> int:
        return min(total, max(stop, self.config.context))

    def to(self, device: str) -> Self:
        self.net.to(device)
        return self

    def weights(self) -> dict[str, np.ndarray]:
        return {k: v.detach().cpu().numpy() for k, v in self.net.state_dict().items()} | state_of(
            self.tokenizer
        )

    def opened(self) -> Weights:
        return opened(self.net, self.config.steps, self.tokenizer)

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        tokenizer = tokenizer_of(config, weights)
        with unfilled():
            net = cls.build(config, len(tokenizer.vocab), tokenizer.end)
            tuning.install(net, config)
        arrays = {k: own(v) for k, v in weights.items() if k != "tokenizer"}
        net.load_state_dict(arrays, assign=True)
        return cls(tuning.merge(net, config), tokenizer, net)


def read_marked(t: Tokenizer, text: str) -> Tokens:
    """[CLS] first sentence [SEP] second sentence [SEP]: a line end or a typed [SEP] begins the
    second, [MASK] is the mask."""
    ids, spans, unknown, at = [t.start], [(0, 0)], list[int](), 0
    lost: list[tuple[int, int]] = []
    for cut in (*SPLIT.finditer(text), None):
        stop = cut.start() if cut else len(text)
        if text[at:stop].strip():
            between = (t.between or (t.end,)) if len(ids) > 1 else ()
            ids += between
            spans += [(0, 0)] * len(between)
            for mask in (*(TYPED_MASK.finditer(text, at, stop) if t.mask >= 0 else ()), None):
                # blanks before a mask belong to it: no tokenizer makes a piece of them
                piece = t.encode(text[at : mask.start()].rstrip() if mask else text[at:stop])
                unknown += [len(ids) + i for i in piece.unknown]
                ids += piece.ids.tolist()
                spans += [(at + a, at + b) for a, b in piece.spans]
                lost += [(at + a, at + b) for a, b in piece.lost]
                if mask:
                    ids.append(t.mask)
                    spans.append(mask.span())
                    at = mask.end()
        at = cut.end() if cut else stop
    ids, spans, named = [*ids, t.end], [*spans, (0, 0)], set(unknown)
    labels = tuple(
        text[slice(*spans[i])] if i in named else t.vocab[id] for i, id in enumerate(ids)
    )
    return Tokens(np.array(ids, np.int64), labels, tuple(spans), tuple(unknown), lost=tuple(lost))


def draw_masked(
    tokenizer: Tokenizer,
    c: Drawn,
    examples: Sentences,
    count: int,
    rng: np.random.Generator,
    plain: bool = False,
) -> tuple[Tensor, Tensor]:
    """As `Bert.draw`."""
    marks = Marks(tokenizer.start, tokenizer.end, tokenizer.mask, (tokenizer.unknown,))
    ids_BT, label_B = examples.draw(count, c.span, marks, rng, c.pairs)
    words = np.setdiff1d(
        np.arange(len(tokenizer.vocab)), (0, marks.start, marks.end, marks.mask, *marks.kept)
    )
    read_BT, y_BT = masked(
        ids_BT, marks, words, 0.15 if plain else c.share, rng, (1.0, 0.0) if plain else FATES
    )
    y_BT[:, 0] = label_B
    return torch.from_numpy(read_BT), torch.from_numpy(y_BT)


def refuse_other_tasks(config: Config) -> None:
    """Encoders that are imported may do more than is trained here."""
    if not config.masked:
        raise ValueError("it learns by predicting masked words; leave `masked` on")
    if config.detects:
        raise ValueError("finding replaced words is not trained here; leave `detects` off")


def sentences_of(lines: Sequence[str], tokenizer: Tokenizer) -> Sentences:
    """The sentences of each line, as ids."""
    cut = [[part for part in SENTENCE_END.split(line) if part.strip()] for line in lines]
    rows = iter(tokenizer.ids([part for parts in cut for part in parts]))
    return Sentences([[ids for ids in (next(rows) for _ in parts) if len(ids)] for parts in cut])


MODEL = Bert

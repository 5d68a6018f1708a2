"""The live pictures of smaller models: what the net's answers lose on the typed text when its weights are rounded or
left out, in every number format, and what it expects next.

Shapes    T = tokens, F = formats, V = vocabulary, R = words listed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from engine.core.cache import remembered
from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.lessons.smaller import nets
from engine.lessons.smaller.formats import FORMATS
from engine.lessons.smaller.nets import HEADS, LARGE, LAYERS, SMALL, WEIGHTS, WHOLE, Net
from engine.lessons.smaller.sentences import SENTENCES
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.neural import NeuralLanguageModel
from engine.models.transformer import Transformer
from engine.runs.store import Run

if TYPE_CHECKING:
    from torch import Tensor

KINDS = (WHOLE, *FORMATS)
SHORT = [kind.replace(" ", "-") for kind in KINDS]  # a space would be drawn as a dot
FIRST, LISTED = KINDS.index("int3 absmax"), 8
CALLED = ((WEIGHTS, "Weights"), (HEADS, "Heads"), (LAYERS, "Layers"))
_read: WeakKeyDictionary[Net, Trace] = WeakKeyDictionary()  # of each smaller net its last trace


def once(model: Net) -> pic.Once:
    width = int(
        np.median([model.weights()[name].shape[-1] for name in nets.tables(model.weights())])
    )
    each_F = np.array([FORMATS[kind].each(width) if kind in FORMATS else 32.0 for kind in KINDS])
    spec = FieldSpec(
        "each", Kind.STATE, ("method",), "Bits of a weight, with what its block takes."
    )
    ranks = [str(n + 1) for n in range(LISTED)]
    return pic.Once(
        {"method": SHORT, "word": model.tokenizer.vocab, "rank": ranks},
        {"method": KINDS},
        tables=((spec, each_F.astype(np.float32)),),
    )


def answers_of(model: Net, trace: Trace) -> np.ndarray:
    """What a smaller net says next behind each token of this trace (T, V): it goes on from what it read before."""
    window = trace.offset, trace.offset + len(trace.ids)
    found = model.trace(
        trace.text, fields=("probability", *model.carries), window=window, after=_read.get(model)
    )
    _read[model] = found
    return np.asarray(found.field("probability").values)


@remembered(2)
def at_once(model: Transformer) -> Callable[[Tensor], Tensor]:
    """Of ids (1, T) the logits (F, T, V) of the net in every format: one pass over weights that lie side by side."""
    import torch
    from torch.func import functional_call, stack_module_state, vmap
    from torch.nn.attention import SDPBackend, sdpa_kernel

    made = [nets.smaller(model, kind).model.net for kind in FORMATS]
    for net in made:
        net.requires_grad_(False)
    state, frame = stack_module_state(made), made[0]
    every = vmap(lambda w, b, ids: functional_call(frame, (w, b), (ids,))[0], in_dims=(0, 0, None))

    def answer(ids_1T: Tensor) -> Tensor:
        with torch.no_grad(), sdpa_kernel(SDPBackend.MATH):
            found: Tensor = every(*state, ids_1T)
        return found

    return answer


def in_every(model: Net, trace: Trace) -> np.ndarray:
    """Answers (F, T, V) of the net in every format of FORMATS."""
    import torch

    if isinstance(model, Transformer) and not trace.offset:
        ids_1T = torch.from_numpy(np.array(trace.ids))[None]
        return np.asarray(at_once(model)(ids_1T).softmax(-1).numpy())
    return np.stack([answers_of(nets.smaller(model, kind).model, trace) for kind in FORMATS])


def derive(model: Net, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """Of a net of at most SMALL weights in every format at once, of a larger one in the format that is chosen."""
    many, ids = nets.count(model), np.asarray(trace.ids)
    if many > LARGE or not len(ids):
        return {"beyond": ((), round(many / 1e6))} if len(ids) else {}
    f = _whole(asks.get("pattern"), FIRST, len(KINDS) - 1)
    what = str(asks.get("ways") or WEIGHTS)
    share = _whole(asks.get("size"), 0, 95) / 100
    p_TV = np.asarray(trace.field("probability").values)
    what = what if what in nets.removable(model) else WEIGHTS
    now = nets.smaller(model, KINDS[f], what, share, SENTENCES)
    q_TV = answers_of(now.model, trace)
    lost_TF, apart_TF = np.full((2, len(ids), len(KINDS)), np.nan)
    for kinds, of_FTV in _each(model, trace, f, p_TV, None if share else q_TV):
        apart_TF[:, kinds] = nets.divergence(p_TV, of_FTV).T
        lost_TF[1:, kinds] = (nets.cost(of_FTV, ids[1:]) - nets.cost(p_TV, ids[1:])).T
    before_T, after_T = (np.r_[np.nan, nets.cost(of, ids[1:])] for of in (p_TV, q_TV))
    rank_TR = np.argsort(-p_TV, axis=1, kind="stable")[:, :LISTED]
    token, both, listed = ("token",), ("token", "method"), ("token", "rank")
    some = len(ids) > 1
    return {
        "apart": (both, apart_TF),
        "lost": (both, lost_TF),
        "apart.mean": (("method",), apart_TF.mean(0)),
        "lost.mean": (("method",), lost_TF[1:].mean(0) if some else lost_TF[0]),
        "cost": (token, before_T),
        "cost.now": (token, after_T),
        "moved": (token, nets.divergence(p_TV, q_TV)),
        "first": (token, rank_TR[:, 0]),
        "first.now": (token, q_TV.argmax(1)),
        "rank.word": (listed, rank_TR),
        "rank.p": (listed, np.take_along_axis(p_TV, rank_TR, 1)),
        "rank.q": (listed, np.take_along_axis(q_TV, rank_TR, 1)),
        "more": ((), (after_T - before_T)[1:].mean() if some else np.nan),
        "size.now": ((), now.size / 1e6),
        "sparse": ((), now.sparse / 1e6 if now.sparse < now.size else np.nan),
        "size.whole": ((), 4 * many / 1e6),
        "zeros": ((), now.zeros),
        "gone": ((), len(now.gone)),
        "large": ((), many > SMALL),
    }


def _each(
    model: Net, trace: Trace, f: int, p_TV: np.ndarray, q_TV: np.ndarray | None
) -> Iterator[tuple[slice, np.ndarray]]:
    """Formats, and the answers in them; `q_TV`: those in format f, where they are known."""
    yield slice(0, 1), p_TV[None]
    if nets.count(model) <= SMALL:
        yield slice(1, len(KINDS)), in_every(model, trace)
    elif f:
        found = answers_of(nets.smaller(model, KINDS[f]).model, trace) if q_TV is None else q_TV
        yield slice(f, f + 1), found[None]


def _whole(asked: object, first: int, most: int) -> int:
    if isinstance(asked, str) and asked.isdigit():
        asked = int(asked)
    return asked if isinstance(asked, int) and 0 <= asked <= most else first


BEYOND = (
    "This net has {beyond:n} million weights, too many for a smaller copy at every key: the part “Measured” below"
    " measures it, on a text of yours, too."
)
WANTED = "Type something: each token gets a bar."
LOST = pic.Picture(
    "lost",
    pic.Over(
        (
            pic.Bars(
                "moved",
                (("first.now!=first", "line-1"), ("", "accent")),
                ("{first:word}", "↓ {first.now:word}"),
                "first.now!=first",
            ),
        ),
        top=40,
        high=190,
        widest=90,
        scale="number",
    ),
    "What the answers lose",
    "{method:called}[{?size>0}, {ways}: {size:n} % left out]: {size.now} MB instead of {size.whole} MB",
    "A bar is how far the answer behind a token moves: the KL divergence from the answer of the whole net, in bits."
    " Orange: the likeliest next token is another one; above the bar what it was, and what it became.",
    (
        "“{token}” costs {cost.now} bits in place of {cost}; the answer behind it moves by {moved} bits. Over the"
        " text a token costs {more} bits more.[{?gone>0} {gone:n} {gone|part is|parts are} left out.][{?zeros>0.001}"
        " {zeros:%} of the weights are 0.][ Without those, and with a bit for each that says so, it would be"
        " {sparse} MB.]",
        "The answer behind “{token}” moves by {moved} bits.",
        BEYOND,
        WANTED,
    ),
    controls=(
        pic.Pick("method", label="weights as", asks=True),
        pic.Choice("ways", CALLED, WEIGHTS, True),
        pic.Amount("size", 0, 95, 5, 0, "{size:n} % left out", asks=True),
    ),
    table=pic.table(
        "token",
        "token: {token} | bits: {cost} | bits now: {cost.now} | KL behind it: {moved}"
        " | likeliest next: {first:word} | now: {first.now:word}",
    ),
)
EVERY = pic.Picture(
    "formats",
    pic.Over((pic.Cells("apart", "bits"),), pic.Rows("method", len(KINDS)), least=16),
    "Every format on your text",
    says="A row for each number format, a column for each token; the darker, the further the answer behind the token"
    " moves (up to 1 bit). Nothing is left out here. Click a row to choose its format above."
    "[ {?large}A net of this size is read in the chosen format only.]",
    tell=(
        "{method:called}, {each:plain} bits a weight: the answer behind “{token}” moves by {apart} bits, over the text"
        " by {apart.mean} on average.",
        BEYOND,
        WANTED,
    ),
    side="left",
    table=pic.table(
        "method",
        "format: {method:called} | bits of a weight: {each} | KL in bits: {apart.mean}"
        " | more bits per token: {lost.mean}",
    ),
)
NEXT = pic.Picture(
    "next",
    pic.Columns(
        pic.Rows("rank", LISTED),
        (
            pic.Words("Next", "{rank.word:word}"),
            pic.Column("Whole", "rank.p", wide=1.4),
            pic.Column("Smaller", "rank.q", colour="line-1", wide=1.4),
        ),
    ),
    "What comes next",
    "Behind “{token}”: the whole net, and the smaller one",
    "The likeliest tokens of the whole net, and what the smaller one gives them.",
    "“{rank.word:word}”: {rank.p:%}, and {rank.q:%} in the smaller net.",
    side="right",
    table=pic.table("rank", "next: {rank.word:word} | whole: {rank.p:%} | smaller: {rank.q:%}"),
    saves=pic.Saves(("probability",), ("token",), "bars", {"top": 12}),
)
PICTURES = pic.Live(
    (),
    (LOST, EVERY, NEXT),
    once,
    derive,
    also=("probability",),
    shades={"bits": FieldSpec("bits", Kind.LOSS, (), "", domain=(0, 1))},
    derives=NeuralLanguageModel,
    unit=lambda model: "characters" if model.tokenizer.id == "chars" else "tokens",
    places={"method": pic.Place("pattern", first=FIRST), "rank": pic.Place("other", first=0)},
    vertical="method",
    most=240,
)


def stage(shown: Mapping[str, Run], **chosen: Any) -> Stage:
    """Where no heads and layers can be taken out, they are not offered."""
    model = cache.model(shown["net"])
    live = PICTURES
    if not isinstance(model, NeuralLanguageModel) or len(nets.removable(model)) == 1:
        lost = replace(
            LOST, controls=tuple(one for one in LOST.controls if not isinstance(one, pic.Choice))
        )
        live = replace(live, pictures=(lost, *live.pictures[1:]))
    return declared.stage(live, dict(shown), "net")


LIVE = stage

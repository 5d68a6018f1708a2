"""The stops of a forward pass: where each vector stands, what it is called, and what happens
there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import Trace
from engine.language.message import _
from engine.lessons.transformer import lens
from engine.live import cache
from engine.runs.store import Run

if TYPE_CHECKING:
    from engine.models.abilities import Attends

ADDED = {"learned", "sinusoidal"}
CALIBRATION = (
    "The old man went down to the sea, and the people of the village asked him why he had come"
    " back."
)


# what stands at a stop: letter, short name, and whether it is the stream itself
KINDS = {
    "token": ("e", "token", False),
    "place": ("p", "place", False),
    "segment": ("s", "part", False),
    "stream": ("x", "stream", True),
    "norm": ("n", "norm", False),
    "attention": ("A", "attn", False),
    "feed-forward": ("F", "FFN", False),
    "logits": ("l", "logits", False),
    "probabilities": ("P", "prob.", False),
}


def _stop(kind: str, title: str, says: str, **more: Any) -> dict[str, Any]:
    letter, short, stream = KINDS[kind]
    shown = {"name": kind, "letter": letter, "short": short, "stream": stream}
    return {**shown, "title": title, "says": says, **more}


def stops(model: Attends[Any]) -> list[dict[str, Any]]:
    """In order.  A stop is a field, the norm of an earlier stop, or a list of words."""
    d = model.tower.design
    place = "Nothing is added here: this model encodes positions inside its attention."
    if d.position in ADDED:
        place = _(
            "The position vector, added for its place in the text: {position}.", position=d.position
        )
    normed = "" if model.causal else ", and normalised"
    begins = _("All of them added{normed}: the stream that all layers write into.", normed=normed)
    found = [
        _stop(
            "token",
            "token embedding",
            "The vector learned for this token. It is the same wherever the token stands.",
            field="embedding.token",
        ),
        _stop("place", "place", place, field="embedding.position"),
    ]
    if "embedding.segment" in {spec.name for spec in model.spec()}:
        says = "Added for the sentence it stands in, the first or the second."
        found.append(_stop("segment", "segment", says, field="embedding.segment"))
    if d.embedding not in (0, d.width):  # vectors of another width have no place beside the rest
        begins = _(
            "Embeddings of {embedding} numbers, added and normalised, times a matrix that"
            " makes {width} of them: the stream that all layers write into.",
            embedding=d.embedding,
            width=d.width,
        )
        found = []
    found.append(_stop("stream", "the stream begins", begins, field="residual.before"))
    for layer in range(d.layers):
        at = len(found)
        if d.first and not d.read_norm:
            found += _unread(layer, at)
        elif d.bare and not layer:
            found += _bare(at)
        else:
            found += _before(layer, at, d.parallel, d.bare) if d.first else _after(layer, at)
    if d.first:
        says = "The stream, normalised a last time before it is read out."
        last = 2 * d.layers - d.bare if d.read_norm else 0
        found.append(_stop("norm", "last norm", says, norm=last, of=len(found) - 1))
    # an encoder that was never taught words: its vectors are all it gives
    if not lens.has_lens(model):
        return found
    count = f"{len(model.tokenizer.vocab):,}"
    logits = _(
        "The vector times the output weights: one number for each of {count} tokens.", count=count
    )
    softmax = _(
        "Exponentials divided by their sum: {count} probabilities that sum to 1.", count=count
    )
    return [
        *found,
        _stop("logits", "logits", logits, words="logit"),
        _stop("probabilities", "softmax", softmax, words="probability"),
    ]


ATTENDS = "What all heads together read from the tokens they look at."
ASIDE = (
    "The stream before this layer, normalised: in this model the feed-forward block reads the same"
    " as attention does, and both outputs are added."
)
THINKS = "What a small network computes from this token's vector alone; it sees no other token."


def _before(layer: int, at: int, parallel: bool, bare: bool = False) -> list[dict[str, Any]]:
    """Norm first: six stops of one layer, the first of which is number `at`.  In parallel both
    norms read the stream before the layer.  `bare`: the first layer has one norm less."""
    name = _("layer {layer}", layer=layer + 1)
    attends, thinks = {"adds": at - 1, "then": at + 2}, {"adds": at + 2, "then": at + 5}
    scaled = (
        "The stream, normalised, as the {block} block reads it. The stream itself is unchanged."
    )
    found = [
        _stop(
            "norm",
            _("{name}, norm", name=_(name)),
            _(scaled, block="attention"),
            norm=2 * layer - bare,
            of=at - 1,
        ),
        _stop(
            "attention",
            _("{name}, attention", name=_(name)),
            ATTENDS,
            field="attention.output",
            **attends,
        ),
        _stop(
            "stream",
            _("{name}, stream after attention", name=_(name)),
            "The stream plus the attention output: nothing is replaced, it is added.",
            field="residual.middle",
        ),
        _stop(
            "norm",
            _("{name}, second norm", name=_(name)),
            ASIDE if parallel else _(scaled, block=_("feed-forward")),
            norm=2 * layer + 1 - bare,
            of=at - 1 if parallel else at + 2,
        ),
        _stop(
            "feed-forward",
            _("{name}, feed-forward", name=_(name)),
            THINKS,
            field="feed_forward.output",
            **thinks,
        ),
        _stop(
            "stream",
            _("{name}, stream after feed-forward", name=_(name)),
            "The stream plus the feed-forward output, as it leaves the layer.",
            field="residual",
        ),
    ]
    return [{**stop, "layer": layer} for stop in found]


def _bare(at: int) -> list[dict[str, Any]]:
    """The first layer, whose attention reads the stream as it begins: five stops."""
    of = {-1: at - 1, 2: at + 1, 5: at + 4}
    found = _before(0, 0, False, True)[1:]
    return [{**s, **{k: of[s[k]] for k in ("adds", "then", "of") if k in s}} for s in found]


def _unread(layer: int, at: int) -> list[dict[str, Any]]:
    """No norm before, one over what is added: four stops of one layer."""
    of = {-1: at - 1, 2: at + 1, 5: at + 3}
    found = [stop for stop in _before(layer, 0, False) if "norm" not in stop]
    return [{**stop, **{k: of[stop[k]] for k in ("adds", "then") if k in stop}} for stop in found]


def _after(layer: int, at: int) -> list[dict[str, Any]]:
    """Norm after: four stops of one layer."""
    name = _("layer {layer}", layer=layer + 1)
    attends, thinks = {"adds": at - 1, "then": at + 1}, {"adds": at + 1, "then": at + 3}
    found = [
        _stop(
            "attention",
            _("{name}, attention", name=_(name)),
            ATTENDS,
            field="attention.output",
            **attends,
        ),
        _stop(
            "stream",
            _("{name}, add and norm", name=_(name)),
            "The stream plus the attention output, normalised.",
            field="residual.middle",
        ),
        _stop(
            "feed-forward",
            _("{name}, feed-forward", name=_(name)),
            THINKS,
            field="feed_forward.output",
            **thinks,
        ),
        _stop(
            "stream",
            _("{name}, add and norm again", name=_(name)),
            "The stream plus the feed-forward output, normalised, as it leaves the layer.",
            field="residual",
        ),
    ]
    return [{**stop, "layer": layer} for stop in found]


def scales(model: Attends[Any]) -> list[dict[str, Any]]:
    """What the norms multiply by and add, in the order of the stops; none where they are not stops
    of their own."""
    from engine.nn.norm import shift as shift_of

    tower = model.tower
    if not tower.design.first:
        return []
    blocks = [tower.block(layer) for layer in range(tower.design.layers)]
    norms = [n for block in blocks for n in (block.norm_1, block.norm_2) if n is not None]
    norms += [tower.norm] if tower.norm is not None else []
    layered = tower.design.norm == "layer"
    shifts = [None if (added := shift_of(n)) is None else _rounded(added) for n in norms]
    return [
        {"gain": _rounded(n.weight), "shift": shift, "epsilon": n.eps or 0.0, "layer": layered}
        for n, shift in zip(norms, shifts, strict=True)
    ]


def _rounded(values: Any) -> list[float]:
    return [float(f"{v:.7g}") for v in values.detach().float().cpu().tolist()]


def reach(run: Run, model: Attends[Any]) -> float:
    """The number that takes the last colour: 19 of 20 numbers of the streams over a plain sentence
    are smaller."""
    tokens = len(model.tokens(CALIBRATION))
    trace = cache.trace(run, model, CALIBRATION, ("residual",), (0, tokens))
    high = float(np.percentile(np.abs(trace.field("residual").values), 95))
    step = 10.0 ** math.floor(math.log10(max(high, 1e-6)))
    return step * math.ceil(high / step)


def vectors(model: Attends[Any], trace: Trace, t: int, walk: list[dict[str, Any]]) -> np.ndarray:
    """The vector of token t at every stop that has one (stops, units), as the browser makes
    them."""
    norms, found = scales(model), list[np.ndarray]()
    for stop in walk:
        if stop.get("words"):
            continue
        if "norm" in stop:
            n, x = norms[stop["norm"]], found[stop["of"]]
            x = x - x.mean() if n["layer"] else x
            normed = x / np.sqrt((x**2).mean() + n["epsilon"]) * n["gain"]
            found.append(normed + (0 if n["shift"] is None else n["shift"]))
        else:
            values = trace.field(stop["field"]).values
            found.append(values[stop.get("layer", 0), t] if values.ndim == 3 else values[t])
    return np.stack(found)

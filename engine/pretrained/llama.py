"""Llama: a decoder with rotary places, root-mean-square norms, gated feed-forward parts and heads
that share keys.

Source    Touvron et al., LLaMA: Open and Efficient Foundation Language Models, 2023; Llama 2, 2023;
          scaled places: Grattafiori et al., The Llama 3 Herd of Models, 2024, sec. 3.2
Shapes    matrices are kept (out, in)
Differs   Of the ways to scale its places those are here that do not depend on the text: linear
          (position interpolation), llama3 and yarn.  "dynamic" changes only texts that are longer
          than its context, and those are never read whole here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.language.message import refusal
from engine.pretrained.base import BENDS, Family, Names, Parts, one_of, stacked, written

LAYER = {
    "norm_1": ("input_layernorm",),
    "attention.qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "attention.out": ("self_attn.o_proj",),
    "norm_2": ("post_attention_layernorm",),
    "feed_forward.up": ("mlp.up_proj",),
    "feed_forward.gate": ("mlp.gate_proj",),
    "feed_forward.down": ("mlp.down_proj",),
}


GATES = {"silu": "swiglu", "gelu_tanh": "geglu"}
GATED = tuple(name for name, ours in BENDS.items() if ours in GATES)
ROPES = ("default", "linear", "dynamic", "llama3", "yarn")


def settings(c: Any, names: Names) -> dict[str, Any]:
    refuse_partial(c)
    return decoder(c, names) | {"norm": "rms", "epsilon": c.rms_norm_eps} | places(c)


def decoder(c: Any, names: Names, bend: str = "hidden_act") -> dict[str, Any]:
    """Settings of what is built like it, whatever its norms and however its places turn.  `bend`:
    what it calls its activation."""
    written(c, names)
    return {
        "width": c.hidden_size,
        "heads": c.num_attention_heads,
        "groups": c.num_key_value_heads,
        "head_width": getattr(c, "head_dim", None) or 0,
        "layers": c.num_hidden_layers,
        "context": c.max_position_embeddings,
        "inner": c.intermediate_size,
        "activation": GATES[BENDS[one_of(c, bend, GATED)]],
        "position": "rope",
        "bias": any(biases(c)),
        "tied": bool(c.tie_word_embeddings),
        "span": min(128, c.max_position_embeddings),
    }


def biases(c: Any) -> tuple[bool, bool]:
    """Whether attention has biases, and the feed-forward part."""
    return getattr(c, "attention_bias", False), getattr(c, "mlp_bias", False)


def places(c: Any, of: str = "") -> dict[str, Any]:
    """Our settings of the rotary places.  ValueError for a way that we do not have.

    of  the kind of layers, where each has its own
    """
    every = c.rope_parameters or {}
    rope = dict(every[of] if of else every)
    kind = rope.pop("rope_type", "default")
    if kind not in ROPES:
        raise refusal(
            "checkpoints whose rope_parameters have rope_type = {kind!r} can't be shown; only"
            " {ROPES} can"
        )
    found: dict[str, Any] = {"base": float(rope.pop("rope_theta", 10_000.0))}
    factor = float(rope.get("factor") or 1.0)
    trained = rope.get("original_max_position_embeddings") or c.max_position_embeddings
    if kind == "linear":
        found["stretch"] = 1.0 / factor
    elif kind == "llama3":
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        found["scaling"] = _words(kind, factor, low, high, trained)
    elif kind == "yarn":
        factor = float(rope.get("factor") or c.max_position_embeddings / trained)
        if not rope.get("truncate", True):
            raise ValueError(
                "checkpoints whose rope_parameters have truncate = False can't be shown; only True can"
            )
        low, high = rope.get("beta_slow") or 1, rope.get("beta_fast") or 32
        found["scaling"] = _words(kind, factor, low, high, trained, _gain(rope, factor))
    return found


def partial(c: Any) -> dict[str, Any]:
    """The same where a part of each head turns."""
    share = (c.rope_parameters or {}).get("partial_rotary_factor")
    return places(c) | {"rotary": float(share or 1.0)}


def refuse_partial(c: Any) -> None:
    """ValueError where scaled places turn a part of each head only: unscaled ones ignore that."""
    rope = dict(c.rope_parameters or {})
    if rope.get("partial_rotary_factor", 1.0) != 1 and rope.get("rope_type") != "default":
        raise ValueError(
            "checkpoints whose rope_parameters scale the positions and turn a part of each head"
            " can't be shown; only one of the two can"
        )


def slowed(factor: float) -> str:
    """All pairs turn so many times slower, as one that turns too seldom does in Llama 3."""
    return _words("llama3", factor, 1e9, 1e9, 1.0)


def _words(kind: str, *numbers: float) -> str:
    return ":".join((kind, *(repr(float(n)) for n in numbers)))


def _gain(rope: Mapping[str, Any], factor: float) -> float:
    """What yarn multiplies queries and keys by."""

    def of(share: float = 1.0) -> float:
        return 1.0 if factor <= 1 else 0.1 * share * math.log(factor) + 1.0

    if (said := rope.get("attention_factor")) is not None:
        return float(said)
    one, all_of = rope.get("mscale"), rope.get("mscale_all_dim")
    return of(one) / of(all_of) if one and all_of else of()


def parts(c: Any, layer: Parts = LAYER) -> Parts:
    return {
        "embed": ("embed_tokens",),
        "tower.norm": ("norm",),
        **stacked("tower.blocks.{}.", "layers.{}.", c.layers, layer),
        **({} if c.tied else {"output": ("lm_head",)}),
    }


def silent(c: Any) -> tuple[str, ...]:
    """Of its biases it can have those of attention alone, or those of the feed-forward part."""
    attention, feed_forward = biases(c)
    if attention == feed_forward:
        return ()
    return ("feed_forward.",) if attention else ("attention.",)


FAMILY = Family("transformer", ("model.",), settings, parts, silent=silent)

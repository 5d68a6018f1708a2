"""ModernBERT: an encoder with norms before each part, rotary places, gated feed-forward parts, and a window
in all but every third layer, with a base of its own.

Source    Warner et al., Smarter, Better, Faster, Longer: A Modern Bidirectional Encoder, 2024, sec. 2
Shapes    matrices are kept (out, in)
Differs   Norms and the head for masked words have biases of 0 where it has none.  Its layers without a
          window are the first, the fourth ...; another order is not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.language.message import refusal
from engine.pretrained import bert, llama
from engine.pretrained.base import BENDS, Family, Names, Parts, bend, demand, one_of, stacked
from engine.pretrained.layered import KINDS

if TYPE_CHECKING:
    from torch import Tensor

LAYER = {
    "norm_1": ("attn_norm",),
    "attention.qkv": ("attn.Wqkv",),
    "attention.out": ("attn.Wo",),
    "norm_2": ("mlp_norm",),
    "feed_forward.both": ("mlp.Wi",),
    "feed_forward.down": ("mlp.Wo",),
}
WORDS = {
    "guess.dense": ("head.dense",),
    "guess.norm": ("head.norm",),
    "guess.bias": ("decoder.bias",),
}
GATES = {"gelu": "geglu_erf", "gelu_tanh": "geglu", "silu": "swiglu"}


def settings(c: Any, names: Names) -> dict[str, Any]:
    masked = "decoder.bias" in names
    bert.tied(c, masked)
    c.ignores("classifier_pooling", "classifier_bias", "norm_bias", "deterministic_flash_attn")
    c.ignores("sparse_prediction", "sparse_pred_ignore_index")  # of training
    if not masked:
        demand(c, decoder_bias=True)  # else nothing tells whether there is a head
    one_of(c, "hidden_activation", [name for name, ours in BENDS.items() if ours in GATES])
    activation, head = bend(c, "hidden_activation"), bend(c, "classifier_activation")
    if masked and head != activation:
        raise refusal(
            "checkpoints with hidden_activation = {layers} and classifier_activation = {head} can't be"
            " shown; only equal ones can",
            layers=repr(c.hidden_activation),
            head=repr(c.classifier_activation),
        )
    return {
        "width": c.hidden_size,
        "heads": c.num_attention_heads,
        "layers": c.num_hidden_layers,
        "context": c.max_position_embeddings,
        "inner": c.intermediate_size,
        "activation": GATES[activation],
        "segments": 0,
        "epsilon": c.norm_eps,
        "masked": masked,
        "pairs": False,
        "span": min(64, c.max_position_embeddings),
        "norm_first": True,
        "bias": bool(c.attention_bias or c.mlp_bias),
        "position": "rope",
        **_windows(c),
    }


def _windows(c: Any) -> dict[str, Any]:
    """Which layers look how far, and by which base their places turn."""
    near, far = ([kind == one for kind in c.layer_types] for one in KINDS)
    every = next((i for i, full in enumerate(far) if full and i), len(far))
    if far != [i % every == 0 for i in range(len(far))] and any(far) and any(near):
        raise refusal(
            "checkpoints with layer_types = {found} can't be shown; only the first layer and every"
            " second, third ... after it can be without a window",
            found=repr(c.layer_types)[:200],
        )
    bases = [llama.places(c, kind) for kind in KINDS]
    if any(set(base) != {"base"} for base in bases):
        raise ValueError(
            "checkpoints whose rope_parameters scale the positions can't be shown; only those that do"
            " not can"
        )
    slow, fast = (base["base"] for base in bases[::-1])
    c.ignores("local_attention")
    if not any(near):
        return {"base": slow}
    return {
        "base": slow,
        "near_base": fast,
        "sliding_window": c.local_attention // 2 + 1,
        "full_every": every if any(far) else 0,
    }


def parts(c: Any) -> Parts:
    made = {
        "embed": ("embeddings.tok_embeddings",),
        "norm": ("embeddings.norm",),
        "tower.norm": ("final_norm",),
        **stacked("tower.blocks.{}.", "layers.{}.", c.layers, LAYER),
        **(WORDS if c.masked else {}),
    }
    del made["tower.blocks.0.norm_1"]
    return made


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    for name in [name for name in made if ".feed_forward.both." in name]:
        gate, up = made.pop(name).chunk(2)
        made |= {name.replace("both", "gate"): gate, name.replace("both", "up"): up}
    return made


def silent(theirs: Any) -> tuple[str, ...]:
    """Parts whose biases it does not have, and ours has."""
    absent = {
        "norm": not theirs.norm_bias,
        "guess.dense": not theirs.classifier_bias,
        "attention.": theirs.mlp_bias and not theirs.attention_bias,
        "feed_forward.": theirs.attention_bias and not theirs.mlp_bias,
    }
    return tuple(part for part, gone in absent.items() if gone)


FAMILY = Family(
    "bert", ("model.",), settings, parts, marks="masked", arranged=arranged, silent=silent
)

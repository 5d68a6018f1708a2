"""The encoder-decoder: against torch's own Transformer, filling changes nothing, the target moves
one place, decoding stops at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.analysis import decode
from engine.analysis.decode.beam import best
from engine.models.encoder_decoder import MODEL, Config, Net
from engine.text.tokenizers.words import Words
from tests.conftest import shipped, small, together

Trained = Callable[[str], Any]
WORDS = Words("Le chat s'est assis the cat sat on a dog".split())


def model(**more: Any) -> Any:
    torch.manual_seed(1)
    config = Config(
        **{"width": 16, "heads": 4, "layers": 2, "context": 24, "span": 12, "norm_first": False}
        | more
    )
    made = MODEL(config, WORDS, Net(len(WORDS.vocab), config))
    for name, p in made.net.named_parameters():
        nn.init.normal_(p, float("norm" in name and name.endswith("weight")), 0.3)
    return made


def theirs(ours: Any) -> nn.Transformer:
    """torch's Transformer with our numbers."""
    c, state = ours.config, ours.net.state_dict()
    made = nn.Transformer(
        c.width,
        c.heads,
        c.layers,
        c.layers,
        4 * c.width,
        0.0,
        "relu",
        batch_first=True,
        norm_first=c.norm_first,
    )
    names = {
        "self_attn.in_proj_": "attention.qkv.",
        "self_attn.out_proj.": "attention.out.",
        "multihead_attn.out_proj.": "cross.out.",
        "linear1.": "feed_forward.up.",
        "linear2.": "feed_forward.down.",
        "norm1.": "norm_1.",
    }
    found = {}
    for name in made.state_dict():
        tower, _, rest = name.partition(".")
        if rest.startswith("norm."):  # torch puts a norm on top of both towers in any case
            found[name] = (
                state[f"{tower}.norm.{rest[5:]}"]
                if c.norm_first
                else torch.ones(c.width)
                if rest.endswith("weight")
                else torch.zeros(c.width)
            )
            continue
        _, i, part = rest.split(".", 2)
        here = f"{tower}.blocks.{i}."
        if part.startswith("multihead_attn.in_proj_"):
            end = part.removeprefix("multihead_attn.in_proj_")
            found[name] = torch.cat(
                (state[f"{here}cross.ask.{end}"], state[f"{here}cross.offer.{end}"])
            )
            continue
        last = {"encoder": "norm2.", "decoder": "norm3."}[tower]
        renamed = {**names, last: "norm_2."} | (
            {"norm2.": "norm_cross."} if tower == "decoder" else {}
        )
        prefix = next(p for p in renamed if part.startswith(p))
        found[name] = state[here + renamed[prefix] + part.removeprefix(prefix)]
    made.load_state_dict(found)
    return made.eval()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm_first", [True, False])
def test_the_numbers_are_those_of_torch(norm_first: bool) -> None:
    ours = model(norm_first=norm_first)
    made = theirs(ours)
    if not norm_first:  # without the norms on top, which the paper does not have
        made.encoder.norm = made.decoder.norm = None
    text = "the cat sat on\nLe chat"
    tokens = ours.tokens(text)
    with torch.no_grad():
        x, y = (
            ours.net.embed(torch.from_numpy(part.ids))[None] for part in (tokens.source, tokens)
        )
        x, y = ours.net.encoder.placed(x), ours.net.decoder.placed(y)
        found = made(x, y, tgt_mask=nn.Transformer.generate_square_subsequent_mask(y.shape[1]))
        want = (found @ ours.net.embed.weight.T).softmax(-1)[0]
    np.testing.assert_allclose(
        ours.trace(text).field("probability").values, want.numpy(), atol=2e-5
    )


def test_cross_attention_by_hand() -> None:
    """Weights of one head from its own query and keys; a row for each target token, a column for
    each source token."""
    ours = model()
    trace = ours.trace("the cat sat on\nLe chat")
    q_LNTK, k_LNSK = (trace.field(f"cross.{name}").values for name in ("query", "key"))
    score_LNTS = q_LNTK @ k_LNSK.swapaxes(-1, -2) / 4**0.5
    want = np.exp(score_LNTS - score_LNTS.max(-1, keepdims=True))
    field = trace.field("cross.attention")
    np.testing.assert_allclose(field.values, want / want.sum(-1, keepdims=True), atol=1e-5)
    assert field.values.shape == (2, 4, 3, 5)
    assert field.axis("source").labels == ("the", "cat", "sat", "on", "</s>")
    assert field.axis("query").labels == ("<s>", "Le", "chat")
    seen = trace.field("encoder.attention")
    assert seen.axis_names == ("layer", "head", "source", "seen") and (seen.values > 0).all()
    assert not np.triu(trace.field("attention").values, 1).any()
    assert np.array_equal(trace.field("mask").values, np.tri(3))


def test_the_target_moves_one_place_to_the_right() -> None:
    # [Le, chat, s'est, end] is read as [start, Le, chat, s'est]: the notes' own example
    ours = model()
    x_2BL, y_BL = ours.batch(
        ours.numbered([("the cat sat", "Le chat s'est"), ("the cat sat on a dog", "Le")])
    )
    vocab = WORDS.vocab
    assert [vocab[i] for i in y_BL[0][:4]] == ["Le", "chat", "s'est", "</s>"]
    assert [vocab[i] for i in x_2BL[1, 0][:4]] == ["<s>", "Le", "chat", "s'est"]
    assert y_BL[0].tolist()[4:] == [-100] * 3 and x_2BL[:, 0].tolist()[1][4:] == [-1] * 3
    assert [vocab[i] for i in x_2BL[0, 1]] == ["the", "cat", "sat", "on", "a", "dog", "</s>"]


@together("between", ["\n", "\t", " => ", "=>", " \t "])
def test_what_stands_between_source_and_target(between: str) -> None:
    ours = model()
    text = f"the cat{between}Le chat"
    tokens = ours.tokens(text)
    assert tokens.labels == ("<s>", "Le", "chat") and tokens.source.labels == ("the", "cat", "</s>")
    assert [text[a:b] for a, b in tokens.spans] == ["", "Le", "chat"]
    assert tokens[1:].source is tokens.source and tokens.after(1, "x").source is tokens.source
    long = ours.tokens("the cat " * 5000 + between + "Le chat")
    assert len(long.source) == 24 and long.source.labels[-1] == "</s>", "cut, and it still ends"
    assert long.labels == ("<s>", "Le", "chat")
    alone = ours.tokens("the zebra sat")
    assert alone.labels == ("<s>",) and alone.source.unknown == (1,)
    assert alone.source.labels == ("the", "zebra", "sat", "</s>"), "a line alone is all source"


def test_it_learns_and_every_way_of_decoding_agrees() -> None:
    """Four sentences by heart; greedy decoding in a batch, token by token, and the best of a beam
    say the same."""
    config = replace(small(MODEL), steps=100, width=32, layers=1, rate=1e-2, tokenizer="words")
    made = [p.model for p in MODEL.fit(MODEL.sample * 12, config, seed=0) if p.model][-1]
    lines = MODEL.sample.splitlines()
    found = made.judge(lines)
    assert found["exact"] == 1 and found["nats"] < 0.2 and found["pairs"] == 4
    for line in lines:
        source, target = line.split("\t")
        place = decode.read(made, made.tokens(source))
        ids = made.tokenizer.ids([target])[0].tolist()
        assert made.translated(torch.from_numpy(made.source(source).ids)[None])[0][:-1] == ids
        first = best(list(decode.beams(place, 3, 12, [made.tokenizer.boundary])), 0)[0]
        assert list(first.ids)[:-1] == ids
        assert (
            "".join(decode.sample(made, f"{source}\n", steps=len(ids), temperature=0)).split()
            == target.split()
        )


@together("line", ["no tab here", "only\t", "\tonly", "x" * 100])
def test_a_line_without_a_translation_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=r"line 2, .*not a text, a tab and its translation"):
        list(MODEL.fit(f"a cat\tun chat\n{line}\n", small(MODEL), seed=0))


@together(
    ("english", "french"),
    [
        ("The cat sat on the mat", "Le chat s'est assis sur le tapis"),  # the example of the notes
        ("The small black cat ate the mouse", "Le petit chat noir a mangé la souris"),
        (
            "The dog did not cross the street because it was tired",
            "Le chien n'a pas traversé la rue parce qu'il était fatigué",
        ),
        (
            "The dog did not cross the street because it was wide",
            "Le chien n'a pas traversé la rue parce qu'elle était large",
        ),
        ("The book is white and it is small", "Le livre est blanc et il est petit"),
    ],
)
def test_the_shipped_translator_says_what_the_page_promises(english: str, french: str) -> None:
    ours = shipped("translator")
    ids = ours.translated(torch.from_numpy(ours.source(english).ids)[None])[0]
    assert ours.tokenizer.decode(ids[:-1]) == french and ids[-1] == ours.tokenizer.boundary

"""Heads that share keys and values: the cache that it saves, and what it costs a trained model."""

from __future__ import annotations

import streamlit as st
import torch

from engine.analysis.costs import kvcache
from engine.analysis.costs.kvcache import MODELS, divisors
from engine.analysis.masks import shared
from engine.live import cache
from engine.models.transformer import Transformer
from engine.runs.store import Run
from pages.ui import plate, rows
from pages.ui.choice import one_of

FORMATS = {"float32": 4, "float16": 2, "int8": 1}
TOKENS = (1_024, 2_048, 4_096, 8_192, 32_768, 131_072)
GIB = 2**30
WIDTH, HEADS, READ = 256, 8, 128
DRAWN = ("GPT-2 small", "Llama 2 7B", "Llama 3 8B", "Gemma 2B")
SAMPLE = "The king spoke to the queen, and she said nothing at all before the end of the day."


def show(run: Run) -> None:
    st.markdown(
        "To write a token, a Transformer reads the keys and values of all tokens before it again. They are"
        " kept: the **KV cache**. Its size is 2 · layers · groups · width of a head · tokens · bytes. Heads"
        " that share keys and values (**grouped-query**; with one group **multi-query**) keep less of them."
    )
    a, b = st.columns((3, 2), vertical_alignment="bottom")
    tokens = int(
        a.select_slider(
            "Tokens read", TOKENS, 4_096, format_func=lambda n: f"{n:,}", key="kv.tokens"
        )
    )
    each = FORMATS[one_of("Number format", [*FORMATS], "kv.format", "float16", where=b)]
    table = {
        "model": [m.name for m in MODELS],
        "layers": [m.layers for m in MODELS],
        "attention heads": [m.heads for m in MODELS],
        "groups of heads": [m.groups for m in MODELS],
        "width of a head": [m.dim for m in MODELS],
        "cache, GiB": [m.bytes(tokens, each) / GIB for m in MODELS],
        "with a group for each head": [m.bytes(tokens, each, m.heads) / GIB for m in MODELS],
        "memory saved": [1 - m.groups / m.heads for m in MODELS],
    }
    forms = {"cache, GiB": "%.2f", "with a group for each head": "%.2f", "memory saved": rows.SHARE}
    rows.show(table, "kv.models", forms, room=900)  # in a fold
    st.caption("One text. A server that answers many keeps as much for each of them.")
    series = [
        (m.name, TOKENS, [m.bytes(n, each) / GIB for n in TOKENS])
        for m in MODELS
        if m.name in DRAWN
    ]
    left, right = st.columns(2, gap="medium")
    plate.show(
        plate.lines(
            "kv",
            "The cache of one text grows with every token",
            series,
            "formula",
            "2 · layers · groups · width of a head · tokens · bytes",
            x="tokens read",
            y="GiB",
            of_series="",
            log_x=True,
            log_y=True,
        ),
        left,
    )
    with right:
        measured(run)


def measured(run: Run) -> None:
    """On tensors: one layer with random weights, and the shipped model with its heads pooled."""
    st.markdown(
        f"**On real tensors**: one layer of {HEADS} heads, width {WIDTH}, after {READ} tokens in float32."
    )
    layer = [kvcache.measured(WIDTH, HEADS, g, READ, torch.float32) for g in divisors(HEADS)]
    table = {
        "groups of heads": [k.groups for k in layer],
        "shape of the keys": [" × ".join(map(str, k.key)) for k in layer],
        "bytes kept": [k.bytes for k in layer],
        "learned numbers": [k.parameters for k in layer],
        "who shares": [" ".join(["Q" * (HEADS // k.groups) + "→KV"] * k.groups) for k in layer],
    }
    rows.show(
        table,
        "kv.layer",
        dict.fromkeys(("bytes kept", "learned numbers"), rows.WHOLE),
        room=rows.HALF,
    )
    model = cache.model(run, Transformer)
    heads = model.tower.design.groups or model.tower.design.heads
    found = pooled(run, model)
    st.markdown(
        f"**A trained model, its heads pooled**: {run.title}, each group's keys and values replaced by their"
        f" mean, nothing trained anew. “{SAMPLE}”"
    )
    rows.show(
        {
            "groups of heads": divisors(heads),
            "share of the cache": [g / heads for g in divisors(heads)],
            "bits per token": found,
        },
        "kv.pooled",
        {"share of the cache": rows.SHARE, "bits per token": "%.2f"},
    )
    st.caption(
        f"From {found[-1]:.2f} to {found[0]:.2f} bits: heads that were trained apart cannot simply be merged. A"
        " model that is to share them is trained so, or trained on after the merging."
    )


@st.cache_data(max_entries=16, show_spinner=False)
def _pooled(_model: Transformer, _key: str, groups: int) -> float:
    return shared.bits(_model, _model.tokens(SAMPLE).ids, groups)


def pooled(run: Run, model: Transformer) -> list[float]:
    heads = model.tower.design.groups or model.tower.design.heads
    return [_pooled(model, str(run.key), g) for g in divisors(heads)]

"""Sparse attention: what is lost when each token looks at only a few others?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="sparse",
    era="Attention",
    title="Sparse attention",
    question="What is lost when each token looks at only a few others?",
    model="transformer",
    example="The dog was called Llanfair. We all liked L",
    tries=(
        Try(
            "The dog was called Llanfair. We all liked L",
            "Under its own mask the model copies “l” from the name, with 82 %. Choose the "
            "patterns one after the other: under a window “l” has 4 %, and strided copies "
            "“an” instead.",
            link="rules=window.4.zero&times=3&layer=4&head=2",
        ),
        Try(
            "The dog was called Llanfair. We all liked L",
            "Of each row only the four best scores are kept: still 76 %. Few pairs are "
            "enough, if they are the right ones; to find them all scores were computed.",
            link="rules=top.4.zero&times=3&layer=4&head=2",
            label="The four best scores",
        ),
        Try(
            "The girl looked at the old man and shook her head because she did not know him",
            "A window of four reaches three tokens further back with each layer. After "
            "eight layers the last of 24 tokens has heard of all of them, though it looks "
            "at four.",
            link="rules=window.4.zero&times=8",
            label="A window through eight layers",
        ),
    ),
    sources=(
        (
            "Child, Gray, Radford & Sutskever, Generating Long Sequences with Sparse "
            "Transformers, 2019"
        ),
        "Beltagy, Peters & Cohan, Longformer: The Long-Document Transformer, 2020",
        "Zaheer et al., Big Bird: Transformers for Longer Sequences, 2020",
        "Xiao et al., Efficient Streaming Language Models with Attention Sinks, 2023",
        ("Shazeer, Fast Transformer Decoding: One Write-Head is All You Need, 2019 (multi-query)"),
        (
            "Ainslie et al., GQA: Training Generalized Multi-Query Transformer Models from "
            "Multi-Head Checkpoints, 2023"
        ),
    ),
    differs="The notes name sparse, linear and local attention and say no more; here each pattern "
    "is drawn, counted and measured. Models are trained with their pattern; this one was "
    "not, and loses more than one that was.\n"
    "They say that heads which share keys and values perform as well; the papers report a "
    "small loss, and heads that were trained apart lose much more when they are merged.\n"
    "Skipped pairs save time only where a kernel skips them: a mask laid on all scores "
    "saves nothing.",
    minutes=15,
    before=("masks", "transformer"),
    first="rules=window.4.zero&times=3&layer=4&head=2",
    minute=(
        Step(
            "Of 24 tokens the last looks at 4, and after three layers has heard of 10: each "
            "layer reaches three further back.",
            text="The dog was called Llanfair. We all liked L",
            link="rules=window.4.zero&times=3&layer=4&head=2",
            panel="gallery",
        ),
        Step(
            "4.4 %: the window has lost the name. Under its own mask the model gave “l” 82 %.",
            text="The dog was called Llanfair. We all liked L",
            link="rules=window.4.zero&times=3&layer=4&head=2",
            panel="masklab",
            asks="It used to copy “l” from the name, with 82 %. With a window of four?",
            choices=("still 82 %", "about half", "almost nothing"),
        ),
        Step(
            "“an”, with 58 %: strided leaves it some tokens of the name, and it copies the "
            "wrong one.",
            text="The dog was called Llanfair. We all liked L",
            link="rules=strided.4.zero&times=3&layer=4&head=2",
            panel="masklab",
        ),
        Step(
            "76 % with four keys a row, the best ones. To find them all scores were "
            "computed, though.",
            text="The dog was called Llanfair. We all liked L",
            link="rules=top.4.zero&times=3&layer=4&head=2",
            panel="masklab",
        ),
    ),
    topics="""
gallery | A gallery of sparse patterns | language_models M86
    Window, dilated, strided, blocks, random, first token: pairs, and how far they reach in layers.
    sparse attention, sliding window, Longformer, Big Bird, strided attention, dilated attention,
    global tokens, attention sink, receptive field, efficient attention
fold.shared | Heads that share keys and values | language_models M89
    Multi-query and grouped-query attention: the KV cache of real models, and a model's heads
    pooled.
    MQA, GQA, multi-query attention, grouped-query attention, cache size
""",
)

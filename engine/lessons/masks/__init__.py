"""Masks: who may look at whom, what breaks when a mask is wrong, and what is lost under a sparse one?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="masks",
    era="Attention",
    title="Masks",
    question="Who may look at whom, and what breaks when a mask is wrong?",
    model="transformer",
    example="The girl looked at the old man and shook her head",
    tries=(
        Try(
            "The girl looked at the old man and shook her head",
            "Without the diagonal the first token may look at nobody. Hidden by −1,000,000,000 its weights are "
            "equal over all, later ones too: the future is seen. Hide by −∞: not one prediction has a number.",
            link="pattern=1&with=e9",
        ),
        Try(
            "The girl looked at the old man and shook her head",
            "Three tokens of filling in front, whose own rows have nobody left to look at. "
            "By −∞ that spoils every prediction, for 0 times no number is no number.",
            link="pattern=3&size=3&with=inf",
            label="Filling in front",
        ),
        Try(
            "The dog was called Llanfair. We all liked L",
            "Of each row only the four best scores are kept: still 76 %. Few pairs are "
            "enough, if they are the right ones; to find them all scores were computed.",
            link="pattern=10&times=3&layer=4&head=2",
            label="The four best scores",
        ),
    ),
    sources=(
        "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.3 (causal mask)",
        "Child et al., Generating Long Sequences with Sparse Transformers, 2019",
        "Beltagy, Peters & Cohan, Longformer: The Long-Document Transformer, 2020",
        "Zaheer et al., Big Bird: Transformers for Longer Sequences, 2020",
        "Xiao et al., Efficient Streaming Language Models with Attention Sinks, 2023",
        "Shazeer, Fast Transformer Decoding: One Write-Head is All You Need, 2019 (multi-query)",
        "Ainslie et al., GQA, 2023 (grouped-query)",
        "Devlin et al., BERT, 2019 (padding; its code adds −10,000)",
    ),
    differs="The notes set the entries below the diagonal to 1 and leave the diagonal out. A token may look at "
    "itself, or the first one has nobody; what it must not see is the next one.\n"
    "They say that the second word sees the first alone, and elsewhere that it sees itself: it sees both, for the "
    "input of a decoder is shifted by one.\n"
    "Their mask of filling has the shape (texts, tokens), their attention wants (texts, from, to): with as many "
    "texts as heads nothing fails, and each head gets the mask of another text.\n"
    "Skipped pairs save time only where a kernel skips them: a mask laid on all scores saves nothing.",
    minutes=25,
    before=("attention",),
    first="pattern=1&with=e9",
    minute=(
        Step(
            "Fewer: 2.89 instead of 3.97 a token. It reads ahead what it should foretell; a "
            "low loss alone says nothing.",
            text="The girl looked at the old man and shook her head",
            link="pattern=2&layer=0&head=0",
            panel="masklab",
            asks="Without its mask it sees the words to come. What does a token cost?",
            choices=("more bits", "fewer bits", "the same"),
        ),
        Step(
            "By a large number its row has 8.33 % for each of the 12 tokens: 6.31 bits "
            "instead of 3.97, and no error.",
            text="The girl looked at the old man and shook her head",
            link="pattern=1&with=e9&layer=0&head=0",
            panel="masklab",
        ),
        Step(
            "Of 24 tokens the last looks at 4, and after three layers has heard of 10: each "
            "layer reaches three further back.",
            text="The dog was called Llanfair. We all liked L",
            link="pattern=4&times=3&layer=4&head=2",
            panel="gallery",
        ),
        Step(
            "4.4 %: the window has lost the name. Under its own mask the model gave “l” 82 %.",
            text="The dog was called Llanfair. We all liked L",
            link="pattern=4&times=3&layer=4&head=2",
            panel="masklab",
            asks="It used to copy “l” from the name, with 82 %. With a window of four?",
            choices=("still 82 %", "about half", "almost nothing"),
        ),
    ),
    topics="""
masklab | Masks on a trained Transformer | transformers E5
    Any mask on your text: the weights under it, and what each next token costs.
    mask sandbox, attention mask, include the diagonal, look-ahead mask, padding mask, local attention,
    information leak, label leakage, fully masked row
masklab | Only the best scores: attention pruned | language_models M87 | | pattern=10
    Each token keeps the few keys with the largest scores; what that costs on your text.
    top-k attention, attention pruning, sparse attention
part-shapes-of-masks | The shape of a mask | transformers D6 N1
    Which head of which text a mask lands on, and when torch refuses it.
    broadcasting, unsqueeze, attention_mask, mask shape, batch of texts, MultiHeadAttention
part-the-number-that-hides | How a word is hidden, and what can go wrong | transformers C11; foundations S42
    Minus infinity, a large number or zero, in every number format.
    attention mask, additive mask, overflow, NaN, stable softmax
gallery | A gallery of sparse patterns | language_models M86
    Window, dilated, strided, blocks, random, first token: pairs, and how far they reach in layers.
    sliding window, Longformer, Big Bird, strided attention, dilated attention, global tokens,
    attention sink, receptive field, efficient attention, sparse attention
part-shared-keys-and-values | Heads that share keys and values | language_models M89
    Multi-query and grouped-query attention: the KV cache of real models, and a model's heads pooled.
    MQA, GQA, multi-query attention, grouped-query attention, cache size
""",
)

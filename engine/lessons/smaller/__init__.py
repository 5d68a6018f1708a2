"""Smaller models: what does a model lose when its weights are rounded, left out, or taught to a smaller one?"""

from __future__ import annotations

from engine.core.cell_card import listed
from engine.course.base import Lesson, Step, Try

TEXT = "The girl looked at the old man and shook her head."

LESSON = Lesson(
    id="smaller",
    era="Your own models",
    title="Smaller models",
    question="What does a model lose when its weights are rounded, left out, or taught to a smaller one?",
    model="transformer",
    also=listed(),
    example=TEXT,
    tries=(
        Try(
            TEXT,
            "Four bits a weight (Q4_0): the shipped small Transformer is a seventh as large, and a token costs 0.11"
            " bits more.",
            link="pattern=12&size=0",
        ),
        Try(
            TEXT,
            "Two bits: of the shipped net's weights four in five become 0, and every answer changes.",
            link="pattern=16&size=0",
            label="The same in two bits",
        ),
        Try(
            TEXT,
            "Two of the eight heads of the shipped net, those that count least, are left out: a token costs 0.80 bits"
            " more. The 40 % smallest weights cost less.",
            link="pattern=0&ways=heads&size=25",
            label="The same without two heads",
        ),
    ),
    sources=(
        "Dettmers et al., LLM.int8(): 8-bit Matrix Multiplication for Transformers at Scale, 2022",
        "Dettmers et al., QLoRA: Efficient Finetuning of Quantized LLMs, 2023 (NF4)",
        "Micikevicius et al., FP8 Formats for Deep Learning, 2022",
        "Han, Mao & Dally, Deep Compression, 2016",
        "Michel, Levy & Neubig, Are Sixteen Heads Really Better than One?, 2019",
        "Men et al., ShortGPT: Layers in Large Language Models are More Redundant Than You Expect, 2024",
        "Hinton, Vinyals & Dean, Distilling the Knowledge in a Neural Network, 2015",
        "Shazeer et al., Outrageously Large Neural Networks, 2017",
        "Fedus, Zoph & Shazeer, Switch Transformers, 2022",
        "Komatsuzaki et al., Sparse Upcycling, 2023",
        "Press & Wolf, Using the Output Embedding to Improve Language Models, 2017 (weight tying)",
        "Strubell, Ganesh & McCallum, Energy and Policy Considerations for Deep Learning in NLP, 2019",
    ),
    differs="The notes say that fewer bits come “without significant performance loss”; what is lost is measured here,"
    " and it depends on the format: next to nothing with 8 bits, everything with 2.\nTheir program asks the library"
    " bitsandbytes for `quantize_4bit` at its top, where it never was (it is in `bitsandbytes.functional`), so that"
    " it never chooses 4 bits; and `load_in_4bit` is no longer accepted there: the settings go into a"
    " `BitsAndBytesConfig`.\nTheir loss of distillation has the soft targets alone, without the token that came, and"
    " no student.\nSparse models, they say, use a part of the weights “during inference”; they do so in training,"
    " too, and all weights have to be in memory.\nThey name absmax, NF4, pruning and energy without a formula or a"
    " number.",
    minutes=25,
    before=("batches", "transformer"),
    first="pattern=15",
    true_of=("transformer_rope",),
    minute=(
        Step(
            "3 of 17, and a token costs 0.11 bits more. Each 32 weights share a scale; the file is a seventh as large.",
            text=TEXT,
            link="pattern=12&ways=weights&size=0",
            panel="lost",
            asks="Every weight becomes one of 16 numbers (4 bits). How many of the 17 answers change?",
            choices=("none", "3", "all"),
            covers=("formats", "next"),
        ),
        Step(
            "With 2 bits only −s, 0 and s are left: 80 % of the weights become 0, and a token costs 4 bits more.",
            text=TEXT,
            link="pattern=16&ways=weights&size=0",
            panel="lost",
        ),
        Step(
            "0.24 bits a token. Most weights are small and count for little; with 60 % gone it is 1.6 bits.",
            text=TEXT,
            link="pattern=0&ways=weights&size=40",
            panel="lost",
            asks="The 40 % smallest of all weights become 0. What does a token cost more?",
            choices=("0.24 bits", "2.4 bits", "24 bits"),
            covers=("formats", "next"),
        ),
        Step(
            "0.80 bits: two of eight heads, those that count least. In a net this small none is spare.",
            text=TEXT,
            link="pattern=0&ways=heads&size=25",
            panel="lost",
        ),
    ),
    topics="""
lost | A net in fewer bits, on your text |
    language_models M24; transformers N5; lstm B37
    What each token costs, and which answers change, with rounded weights, with every key.
    quantisation, quantization, post-training quantization, bits per weight, low precision
formats | Every number format on your text | transformers N7; language_models M24
    absmax, zero point, NF4, Q4_0, Q4_1, K-quants and FP8: how far each moves the answers.
    int8, int4, NF4, GGUF, Q4_K, Q6_K, FP8, E4M3, bfloat16, KL divergence
lost | Weights, heads or layers left out | language_models M25; lstm B37
    The smallest weights, or the heads or layers that count least, set to 0 with a slider.
    pruning, magnitude pruning, head pruning, layer dropping, sparsity
part-a-row-there-and-back | One row of weights in few bits | transformers N7
    A row through each format and back, drawn as steps, with its error.
    absmax, zero point, NormalFloat, QLoRA, round trip, quantisation error, step
part-errors-by-layer | Rounding errors by layer and format | transformers N7
    How far the weights of each layer or kind move, as a share of their size.
    outliers, quantisation error by layer
part-measured | Formats and pruning measured on a text | language_models M24 M25; lstm B37
    Bits per token by format, and over the share of weights, heads and layers left out.
    pruning curve, compression, perplexity after quantisation
part-taught-by-a-larger-net | Distillation, live | transformers N10; language_models M26
    A teacher's soft targets beside the hard one and beside two students, letter by letter.
    knowledge distillation, teacher, student, soft targets, dark knowledge, DistilBERT, temperature
part-distillation-by-hand | The distillation loss over the temperature | transformers N10; language_models M26
    T² KL of two rows of logits that you type, its slope, and what it tends to.
    KL divergence, T squared, logit matching
part-a-mixture-of-experts | A mixture of experts, its router live | language_models M17
    Which experts each token of your text is given to; experts switched off; load with and without balance.
    mixture of experts, MoE, router, gating, top-k, sparse model, load balancing, Switch Transformer, Mixtral
part-one-table-for-both-ends | Weight tying, counted and trained | lstm B43
    The output reads the table of embeddings: how many numbers that saves in each net, and what it costs.
    weight tying, tied embeddings, shared embedding, output embedding
part-bytes-of-real-models | Bytes of real models by format | language_models M13; transformers N5
    GPT-2 XL to PaLM and one of your own size, in every format, beside a machine's memory.
    model size, memory, GB, VRAM, GPT-3, PaLM, LLaMA, large language model
part-energy-and-cost | Energy and cost | language_models M21
    Hours, kWh, CO₂ and price of learning and of use; every assumption is a slider.
    carbon footprint, energy efficiency, kilowatt hours, FLOPs, price of training
""",
)

"""Decoding: the model gives every token a probability. Which one should it write?"""

from __future__ import annotations

from engine.core.cell_card import listed
from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="decoding",
    era="Attention",
    title="Decoding",
    question="The model gives every token a probability. Which one should it write?",
    model="transformer",
    example="The king said that he would",
    tries=(
        Try(
            "The king said that he would",
            "Press Top-p 0.9, then Min-p 0.1. How many tokens are left, and how much probability mass is cut?",
            link="rules=p0.9",
        ),
        Try(
            "One day the old man went to the sea and the old man",
            "Greedy decoding takes the likeliest token each time. Compare its share of "
            "repeated 4-grams below with that of the sampled text.",
            link="rules=p0.9",
        ),
        Try(
            "It was a very",
            "Temperature 2 raises the tail. See how much of the mass min-p 0.1 then cuts, and try top-p 0.9 instead.",
            link="rules=t2_m0.1",
        ),
    ),
    sources=(
        "Shannon, A Mathematical Theory of Communication, 1948, sec. 3 (text drawn from counts of orders 0 to 3)",
        "McCoy et al., How Much Do Language Models Copy From Their Training Data?, 2023 (exact copies)",
        "Fan, Lewis & Dauphin, Hierarchical Neural Story Generation, 2018 (top-k)",
        "Holtzman et al., The Curious Case of Neural Text Degeneration, 2020 (top-p)",
        (
            "Nguyen et al., Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs, 2024"
        ),
        "Willard & Louf, Efficient Guided Generation for Large Language Models, 2023 (constrained decoding)",
        "Meister et al., Locally Typical Sampling, 2023",
        (
            "Keskar et al., CTRL: A Conditional Transformer Language Model for Controllable "
            "Generation, 2019 (repetition penalty)"
        ),
        (
            "Wu et al., Google's Neural Machine Translation System, 2016 (length penalty; ours "
            "divides by a power of the length, as the library transformers does)"
        ),
        (
            "Bengio et al., Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks, 2015"
        ),
        (
            "Welleck et al., Neural Text Generation with Unlikelihood Training, 2020 (share of repeated n-grams)"
        ),
    ),
    differs="The notes name greedy decoding, sampling and beam search without formulas or a length penalty, and "
    "do not say what each rule cuts. Here every rule works on the whole vocabulary and shows what it cut. The "
    "order is penalty, temperature, top-k, top-p, min-p, typical. The notes call the decoder slow but do not "
    "mention that keys and values can be cached; both ways are measured here.\n"
    "Of writing with counts they do not say how to begin or when to stop: here a sentence begins after the mark "
    "<s> and ends when the mark </s> is drawn, and one random number chooses each word, the same for every order.",
    minutes=15,
    before=("ngrams",),
    also=(*listed(), "ngram", "observed_decoder", "observed_states"),
    offers="smollm2",
    minute=(
        Step(
            "205: the model is unsure what the king would do, so the tail is long.",
            text="The king said that he would",
            link="rules=p0.9",
            panel="sieve",
            asks="Top-p 0.9 keeps the likeliest tokens up to 90 %. How many of 4,095 are left?",
            choices=("9", "41", "205"),
        ),
        Step(
            "One: “head” alone has 91 %. The same rule cuts hard where the model is sure.",
            text="He shook his",
            link="rules=p0.9",
            panel="sieve",
            asks="The same rule after “He shook his”: how many are left now?",
            choices=("1", "20", "205"),
        ),
        Step(
            "Min-p 0.1 keeps what is at least a tenth as likely as the best: 7 tokens, which hold 51 % of the mass.",
            text="The king said that he would",
            link="rules=m0.1",
            panel="sieve",
        ),
    ),
    topics="""
sieve | Temperature, top-k, top-p, min-p | transformers E14 N6; foundations N104 S36
    Each rule in its order, with what it keeps and what it cuts of the whole vocabulary.
    nucleus sampling, sampling, typical sampling, repetition penalty, truncation
part-greedy-or-drawn | Greedy decoding and its repetitions |
    transformers E10 E13 E14 I7; foundations N104 S37; language_models M95
    The likeliest token each time, beside drawn text: what repeats.
    argmax, degeneration, repetition, deterministic, random draws, sampling decoding, autoregressive loop
part-beam-search | Beam search | transformers E15; language_models M95
    Kept beginnings step by step, with sums, length penalty and what was dropped.
    beam width, length penalty, search, generation tree, continuations
part-a-wanted-form | Constrained decoding | transformers E14
    Words, a regular expression or a JSON schema as a mask on the next token: what was cut, with its mass.
    structured output, grammar, guided generation, JSON mode, regular expression
decoding.counts.orders | Writing with n-grams | language_models P31 P32
    A text drawn word by word; its colour says which order spoke.
    sampling, random text, generative model
part-writing-with-counts | How much is only a copy | language_models P33
    Which runs of the new text stand word for word in the counted one.
    memorisation, plagiarism, verbatim, copied from the training text
decoding.counts.orders | The same draws for every order | language_models P33
    The same random numbers give a better, and a more copied, text with each order.
    effect of n, longer context
part-teacher-forcing-and-free-running | Teacher forcing and free running | transformers E11 E12; language_models P48
    The true text foretold when the model reads it, and when it reads its own.
    exposure bias, scheduled sampling, shift right, exposure gap
part-how-long-does-writing-take | How long writing takes: the KV cache | transformers E17 N6; foundations N110
    Time per token with and without kept keys and values, measured on this computer.
    key-value cache, inference, latency, sequential decoding
""",
)

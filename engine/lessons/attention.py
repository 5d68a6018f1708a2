"""Lessons on models that look back."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

ATTENTION = (
    Lesson(
        "attention", "03_attention.py", "Attention", "Attention", "Where does each word look before the next one comes?", "transformer",
        "The students opened their books because they wanted to read",
        (
            Try("The students opened their books because they wanted to read", "Which heads of which layer look from “they” at “students”?"),
            Try("one two three one two three one two", "Repetition: does any head find what followed the last time? In the small shipped model none does so clearly."),
            Try("The king spoke to the queen and the queen spoke to the", "The word before the end is easy now: which heads make it so?"),
        ),
        (
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2",
            "Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and Translate, 2015",
            "Xiong et al., On Layer Normalization in the Transformer Architecture, 2020 (norm first)",
        ),
        "The notes show one head of an encoder with made-up weights. Shown are all heads of a trained decoder: a word sees "
        "only what stands before it, so the upper triangle is empty. Weights say where a head reads, not why the model answers.",
        ("ngrams",),
    ),
)  # fmt: skip

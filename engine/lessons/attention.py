"""Lessons on models that look back."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

ATTENTION = (
    Lesson(
        "attention", "03_attention.py", "Attention", "Attention", "How does a word read the others, step by step?", "transformer",
        "The king spoke to the queen",
        (
            Try("The king spoke to the queen", "Layer 1, head 5, row “een”: two thirds of its reading come from “qu”, the other half of its word.", "layer=0&head=4"),
            Try("The students opened their books because they", "Layer 4, head 3, row “they”: the largest weight is on “students”. Open it, then its score, then the query.", "layer=3&head=2"),
            Try("The cat sat on the mat and the cat", "Layer 3, head 1: most of every row goes to the first token, the line end. Leave out ÷ √32 and see what is left for the others.", "layer=2&head=0"),
        ),
        (
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2",
            "Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and Translate, 2015 (additive score)",
            "Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation, 2015 (dot and bilinear score)",
            "Xiong et al., On Layer Normalization in the Transformer Architecture, 2020 (norm first)",
        ),
        "The notes show one head of an encoder with made-up weights. Shown is one head of a trained decoder: a word sees only what stands "
        "before it, so the upper triangle is hidden. The notes divide by d in places; the model divides by √d. Their worked example has wrong numbers: below it "
        "is shown beside the right ones. Weights say where a head reads, not why the model answers.",
        ("ngrams",),
        first="layer=0&head=4",
    ),
    Lesson(
        "positions", "18_positions.py", "Attention", "Positions", "How does the model know which word comes first?", "transformer",
        "The dog bites the man and the man bites the dog",
        (
            Try("The dog bites the man and the man bites the dog", "The same words in two orders. Choose None above, then RoPE or ALiBi, and compare where the heads look."),
            Try("one two three four five six seven eight nine ten", "Choose ALiBi: head 1 loses most for each token back, head 4 almost nothing. Then T5: there the numbers were learned."),
            Try("man dog bites", "Three words have six orders. Shuffle them below: without positions and without a mask no number changes."),
        ),
        (
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.5 (sinusoidal)",
            "Shaw, Uszkoreit & Vaswani, Self-Attention with Relative Position Representations, 2018",
            "Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer (T5), 2020, sec. 2.1",
            "Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021",
            "Press, Smith & Lewis, Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation, 2022",
            "Haviv et al., Transformer Language Models without Positional Encodings Still Learn Positional Information, 2022",
            "Chen et al., Extending Context Window of Large Language Models via Positional Interpolation, 2023",
        ),
        "The notes' table of six dimensions is wrong in dimensions 2 and 4 (below it is right). They call relative position a linear function of the encodings: it is "
        "PE(p + k) that is a linear function of PE(p), a rotation that depends on k only. They say that learned positions can be extrapolated: beyond the last row "
        "there is nothing. They let RoPE rotate token embeddings: it turns queries and keys, in every layer, and never the values.",
        ("attention",),
    ),
    Lesson(
        "scale", "24_scale.py", "Attention", "Scale", "Why did reading all words at once win, and what does size buy?", "transformer",
        "The weather is beautiful today",
        (),
        (
            "Vaswani et al., Attention Is All You Need, 2017, table 1",
            "Kaplan et al., Scaling Laws for Neural Language Models, 2020",
            "Brown et al., Language Models are Few-Shot Learners, 2020",
            "Schaeffer, Miranda & Koyejo, Are Emergent Abilities of Large Language Models a Mirage?, 2023",
            "Ouyang et al., Training Language Models to Follow Instructions with Human Feedback, 2022; Rafailov et al., Direct Preference Optimization, 2023",
        ),
        "The notes give the size of GPT-4, which was never published: it is left out. They call attention parallel and recurrence sequential without saying that "
        "writing is sequential for both, and that the number of processors decides. They give no formula for scaling laws or preference; both are here.",
        ("attention",),
        live=False,
    ),
)  # fmt: skip

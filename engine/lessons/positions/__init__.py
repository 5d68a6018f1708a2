"""Positions: how does the model know the order of the words?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="positions",
    era="Attention",
    title="Positions",
    question="How does the model know the order of the words?",
    model="transformer",
    example="The dog bites the man and the man bites the dog",
    tries=(
        Try(
            "The dog bites the man and the man bites the dog",
            "The same words in two orders. Choose None above, then RoPE or ALiBi, and compare where the heads look.",
        ),
        Try(
            "one two three four five six seven eight nine ten",
            "Choose ALiBi: head 1 is penalised most for each token of distance, head 4 "
            "hardly at all. Then choose T5, where the biases were learned.",
        ),
        Try(
            "man dog bites",
            "Three words can be put in six orders. Shuffle them below: without positions "
            "and without a mask, no number changes.",
        ),
    ),
    sources=(
        "Vaswani et al., Attention Is All You Need, 2017, sec. 3.5 (sinusoidal)",
        ("Shaw, Uszkoreit & Vaswani, Self-Attention with Relative Position Representations, 2018"),
        (
            "Raffel et al., Exploring the Limits of Transfer Learning with a Unified "
            "Text-to-Text Transformer (T5), 2020, sec. 2.1"
        ),
        "Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021",
        (
            "Press, Smith & Lewis, Train Short, Test Long: Attention with Linear Biases Enables "
            "Input Length Extrapolation, 2022"
        ),
        (
            "Haviv et al., Transformer Language Models without Positional Encodings Still Learn "
            "Positional Information, 2022"
        ),
        (
            "Chen et al., Extending Context Window of Large Language Models via Positional Interpolation, 2023"
        ),
    ),
    differs="The notes' table of six dimensions is wrong in dimensions 2 and 4: in dimension 4 the place is "
    "divided by 400, not by 10,000^(4/6) = 464.16.\n"
    "They call relative position a linear function of the encodings. In fact PE(p + k) is a linear function of "
    "PE(p): a rotation that depends only on k.\n"
    "They say that learned positions can be extrapolated; the table simply ends.\n"
    "They say that RoPE rotates token embeddings. It rotates queries and keys, in every layer, and never the "
    "values.\n"
    "They call it superior without a measurement; seven ways, trained alike, are compared below.\n"
    "They say that no encoding occurs twice because there are many waves; one pair is enough, because π is "
    "irrational. In half precision that no longer holds: with two dimensions, positions 5 and 715 are equal.",
    minutes=15,
    before=("attention",),
    minute=(
        Step(
            "Each clock is two numbers of a position: the first turns once in 6.3 places, "
            "the last hardly at all. Together they name any place.",
            text="The dog bites the man and the man bites the dog",
            panel="clocks",
        ),
        Step(
            "Head 2 of layer 1 gives the previous token 44 % of its weight on average. "
            "Without positions it could not tell which one that is.",
            text="The dog bites the man and the man bites the dog",
            link="layer=0&head=1",
            panel="open",
        ),
        Step(
            "Now choose None, RoPE or ALiBi above: the same text and the same number of "
            "heads, but another way to tell the model where a word stands.",
            text="The dog bites the man and the man bites the dog",
            panel="wall",
        ),
    ),
    true_of=("transformer_sinusoidal",),
    topics="""
clocks | The clocks behind a position | transformers F2 F3; foundations S23
    Each pair of a sinusoidal or rotary position as a clock: fast hands for neighbours, slow ones for far places.
    frequencies of positions, rotary angles, hands of a clock
places | Positional encoding | transformers A5 F2; foundations S24
    What places alone say to a head, for seven kinds of positions.
    position embedding, PE, word order, positions
part-shuffle-the-words | Shuffle the words | transformers A5 C3 F1; foundations S09 S48; language_models M82
    Without positions and mask no number changes: attention does not see order.
    permutation, order matters, bag of words, order blindness
part-waves-and-clocks | Sinusoidal positions: waves and clocks | transformers F2 F3 F4 F5; foundations S23
    Sines and cosines of every place, products at a distance, and the turn from place to place.
    sine cosine encoding, frequency, relative position, sinusoidal encoding
part-rotations | Rotary positions (RoPE) | transformers F10; language_models M88
    A query and a key turned pair by pair: the score knows only the distance.
    RoPE, rotary embedding, RoFormer, rotation
part-biases-and-tables | ALiBi, T5 and Shaw: positions as a bias | transformers F6 F9 F11 F12; foundations S24
    Wedges, buckets and clipped distances that are added to the score; and the learned table.
    relative position, attention bias, T5 bias, learned positions, similarity of learned positions, Shaw
part-longer-than-trained | Longer than trained | transformers F8 F13
    Seven models read four times what they were trained on; interpolation as a cure.
    extrapolation, position interpolation, context extension, length generalisation
part-side-by-side | All kinds of position in one table | transformers F7 F14; foundations S24
    What each costs, where it is added, and how far it reaches.
    fixed or learned, comparison of positional encodings
""",
)

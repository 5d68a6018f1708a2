"""Learning pieces: how does a tokenizer learn which pieces of words to keep?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="merges",
    era="Words to numbers",
    title="Learning pieces",
    question="How does a tokenizer learn which pieces of words to keep?",
    model="",
    example="low lower lowest new newer newest low low",
    tries=(
        Try(
            "cook cooks cooked cooking cooker",
            "Five words share one piece. Why are “cook” and “·cook” two different tokens?",
            link="stop=5&rules=chars_letters",
        ),
        Try(
            "cats rats bats hats mats",
            "Switch to “merges may cross spaces”: the third merge makes “ats·”, which is "
            "not part of any single word.",
            link="stop=3&rules=whole_letters",
        ),
        Try(
            "low low low low low lower lower newest newest newest newest newest newest widest widest widest",
            "The classic example, with an end-of-word mark. Change the tie rule: after "
            "“low” a different pair is merged first.",
            link="stop=9&rules=classic_seen",
        ),
        Try(
            "unhappy happy happy happiness unkind unhappiness",
            "A textbook cut of “unhappiness” is un, happy, ness. Which pieces come out "
            "here? The reason is given below.",
            link="stop=12&rules=chars_letters",
        ),
        Try(
            "aaaa",
            "The pair a a occurs three times, but only two copies fit side by side.",
            link="stop=1&rules=whole_letters",
        ),
        Try(
            "café naïve 😀😀",
            "Over bytes: é is two bytes and an emoji is four. Merges join them again.",
            link="stop=3&rules=bytes_letters",
        ),
    ),
    sources=(
        "Gage, A New Algorithm for Data Compression, 1994",
        (
            "Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword Units, 2016 (BPE)"
        ),
        (
            "Radford et al., Language Models are Unsupervised Multitask Learners, 2019, sec. 2.2 (BPE over bytes)"
        ),
        "Schuster & Nakajima, Japanese and Korean Voice Search, 2012 (WordPiece)",
        "Kudo, Subword Regularization, 2018 (Unigram)",
    ),
    differs="The notes leave open which of two equally frequent pairs is merged, how overlapping pairs are counted, "
    "when to stop, and how a new text is cut; here each rule is stated and can be changed. They give no score for "
    "WordPiece and no formula for Unigram. Their un, happy, ness cannot come out of any of these. They say that BPE "
    "merges characters rather than bytes; byte-level BPE does merge bytes.",
    minutes=15,
    before=("tokenizers",),
    subtitle="how a tokenizer learns them",
    prompt="A text to learn from; the picture updates as you type",
    live=False,
    minute=(
        Step(
            "Three times, but only two copies fit side by side: counts of pairs may overlap, merges may not.",
            text="aaaa",
            link="stop=1&rules=whole_letters",
            panel="merges",
            asks="How often does the pair “a a” occur in “aaaa”?",
            choices=("2", "3", "4"),
        ),
        Step(
            "Merges may cross spaces here: the third makes “ats·”, a piece that is in no single word.",
            text="cats rats bats hats mats",
            link="stop=3&rules=whole_letters",
            panel="merges",
        ),
        Step(
            "An emoji is four bytes, and three merges put it together again. “é” is two "
            "bytes, occurs once, and stays in two.",
            text="café naïve 😀😀",
            link="stop=3&rules=bytes_letters",
            panel="merges",
        ),
    ),
    topics="""
merges | Byte pair encoding | rnn I10 I11; transformers K12; language_models M58 P21 P22
    Training on your text, one merge at a time, and a new word cut by the merges.
    BPE, byte-pair encoding, merges, byte-level BPE, subword
merges | Spaces in byte pair encoding | language_models P23
    A switch decides whether a merge may cross a space.
    white space rule, word boundary, end-of-word mark
part-when-to-stop-merging | When to stop merging | language_models P24
    Every merge makes the vocabulary one token larger and the text shorter.
    vocabulary growth, number of merges, stopping
part-cut-a-new-word | Cut a new word | language_models P22
    The learned merges replayed on any word, one after another.
    encode, apply merges, unseen word, merges of a word, BPE of a word
part-bpe-and-wordpiece | WordPiece | rnn I12; language_models M58
    The same words merged by count and by score, in two orders beside each other.
    word piece, BERT tokenizer, merge score
part-unigram-all-cuts-of-a-word | Unigram tokenizer: all cuts of a word at once | rnn I13
    The lattice of cuts with their probabilities, and the likeliest path through it.
    SentencePiece, unigram language model, lattice, best cut
part-unhappiness | Why “unhappiness” is never cut into un, happy, ness | rnn I10
    Tokens are stretches of the text, so letters that are not there can't come out.
    morphemes, morphology, unhappiness
""",
)

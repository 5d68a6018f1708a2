"""Tokenizers: how is a text cut into numbered pieces, and what does each way of cutting cost?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="tokenizers",
    era="Words to numbers",
    title="Tokenizers",
    question="How is a text cut into numbered pieces, and what does each way of cutting cost?",
    model="",
    example="The cat's unhappiness isn't surprising: cooks cooked, cookers cook.",
    tries=(
        Try(
            "The zyxgrob flurbled happily.",
            "Invented words: a word tokenizer shows each as one dashed box, the others "
            "spell it out. Which pieces are still words?",
        ),
        Try(
            "She recieved teh letter yesterday",
            "Typing errors: “recieved” becomes three or four pieces where “received” is "
            "one. A word tokenizer can only mark it as unknown.",
        ),
        Try(
            "def add(a, b):\n    return a_b[0] + 10",
            "Code: indentation, brackets, underscores. Which tokenizers lose the spaces?",
        ),
        Try(
            "So good 😍 family 👨‍👩‍👧 ❤️",
            "Emoji: one symbol on the screen can be several characters and even more bytes. Look for unknown pieces.",
        ),
        Try(
            "https://example.com/a?id=42&lang=en",
            "A web address is in no dictionary. Count its tokens with the smallest and with the largest vocabulary.",
        ),
        Try(
            "12345 + 67890 = 80235, born in 1999",
            "Numbers: 12345 is 1-2-3-4-5 in one row, 12-3-4-5 in the next, 12-3-45 in the "
            "last. Uneven groups of digits make arithmetic harder for a model.",
        ),
        Try(
            "Το πρωί πίνω καφέ",
            "These vocabularies hardly know Greek: look at the rows for bytes and for BPE over bytes.",
        ),
        Try(
            "The cat sat on the mat.",
            "Seven pieces in the row of words, counting the full stop. Do “The” and “the” "
            "share a number? The same colour means the same number.",
        ),
    ),
    sources=(
        (
            "Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword Units, 2016 (BPE)"
        ),
        (
            "Radford et al., Language Models are Unsupervised Multitask Learners, 2019 (BPE over bytes)"
        ),
        (
            "Schuster & Nakajima, Japanese and Korean Voice Search, 2012; Wu et al., 2016 (WordPiece)"
        ),
        "Kudo, Subword Regularization, 2018 (Unigram); Kudo & Richardson, SentencePiece, 2018",
        "Petrov et al., Language Model Tokenizers Introduce Unfairness Between Languages, 2023",
    ),
    differs="The notes cut “unhappiness” into un, happy and ness. Joined again, these spell “unhappyness”, so no "
    "tokenizer that restores its text can do this.\n"
    "They say that a text in characters is five times longer in English; the measured factor depends on the text.\n"
    "They number six tokens in “The cat sat on the mat.”; there are seven, unless the full stop is stripped "
    "first. Subwords alone do not rule out unknown tokens: without bytes, a character that was never seen is "
    "still unknown.\n"
    "Their BPE program omits two lines. Without a pre-tokenizer, merges run across spaces and line ends; without an "
    "unknown token, a character that was not in the training text is dropped silently. It passes files as “*.txt”: "
    "train() expects file names and does not expand the star. Characters do not simply suit Chinese and Japanese: "
    "those languages need thousands of them.",
    minutes=15,
    before=("preparation",),
    live=False,
    minute=(
        Step(
            "Words it never saw are one dashed box each in the row Words. The rows below "
            "spell them out: nothing is lost there.",
            text="The zyxgrob flurbled happily.",
            panel="pieces",
        ),
        Step(
            "Every tokenizer of pieces cuts “recieved” into at least three. One wrong "
            "letter order costs more than a rare word.",
            text="She recieved teh letter yesterday",
            panel="pieces",
            asks="“received” is misspelt. Into how many pieces is it cut by BPE?",
            choices=("1", "2", "3 or more"),
        ),
        Step(
            "Seven in the row Words: the full stop counts, too. The same colour means the "
            "same number: “The” and “the” have different ones.",
            text="The cat sat on the mat.",
            panel="pieces",
        ),
    ),
    topics="""
pieces | Tokenizers side by side | rnn I10; foundations S46; language_models P21 P19
    The same text cut in every way: into characters, bytes, words and pieces of words.
    tokenization, tokenisation, subword, word pieces
pieces | Characters as tokens | rnn I14; language_models P20
    A tiny vocabulary and long texts: the row that cuts at every character.
    character level, character tokenization, char-level
part-in-a-model | What a tokenizer costs a model | rnn I16
    Steps to take, rows of the table and unknown words, for each tokenizer.
    sequence length, effect of tokenization, embedding table size
part-vocabulary-size | Vocabulary size against the length of a text | language_models P19
    How many tokens your text takes, and how many are unknown, as the vocabulary grows.
    vocabulary size, unknown words, OOV
part-marks | Special tokens, padding and the mask of a batch | transformers C12 H7 K13 L2 M5
    [CLS], [SEP], [MASK], [PAD] and [UNK] put around one text or a pair, with ids, segments and
    mask.
    CLS, SEP, MASK, PAD, UNK, attention mask, padding mask, token type ids
part-languages | Tokenizers for many languages | language_models M18
    One sentence in 19 languages: who pays more tokens for the same words.
    multilingual, mBERT, XLM-R, fertility
part-windows | A long text in windows | transformers L24
    Tiles with stride and overlap over your text, and a last window that reads nothing new.
    sliding window, long documents, chunks, stride, overlap, 512 tokens
""",
)

"""Lessons on what a text goes through before a model reads it: preparation, tokens, bags of words."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

WORDS: tuple[Lesson, ...] = (
    Lesson(
        "preparation", "25_preparation.py", "Words to numbers", "Text preparation", "What is done to a text before a model sees it, and what is lost?", "",
        "Dr. Smith didn't pay $3.14 for 25 apples. I'm NOT happy!!! 😊",
        (
            Try("I'm sure they're here, but we can't stay.", "Punctuation goes first here: “I'm” has become “Im”, and the contractions find nothing. Move them up with ↑.",
                "steps=punctuation.strip-contractions-case.lower"),
            Try("I have 25 apples and $3.14 was spent on 42 oranges", "Numbers come before money here: nothing is left of the amount but $<NUM>. Move the money up.",
                "steps=case.lower-numbers.mark-money.mark"),
            Try("The movie was not very good. The movie was very good.", "Stop words go: two opposite sentences become the same. Choose another list.",
                "steps=sentences.rules-tokens.whole-stopwords.sklearn"),
            Try("Caring mice were running worse; studies easily argued.", "Porter makes “studi” of studies and “care” of caring. Compare the four columns below.",
                "steps=case.lower-punctuation.strip-porter"),
        ),
        (
            "Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, ch. 2",
            "Porter, An Algorithm for Suffix Stripping, 1980; Snowball: A Language for Stemming Algorithms, 2001",
            "Paice, Another Stemmer, 1990 (Lancaster)",
            "Barbaresi, Simplemma: a Simple Multilingual Lemmatizer for Python (word lists)",
            "Luhn, The Automatic Creation of Literature Abstracts, 1958 (words that are left out)",
            "Grefenstette & Tapanainen, What is a Word, What is a Sentence?, 1994",
            "Unicode Standard Annex #15, Unicode Normalization Forms",
            "Heaps, Information Retrieval: Computational and Theoretical Aspects, 1978 (the growth of a vocabulary)",
        ),
        "The notes say that case can make 2V words of V: small, Capitalized and CAPITALS make 3V, and capitals anywhere more. Their white space "
        "example lost its spaces in print. They strip punctuation from “I'm” before contractions are written out, and then it is in no table. They number "
        "six tokens of “The cat sat on the mat.”: with the full stop there are seven, so it was stripped first. “Not” is on usual stop lists, against what "
        "they say, and their own list has neither “while” nor “from”. Porter makes “care” of caring, not “car” (that is Lancaster); Snowball makes “condit” "
        "and “easili” of conditional and easily, and leaves argus. The lemma of democratization is itself.",
        live=False,
    ),
    Lesson(
        "tokenizers", "26_tokenizers.py", "Words to numbers", "Tokenizers", "How is a text cut into pieces that have a number, and what does each way cost?", "",
        "The cat's unhappiness isn't surprising: cooks cooked, cookers cook.",
        (
            Try("The zyxgrob flurbled happily.", "Words that nobody knows: word tokenizers have one dashed box for each, the others spell them out. Which pieces are still words?"),
            Try("She recieved teh letter yesterday", "Typing errors: “recieved” is three pieces or four where “received” is one. A word tokenizer knows only that it does not know it."),
            Try("def add(a, b):\n    return a_b[0] + 10", "Code: blanks at the start of a line, brackets, underscores. Which tokenizers lose the blanks?"),
            Try("So good 😍 family 👨‍👩‍👧 ❤️", "Emoji: one sign on the screen can be many characters and more bytes. Look for what is unknown."),
            Try("https://example.com/a?id=42&lang=en", "An address: made for no dictionary. Count the tokens with the smallest and with the largest vocabulary."),
            Try("12345 + 67890 = 80235, born in 1999", "Numbers: 12345 is 1-2-3-4-5 in one row, 12-3-4-5 in the next, 12-3-45 in the last. Digits in odd groups make arithmetic harder for a model."),
            Try("Το πρωί πίνω καφέ", "Greek, which these vocabularies hardly know: look at bytes and at BPE over bytes."),
            Try("The cat sat on the mat.", "Seven pieces in the row of words, with the full stop. Do “The” and “the” have one number? Equal colours are equal numbers."),
        ),
        (
            "Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword Units, 2016 (BPE)",
            "Radford et al., Language Models are Unsupervised Multitask Learners, 2019 (BPE over bytes)",
            "Schuster & Nakajima, Japanese and Korean Voice Search, 2012; Wu et al., 2016 (WordPiece)",
            "Kudo, Subword Regularization, 2018 (Unigram); Kudo & Richardson, SentencePiece, 2018",
            "Petrov et al., Language Model Tokenizers Introduce Unfairness Between Languages, 2023",
        ),
        "The notes cut “unhappiness” into un, happy and ness: put together that is “unhappyness”, so no tokenizer that gives its text back can do it. "
        "They call character sequences five times longer in English: measured it depends on the text. "
        "They number six tokens of “The cat sat on the mat.”; there are seven, unless the full stop is taken off first. "
        "Subwords do not end unknown words by themselves: without bytes a sign that was never seen is still unknown. "
        "Their program for BPE forgets the pre-tokenizer and the unknown token: see “A careless recipe”. That characters suit Chinese and Japanese is too simple: those need thousands of them.",
        live=False,
    ),
    Lesson(
        "merges", "27_merges.py", "Words to numbers", "Learning pieces", "How does a tokenizer find out which pieces of words to keep?", "",
        "low lower lowest new newer newest low low",
        (
            Try("cook cooks cooked cooking cooker", "Five words share a piece. Why are “cook” and “·cook” two different tokens?", "stop=5&rules=chars_letters"),
            Try("cats rats bats hats mats", "Switch to “merges may cross spaces”: the third merge makes “ats·”, which is no part of any word.", "stop=3&rules=whole_letters"),
            Try("low low low low low lower lower newest newest newest newest newest newest widest widest widest",
                "The classic example, with a mark for the end of a word. Change the tie rule: after “low” another pair comes first.", "stop=9&rules=classic_seen"),
            Try("unhappy happy happy happiness unkind unhappiness", "The notes cut unhappiness into un, happy and ness. Which pieces come out here? Read why below.", "stop=12&rules=chars_letters"),
            Try("aaaa", "The pair a a stands three times, but only two fit side by side.", "stop=1&rules=whole_letters"),
            Try("café naïve 😀😀", "Over bytes: é is two bytes and an emoji four; merges put them together again.", "stop=3&rules=bytes_letters"),
        ),
        (
            "Gage, A New Algorithm for Data Compression, 1994",
            "Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword Units, 2016 (BPE)",
            "Radford et al., Language Models are Unsupervised Multitask Learners, 2019, sec. 2.2 (BPE over bytes)",
            "Schuster & Nakajima, Japanese and Korean Voice Search, 2012 (WordPiece)",
            "Kudo, Subword Regularization, 2018 (Unigram)",
        ),
        "The notes leave open which of two equally frequent pairs is merged, how overlapping pairs are counted, when to stop, and how a new text is cut; here each is stated and can be changed. "
        "They give no score for WordPiece and no formula for Unigram. Their un, happy, ness cannot come out of any of these. "
        "They say that BPE merges characters instead of bytes: byte-level BPE does merge bytes.",
        ("tokenizers",), live=False,
    ),
    Lesson(
        "bag", "28_bag.py", "Words to numbers", "Bag of words", "What do the words of a review say when their order is thrown away?", "",
        "The food was delicious, but the waiter was rude and slow", (),
        (
            "Maron, Automatic Indexing: An Experimental Inquiry, 1961 (naive Bayes for texts)",
            "McCallum & Nigam, A Comparison of Event Models for Naive Bayes Text Classification, 1998 (multinomial and Bernoulli)",
            "Spärck Jones, A Statistical Interpretation of Term Specificity, 1972 (idf); Rocchio, Relevance Feedback in Information Retrieval, 1971 (centroids)",
            "Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13",
            "Jurafsky & Martin, Speech and Language Processing, 3rd ed., ch. 4",
        ),
        "The notes ask for the probability of a bag and give that of one sequence; the bag has that of all its orders together, and both are shown. "
        "They add a small amount to every entry and do not divide again: the entries then no longer sum to 1. They multiply; a long text needs "
        "sums of logarithms. They give no rule for a word that was never counted: here it is skipped, and said.",
        ("smoothing",), live=False,
    ),
)  # fmt: skip

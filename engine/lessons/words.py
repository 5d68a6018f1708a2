"""Lessons on what a text goes through before a model reads it: preparation, tokens, bags of
words."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

WORDS: tuple[Lesson, ...] = (
    Lesson(
        id="preparation",
        era="Words to numbers",
        title="Text preparation",
        question="What happens to a text before a model sees it, and what is lost?",
        minutes=15,
        model="",
        example="Dr. Smith didn't pay $3.14 for 25 apples. I'm NOT happy!!! 😊",
        tries=(
            Try(
                "I'm sure they're here, but we can't stay.",
                "Here punctuation is stripped first: “I’m” becomes “Im”, and the contractions"
                " step finds nothing to expand. Move it up with ↑.",
                "steps=punctuation.strip-contractions-case.lower",
            ),
            Try(
                "I have 25 apples and $3.14 was spent on 42 oranges",
                "Here numbers are replaced before money, so only $<NUM> is left of the amount."
                " Move the money step up.",
                "steps=case.lower-numbers.mark-money.mark",
            ),
            Try(
                "The movie was not very good. The movie was very good.",
                (
                    "Without their stop words, two opposite sentences become the same. Choose"
                    " another list."
                ),
                "steps=sentences.rules-tokens.whole-stopwords.sklearn",
            ),
            Try(
                "Caring mice were running worse; studies easily argued.",
                "Porter turns “studies” into “studi” and “caring” into “care”. Compare the"
                " four columns below.",
                "steps=case.lower-punctuation.strip-porter",
            ),
        ),
        sources=(
            "Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, ch. 2",
            (
                "Porter, An Algorithm for Suffix Stripping, 1980; Snowball: A Language for Stemming"
                " Algorithms, 2001"
            ),
            "Paice, Another Stemmer, 1990 (Lancaster)",
            "Barbaresi, Simplemma: a Simple Multilingual Lemmatizer for Python (word lists)",
            "Luhn, The Automatic Creation of Literature Abstracts, 1958 (words that are left out)",
            "Grefenstette & Tapanainen, What is a Word, What is a Sentence?, 1994",
            "Unicode Standard Annex #15, Unicode Normalization Forms",
            (
                "Heaps, Information Retrieval: Computational and Theoretical Aspects, 1978 (the"
                " growth of a vocabulary)"
            ),
        ),
        differs="The notes say that case can turn V words into 2V; lower case, Capitalized and "
        "CAPITALS already make 3V, and capitals anywhere make more.\n"
        "Their white-space example lost its spaces in print.\n"
        "They strip punctuation from “I'm” before expanding contractions; by then it matches "
        "no entry.\n"
        "They number six tokens in “The cat sat on the mat.”: with the full stop there are "
        "seven, so it must have been stripped first. Contrary to the notes, “not” is on "
        "common stop lists; their own list has neither “while” nor “from”. Porter reduces "
        "“caring” to “care”; “car” is what Lancaster gives. Snowball turns “conditional” and "
        "“easily” into “condit” and “easili” and leaves “argus” alone. The lemma of "
        "“democratization” is the word itself.",
        live=False,
    ),
    Lesson(
        id="tokenizers",
        era="Words to numbers",
        title="Tokenizers",
        question="How is a text cut into numbered pieces, and what does each way of cutting cost?",
        minutes=15,
        before=("preparation",),
        model="",
        example="The cat's unhappiness isn't surprising: cooks cooked, cookers cook.",
        tries=(
            Try(
                "The zyxgrob flurbled happily.",
                "Invented words: a word tokenizer shows each as one dashed box, the others"
                " spell it out. Which pieces are still words?",
            ),
            Try(
                "She recieved teh letter yesterday",
                "Typing errors: “recieved” becomes three or four pieces where “received” is"
                " one. A word tokenizer can only mark it as unknown.",
            ),
            Try(
                "def add(a, b):\n    return a_b[0] + 10",
                "Code: indentation, brackets, underscores. Which tokenizers lose the spaces?",
            ),
            Try(
                "So good 😍 family 👨‍👩‍👧 ❤️",
                "Emoji: one symbol on the screen can be several characters and even more"
                " bytes. Look for unknown pieces.",
            ),
            Try(
                "https://example.com/a?id=42&lang=en",
                "A web address is in no dictionary. Count its tokens with the smallest and"
                " with the largest vocabulary.",
            ),
            Try(
                "12345 + 67890 = 80235, born in 1999",
                "Numbers: 12345 is 1-2-3-4-5 in one row, 12-3-4-5 in the next, 12-3-45 in the"
                " last. Uneven groups of digits make arithmetic harder for a model.",
            ),
            Try(
                "Το πρωί πίνω καφέ",
                (
                    "These vocabularies hardly know Greek: look at the rows for bytes and for BPE"
                    " over bytes."
                ),
            ),
            Try(
                "The cat sat on the mat.",
                "Seven pieces in the row of words, counting the full stop. Do “The” and "
                "“the” share a number? The same colour means the same number.",
            ),
        ),
        sources=(
            (
                "Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword"
                " Units, 2016 (BPE)"
            ),
            (
                "Radford et al., Language Models are Unsupervised Multitask Learners, 2019 (BPE"
                " over bytes)"
            ),
            (
                "Schuster & Nakajima, Japanese and Korean Voice Search, 2012; Wu et al., 2016"
                " (WordPiece)"
            ),
            "Kudo, Subword Regularization, 2018 (Unigram); Kudo & Richardson, SentencePiece, 2018",
            "Petrov et al., Language Model Tokenizers Introduce Unfairness Between Languages, 2023",
        ),
        differs="The notes cut “unhappiness” into un, happy and ness. Joined again, these spell "
        "“unhappyness”, so no tokenizer that restores its text can do this.\n"
        "They say that a text in characters is five times longer in English; the measured "
        "factor depends on the text.\n"
        "They number six tokens in “The cat sat on the mat.”; there are seven, unless the "
        "full stop is stripped first. Subwords alone do not rule out unknown tokens: without "
        "bytes, a character that was never seen is still unknown.\n"
        "Their BPE program omits the pre-tokenizer and the unknown token: see “A careless "
        "recipe”. Characters do not simply suit Chinese and Japanese: those languages need "
        "thousands of them.",
        live=False,
    ),
    Lesson(
        id="merges",
        era="Words to numbers",
        title="Learning pieces",
        subtitle="how a tokenizer learns them",
        question="How does a tokenizer learn which pieces of words to keep?",
        minutes=15,
        before=("tokenizers",),
        model="",
        example="low lower lowest new newer newest low low",
        tries=(
            Try(
                "cook cooks cooked cooking cooker",
                "Five words share one piece. Why are “cook” and “·cook” two different tokens?",
                "stop=5&rules=chars_letters",
            ),
            Try(
                "cats rats bats hats mats",
                "Switch to “merges may cross spaces”: the third merge makes “ats·”, which is"
                " not part of any single word.",
                "stop=3&rules=whole_letters",
            ),
            Try(
                "low low low low low lower lower newest newest newest newest newest newest widest"
                " widest widest",
                "The classic example, with an end-of-word mark. Change the tie rule: after"
                " “low” a different pair is merged first.",
                "stop=9&rules=classic_seen",
            ),
            Try(
                "unhappy happy happy happiness unkind unhappiness",
                "A textbook cut of “unhappiness” is un, happy, ness. Which pieces come out"
                " here? The reason is given below.",
                "stop=12&rules=chars_letters",
            ),
            Try(
                "aaaa",
                "The pair a a occurs three times, but only two copies fit side by side.",
                "stop=1&rules=whole_letters",
            ),
            Try(
                "café naïve 😀😀",
                "Over bytes: é is two bytes and an emoji is four. Merges join them again.",
                "stop=3&rules=bytes_letters",
            ),
        ),
        sources=(
            "Gage, A New Algorithm for Data Compression, 1994",
            (
                "Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword"
                " Units, 2016 (BPE)"
            ),
            (
                "Radford et al., Language Models are Unsupervised Multitask Learners, 2019, sec."
                " 2.2 (BPE over bytes)"
            ),
            "Schuster & Nakajima, Japanese and Korean Voice Search, 2012 (WordPiece)",
            "Kudo, Subword Regularization, 2018 (Unigram)",
        ),
        differs="The notes leave open which of two equally frequent pairs is merged, how overlapping"
        " pairs are counted, when to stop, and how a new text is cut; here each rule is stated"
        " and can be changed. They give no score for WordPiece and no formula for Unigram."
        " Their un, happy, ness cannot come out of any of these. They say that BPE merges"
        " characters rather than bytes; byte-level BPE does merge bytes.",
        live=False,
    ),
    Lesson(
        id="bag",
        era="Words to numbers",
        title="Bag of words",
        question="What do the words of a review tell us without their order?",
        minutes=10,
        before=("preparation",),
        model="",
        example="The food was delicious, but the waiter was rude and slow",
        tries=(),
        sources=(
            "Maron, Automatic Indexing: An Experimental Inquiry, 1961 (naive Bayes for texts)",
            (
                "McCallum & Nigam, A Comparison of Event Models for Naive Bayes Text"
                " Classification, 1998 (multinomial and Bernoulli)"
            ),
            (
                "Spärck Jones, A Statistical Interpretation of Term Specificity, 1972 (idf);"
                " Rocchio, Relevance Feedback in Information Retrieval, 1971 (centroids)"
            ),
            "Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13",
            "Jurafsky & Martin, Speech and Language Processing, 3rd ed., ch. 4",
        ),
        differs="The notes ask for the probability of a bag but give that of one sequence; a bag has"
        " the probability of all its orders together, and both are shown. They add a small"
        " amount to every entry without renormalising, so the entries no longer sum to 1. They"
        " multiply probabilities; a long text needs sums of logarithms. They give no rule for"
        " a word that was never counted; here such a word is skipped, and the page says so.",
        live=False,
    ),
)

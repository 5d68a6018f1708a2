"""Text preparation: what happens to a text before a model sees it, and what is lost?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="preparation",
    era="Words to numbers",
    title="Text preparation",
    question="What happens to a text before a model sees it, and what is lost?",
    model="",
    example="Dr. Smith didn't pay $3.14 for 25 apples. I'm NOT happy!!! 😊",
    tries=(
        Try(
            "I'm sure they're here, but we can't stay.",
            "Here punctuation is stripped first: “I’m” becomes “Im”, and the contractions "
            "step finds nothing to expand. Move it up with ↑.",
            link="steps=punctuation.strip-contractions-case.lower",
        ),
        Try(
            "I have 25 apples and $3.14 was spent on 42 oranges",
            "Here numbers are replaced before money, so only $<NUM> is left of the amount. Move the money step up.",
            link="steps=case.lower-numbers.mark-money.mark",
        ),
        Try(
            "The movie was not very good. The movie was very good.",
            "Without their stop words, two opposite sentences become the same. Choose another list.",
            link="steps=sentences.rules-tokens.whole-stopwords.sklearn",
        ),
        Try(
            "Caring mice were running worse; studies easily argued.",
            "Porter turns “studies” into “studi” and “caring” into “care”. Below, every word is cut four ways.",
            link="steps=case.lower-punctuation.strip-porter",
        ),
    ),
    sources=(
        "Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, ch. 2",
        (
            "Porter, An Algorithm for Suffix Stripping, 1980; Snowball: A Language for Stemming Algorithms, 2001"
        ),
        "Paice, Another Stemmer, 1990 (Lancaster)",
        "Barbaresi, Simplemma: a Simple Multilingual Lemmatizer for Python (word lists)",
        "Luhn, The Automatic Creation of Literature Abstracts, 1958 (words that are left out)",
        "Grefenstette & Tapanainen, What is a Word, What is a Sentence?, 1994",
        "Unicode Standard Annex #15, Unicode Normalization Forms",
        (
            "Heaps, Information Retrieval: Computational and Theoretical Aspects, 1978 (the growth of a vocabulary)"
        ),
    ),
    differs="The notes say that case can turn V words into 2V; lower case, Capitalized and CAPITALS already make "
    "3V, and capitals anywhere make more.\n"
    "Their white-space example lost its spaces in print.\n"
    "They strip punctuation from “I'm” before expanding contractions; by then it matches no entry.\n"
    "They number six tokens in “The cat sat on the mat.”: with the full stop there are seven, so it must have been "
    "stripped first. Contrary to the notes, “not” is on common stop lists; their own list has neither “while” nor "
    "“from”. Porter reduces “caring” to “care”; “car” is what Lancaster gives. Snowball turns “conditional” and "
    "“easily” into “condit” and “easili” and leaves “argus” alone. The lemma of “democratization” is the word "
    "itself.",
    minutes=15,
    live=False,
    minute=(
        Step(
            "The same twice: “movie” and “good”. The word “not” stands on the list, and with it the meaning is gone.",
            text="The movie was not very good. The movie was very good.",
            link="steps=sentences.rules-tokens.whole-stopwords.sklearn",
            panel="preparation",
            asks="Two opposite sentences. What is left of them without their stop words?",
            choices=("two opposites", "the same twice"),
            covers=("ids",),
        ),
        Step(
            "Punctuation goes first, “I'm” becomes “Im”, and the contractions step finds "
            "nothing to expand. Move that step up with ↑.",
            text="I'm sure they're here, but we can't stay.",
            link="steps=punctuation.strip-contractions-case.lower",
            panel="preparation",
        ),
        Step(
            "Porter turns “studies” into “studi”, which is no word, and “caring” into “care”. "
            "Below, every word is cut four ways.",
            text="Caring mice were running worse; studies easily argued.",
            link="steps=case.lower-punctuation.strip-porter",
            panel="preparation",
        ),
    ),
    topics="""
preparation | Lower case | rnn I1
    One step of the pipeline turns capitals into small letters, and the text beside it changes.
    case folding, case conversion, truecasing, upper case
preparation | Punctuation, signs and white space | rnn I2 I3 I4
    Steps that keep, separate or drop punctuation, emoji and extra spaces, each switched alone.
    emoji removal, special characters, whitespace normalisation, text cleaning
part-three-ways-to-cut-don-t | Contractions | rnn I5
    “don't” written out, and three ways to cut it, side by side.
    don't, short forms, Penn Treebank, apostrophe
preparation | Numbers in a text | rnn I6
    A number becomes one mark, or is written out in words; the text beside it changes.
    digits, number handling, numerals
part-gain-and-loss | What preparation gains and loses | rnn I7
    Vocabulary and length of a text after every step, counted.
    vocabulary size, preprocessing, text normalisation
preparation | Cutting a text into words and sentences | rnn I8 I9
    Where words and sentences begin, by simple rules and by better ones.
    word tokenization, sentence tokenization, sentence splitting, segmentation
ids | Tokens and their numbers | rnn I15
    Every token with its number in the vocabulary, as a model gets it.
    token to index, token ids, integer encoding, indexing
part-the-danger-of-not | Stop words and the danger of “not” | rnn I17 I18 I19
    Without “not” a bad review reads like a good one: two sentences, judged with each list.
    stopwords, stop-word removal, negation, function words
part-every-word-cut-four-ways | Stemming: Porter, Snowball and Lancaster | rnn I20 I21 I22
    Every word cut by three stemmers, with the rules that fired.
    stemmer, Porter, Porter2, Snowball, Lancaster, suffix stripping
part-what-a-lemma-needs | Lemmas, and how they differ from stems | rnn I23 I24
    A lemma is a word of the dictionary and needs the part of speech; a stem is what is left.
    lemmatization, lemma, stemming against lemmatisation, base form
""",
)

"""First minutes: from text to numbers."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

WORDS: Mapping[str, tuple[Step, ...]] = {
    "preparation": (
        Step(
            "The same twice: “movie” and “good”. The word “not” stands on the list, and with it the"
            " meaning is gone.",
            text="The movie was not very good. The movie was very good.",
            link="steps=sentences.rules-tokens.whole-stopwords.sklearn",
            panel="preparation",
            asks="Two opposite sentences. What is left of them without their stop words?",
            choices=("two opposites", "the same twice"),
            covers=("ids",),
        ),
        Step(
            "Punctuation goes first, “I'm” becomes “Im”, and the contractions step finds nothing to"
            " expand. Move that step up with ↑.",
            text="I'm sure they're here, but we can't stay.",
            link="steps=punctuation.strip-contractions-case.lower",
            panel="preparation",
        ),
        Step(
            "Compare the columns: Porter turns “studies” into “studi”, which is no word, and"
            " “caring” into “care”.",
            text="Caring mice were running worse; studies easily argued.",
            link="steps=case.lower-punctuation.strip-porter",
            panel="stems",
        ),
    ),
    "tokenizers": (
        Step(
            "Words it never saw are one dashed box each in the row Words. The rows below spell them"
            " out: nothing is lost there.",
            text="The zyxgrob flurbled happily.",
            panel="pieces",
        ),
        Step(
            "Every tokenizer of pieces cuts “recieved” into at least three. One wrong letter order"
            " costs more than a rare word.",
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
    "merges": (
        Step(
            "Three times, but only two copies fit side by side: counts of pairs may overlap,"
            " merges may not.",
            text="aaaa",
            link="stop=1&rules=whole_letters",
            panel="merges",
            asks="How often does the pair “a a” occur in “aaaa”?",
            choices=("2", "3", "4"),
        ),
        Step(
            "Merges may cross spaces here: the third makes “ats·”, a piece that is in no single"
            " word.",
            text="cats rats bats hats mats",
            link="stop=3&rules=whole_letters",
            panel="merges",
        ),
        Step(
            "An emoji is four bytes, and three merges put it together again. “é” is two bytes, occurs"
            " once, and stays in two.",
            text="café naïve 😀😀",
            link="stop=3&rules=bytes_letters",
            panel="merges",
        ),
    ),
    "bag": (
        Step(
            "No: “not” is worth −0.31 bits, “boring” −1.03. Each word counts by itself,"
            " so “not” reverses nothing, and 28 % are left.",
            text="not boring",
            link="rules=multinomial_k1",
            panel="ladder",
            asks="“not boring”: will a bag of words take this for praise?",
            choices=("yes", "no"),
            covers=("beside", "rule"),
        ),
        Step(
            "The same, 54 %: the same words give the same sum. Whatever the order had to "
            "say is lost.",
            text="The film is bad, not good",
            link="rules=multinomial_k1",
            panel="ladder",
            asks="“The film is good, not bad” is positive with 54 %. And in this order?",
            choices=("less", "the same", "more"),
            covers=("beside", "rule"),
        ),
        Step(
            "Multinomial adds “great” four times, +14.2 bits. Bernoulli only asks whether it is there:"
            " 87 %, as for one “great”.",
            text="great great great great",
            link="rules=multinomial_k1",
            panel="beside",
        ),
        Step(
            "No answer, 0 / 0: “great” was in no bad review and “dirty” in no good one. One factor of 0"
            " is enough; k = 1 gives 93 %.",
            text="a great film with a dirty joke",
            link="rules=multinomial_k0",
            panel="rule",
            asks="Plain counts, k = 0: how likely is it that this review is positive?",
            choices=("93 %", "0 %", "no answer"),
            covers=("ladder", "beside"),
        ),
    ),
}

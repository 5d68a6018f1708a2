"""Text preparation: the examples of the course notes with their right answers, whole-text oracles,
and where each change happened."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import ROOT
from engine.core.registry import preparations
from engine.text.preparation import contractions, lemma, numbers, porter, sentences, stopwords
from engine.text.preparation.base import Prepared
from engine.text.preparation.pipeline import STRAIGHT, Pipeline, Step, cut, kinds, numbered
from tests.conftest import sampled, together

EVERY = [(id, choice) for id in preparations.ids() for choice in kinds()[id].choices or {"": ""}]
OPENED = [
    (id, choice)
    for id, choice in EVERY
    if id not in ("snowball", "lemma") or choice in ("english", "german", "en")
]
STRANGE = (
    "",
    " \n\t ",
    "a\ud83d b",
    "e\u0301 \u1112\u1161\u11ab ﬁ ß İ",
    "👩‍🚀 🇫🇷 1️⃣ ♥",
    "\x00\x1b\u202e",
    "don't!!! $3.14, <NUM> 25 Dr. Smith",
    "a" * 500,
    "ΟΔΟΣ Σ",
)
TEXTS = st.text(
    st.sampled_from("aAbBßİéÉ'’.,!?-$€<>NUM 12\n\t😊\u0301\u200dstn") | st.characters(), max_size=60
)


def after(text: str, written: str) -> str:
    done = Pipeline.read(written).run(text)
    return done[-1].after if done else text


# ---- the notes' examples


@sampled(
    ("text", "written", "right"),
    [
        (
            "The Quick Brown Fox Jumps Over The Lazy Dog",
            "case.lower",
            "the quick brown fox jumps over the lazy dog",
        ),
        (
            "Hello, world! How are you? I'm fine; thanks.",
            "case.lower-punctuation.strip",
            "hello world how are you im fine thanks",
        ),
        ("I love this movie!!!", "punctuation.collapse", "I love this movie!"),
        (
            "I ♥ natural language processing 😊 #NLP rocks!",
            "case.lower-symbols.remove-punctuation.strip-space.one",
            "i natural language processing nlp rocks",
        ),
        ("text   with\tirregular \n spacing", "space.one", "text with irregular spacing"),
        ("don't can't won't I'm they're", "contractions", "do not cannot will not I am they are"),
        ("don’t can’t won’t I’m they’re", "contractions", "do not cannot will not I am they are"),
        ("I'm", "case.lower-punctuation.strip-contractions", "im"),  # the order trap
        (
            "I have 25 apples and $3.14 was spent on 42 oranges",
            "case.lower-money.plain-numbers.plain",
            "i have NUM apples and MONEY was spent on NUM oranges",
        ),
        ("$3.14 for 25", "numbers.mark-money.mark", "$<NUM> for <NUM>"),
        ("$3.14 for 25", "money.mark-numbers.mark-case.lower", "<money> for <num>"),
        (
            "Natural language processing is fascinating.",
            "tokens.whole",
            "Natural language processing is fascinating .",
        ),
        ("don't", "tokens.apart", "don ' t"),
        ("don't", "tokens.whole", "don't"),
        ("don't", "tokens.penn", "do n't"),
        (
            "Hello world. How are you today? I am fine.",
            "sentences.rules",
            "Hello world.\nHow are you today?\nI am fine.",
        ),
        ("Dr. Smith left.", "sentences.rules", "Dr. Smith left."),
        ("Dr. Smith left.", "sentences.naive", "Dr.\nSmith left."),
        (
            "The cat sat on the mat while the dog watched from the corner.",
            "stopwords.sklearn",
            "cat sat mat dog watched corner.",
        ),
        (
            "The cat sat on the mat while the dog watched from the corner.",
            "stopwords.notes",
            "cat sat mat while dog watched from corner.",
        ),
        (
            "The cat sat on the mat while the dog watched from the corner.",
            "stopwords.more",
            "cat sat mat dog watched corner.",
        ),
        ("The movie was not very good.", "tokens-stopwords.sklearn", "movie good ."),
        ("The movie was very good.", "tokens-stopwords.sklearn", "movie good ."),
        ("The movie was not very good.", "tokens-stopwords.negations", "movie not good ."),
    ],
    each=3,
)
def test_the_notes_examples(text: str, written: str, right: str) -> None:
    assert after(text, written) == right


STEMS = {
    "porter": (
        "running run argument argument happiness happi argue argu argued argu argues argu arguing"
        " argu argus argu retrieval retriev retrieved retriev retrieving retriev retrieves retriev"
        " studies studi worse wors caring care"
    ),
    "snowball": "conditional condit easily easili argus argus",
    "lancaster": (
        "maximum maxim presumably presum argument argu caring car studies study easily easy"
        " running run"
    ),
    "lemma": (
        "better good running run mice mouse was be were be am be is be are be caring care studies"
        " study worse wrong democratization democratization"
    ),
}


@pytest.mark.parametrize("id", STEMS)
def test_stems_and_lemmas_of_the_notes_words(id: str) -> None:
    words = STEMS[id].split()
    assert after(" ".join(words[::2]), id) == " ".join(words[1::2])


def test_porters_phases_lead_to_the_stem() -> None:
    words = (
        "studies caring happiness conditional retrieval argued hopping running controlling skies"
        " sky dying a is relational feed agreed plastered motoring".split()
    )
    for word in words:
        way = porter.trace(word)
        assert (way[-1][1] if way else word) == porter.stem(word), word
    assert porter.trace("studies") == [("1a plurals", "studi")]
    assert porter.trace("conditional") == [
        ("2 long suffixes", "condition"),
        ("4 suffixes go", "condit"),
    ]


def test_the_list_of_lemmas_cannot_know_the_part_of_speech() -> None:
    said = {word: lemma.lemma(word) for word, *_ in lemma.BY_PART}
    for word in said:
        assert len({right for w, _, right, _ in lemma.BY_PART if w == word}) > 1, (
            "one answer for both would be right"
        )
    assert said["worse"] == "wrong" and said["saw"] in ("see", "saw")


def test_the_token_numbers_of_the_notes() -> None:
    text = "The cat sat on the mat."
    assert numbered(after(text, "case-punctuation").split()) == [1, 2, 3, 4, 1, 5]
    assert numbered(after(text, "case-tokens").split()) == [
        1,
        2,
        3,
        4,
        1,
        5,
        6,
    ], "with the full stop there are seven"


def test_every_boundary_has_its_reason() -> None:
    text = (
        "Dr. J. Smith left at 5 p.m. yesterday. He paid $3.14! “Why?” she asked. See fig. 3, e.g."
        " this, etc. And so on."
    )
    done = sentences.PREPARATION.apply(text)
    assert done.after.split("\n") == [
        "Dr. J. Smith left at 5 p.m. yesterday.",
        "He paid $3.14!",
        "“Why?” she asked.",
        "See fig. 3, e.g. this, etc.",
        "And so on.",
    ]
    why = {
        text[slice(*c.before)] + "|" + text[max(0, c.before[0] - 5) : c.before[0]].strip(): c.why
        for c in done.changes
    }
    assert why[".|Dr"] == "Dr. is an abbreviation that a name or a number follows"
    assert (
        why[".|Dr. J"] == "J. is an initial"
        and why["?|“Why"] == "question mark, but a small letter follows"
    )
    assert all(c.why for c in done.changes)


@together(
    ("word", "full"),
    [
        ("Won't", "Will not"),
        ("CAN'T", "CANNOT"),
        ("He's", "He is"),
        ("John's", "John's"),
        ("let's", "let us"),
        ("I'd", "I would"),
        ("shouldn't've", "shouldn't have"),
        ("dog", "dog"),
    ],
)
def test_contractions_by_hand(word: str, full: str) -> None:
    assert contractions.expand(word)[0] == full


@together(
    ("number", "words"),
    [
        ("0", "zero"),
        ("13", "thirteen"),
        ("25", "twenty-five"),
        ("40", "forty"),
        ("100", "one hundred"),
        ("1,234", "one thousand two hundred thirty-four"),
        ("3.14", "three point one four"),
        ("1000000", "one million"),
        (
            "999999999",
            (
                "nine hundred ninety-nine million nine hundred ninety-nine thousand nine hundred"
                " ninety-nine"
            ),
        ),
        ("12345678901", "one two three four five six seven eight nine zero one"),
    ],
)
def test_numbers_in_words(number: str, words: str) -> None:
    assert numbers.said(number) == words


# ---- whole texts, against something that does not know where it changed what


@settings(max_examples=60, deadline=None)
@given(TEXTS)
@example(STRANGE[3])
@example(STRANGE[8])
def test_whole_texts_against_python(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC"):
        assert after(text, f"unicode.{form}") == unicodedata.normalize(form, text)  # type: ignore[arg-type]
    assert after(text, "case.lower") == text.lower() and after(text, "case.fold") == text.casefold()
    assert after(text, "space.one") == re.sub(r"\s+", " ", text).strip()
    assert after(text, "punctuation.strip") == "".join(
        c for c in text if not unicodedata.category(c).startswith("P")
    )
    assert not any(
        unicodedata.category(c).startswith("S")
        for c in re.sub("<[A-Z]+>", "", after(text, "symbols.remove"))
    )
    for choice in ("whole", "apart", "penn"):
        assert re.sub(r"\s", "", after(text, f"tokens.{choice}")) == re.sub(r"\s", "", text), (
            "a tokenizer puts in spaces, nothing else"
        )


def test_words_against_nltk() -> None:
    """The Penn Treebank's cut as nltk makes it; words of one token stay one, whatever else a
    tokenizer does."""
    from nltk.stem import LancasterStemmer, PorterStemmer, SnowballStemmer
    from nltk.tokenize import TreebankWordTokenizer

    text = "I don't know, we can't go; they're late and she's not, I'm sure you'd say John's right."
    assert after(text, "tokens.penn").split() == TreebankWordTokenizer().tokenize(text)
    words = (
        "flies denied itemization sensational traditional reference colonizer plotted owned humbled"
        " sized meeting".split()
    )
    for id, stemmer in (
        ("porter", PorterStemmer()),
        ("snowball.english", SnowballStemmer("english")),
        ("lancaster", LancasterStemmer()),
    ):
        assert after(" ".join(words), id).split() == [stemmer.stem(word) for word in words]
    assert after("Die Häuser liefen", "snowball.german") == " ".join(
        SnowballStemmer("german").stem(w) for w in ("Die", "Häuser", "liefen")
    )


def test_the_stop_lists() -> None:
    full = stopwords.stop_words("sklearn")
    assert len(full) == 318 and {"not", "very"} <= full
    assert full - stopwords.stop_words("negations") == {
        "not",
        "no",
        "nor",
        "never",
        "neither",
        "none",
        "nobody",
        "nothing",
        "nowhere",
        "cannot",
        "cant",
        "couldnt",
        "hasnt",
        "without",
    }
    assert len(stopwords.stop_words("notes")) == 20 and stopwords.stop_words(
        "more"
    ) - stopwords.stop_words("notes") == {"while", "from"}


# ---- where it happened


def sound(done: Prepared) -> None:
    """The changes alone lead from the text before to the text after, and every span holds what it
    says."""
    made, at = "", 0
    for change in done.changes:
        (a, b), (c, d) = change.before, change.after
        assert at <= a <= b, "in order, without overlap"
        start = b - len(change.was)  # letters that both ends share stand outside
        made += done.before[at:start]
        assert (
            done.before[start:b] == change.was and done.after[c:d] == change.now and len(made) == c
        )
        assert change.why
        made += change.now
        at = b
    assert made + done.before[at:] == done.after


@sampled(("id", "choice"), OPENED)
def test_every_step_says_where(id: str, choice: str) -> None:
    kind = kinds()[id]
    assert kind.title and kind.says.endswith(".") and set(kind.choices) >= {choice} - {""}
    for text in (*STRANGE, "The MICE weren't running; 3 cafés cost $5."):
        sound(kind.apply(text, choice))


@settings(max_examples=40, deadline=None)
@given(
    TEXTS,
    st.lists(
        st.sampled_from(
            [s for s in OPENED if s[0] not in ("porter", "snowball", "lancaster", "lemma")]
        ),
        max_size=6,
    ),
)
def test_any_chain_says_where(text: str, steps: list[tuple[str, str]]) -> None:
    done = Pipeline(tuple(Step(*s) for s in steps)).run(text)
    for one in done:
        sound(one)
    places = cut(done, text)
    assert len(places) == len(done) + 1
    for spans, shown in zip(places, [text, *(d.after for d in done)], strict=True):
        assert all(0 <= a <= b <= len(shown) for a, b in spans)
        assert spans == sorted(spans), "tokens come from the text in their order"


def test_a_token_is_traced_to_the_typed_text() -> None:
    text = "Dr. Smith didn't pay $3.14, MICE ran!"
    chain = Pipeline.read(f"{STRAIGHT}-stopwords.sklearn-lemma.en")
    done = chain.run(text)
    tokens = done[-1].after.split()
    found = {token: text[a:b] for token, (a, b) in zip(tokens, cut(done, text)[0], strict=True)}
    assert found == {
        "Dr": "Dr",
        "smith": "Smith",
        "do": "didn't",
        "pay": "pay",
        "<MONEY>": "$3.14",
        "mouse": "MICE",
        "run": "ran",
    }


# ---- the pipeline


def test_a_pipeline_is_written_and_read() -> None:
    written = "case.fold-contractions-stopwords.notes.off-porter"
    chain = Pipeline.read(written)
    assert chain.write() == written and [s.on for s in chain.steps] == [True, True, False, True]
    assert Pipeline.read("none").steps == () and Pipeline().write() == "none"
    assert (
        Pipeline.read("case.nonsense-<script>-../base-base-stopwords.off").write()
        == "case.lower-stopwords.sklearn.off"
    )
    assert len(Pipeline.read("-".join(["case"] * 500)).steps) == 24


# what is lost in the first order is there in the second; the warning stands at the last step of the
# first
TRAPS = {
    "punctuation.strip-contractions": ("contractions-punctuation.strip", "I'm", "am"),
    "tokens.apart-contractions": ("contractions-tokens.apart", "don't", "not"),
    "numbers.mark-money.mark": ("money.mark-numbers.mark", "$3.14", "<MONEY>"),
    "symbols.remove-money.mark": ("money.mark-symbols.remove", "$3.14", "<MONEY>"),
    "punctuation.strip-numbers.spell": ("numbers.spell-punctuation.strip", "3.14", "point"),
    "numbers.mark-case.lower": ("case.lower-numbers.mark", "25", "<NUM>"),
    "case.lower-sentences.rules": ("sentences.rules-case.lower", "It is. We go.", "\n"),
    "punctuation.strip-sentences.rules": (
        "sentences.rules-punctuation.strip",
        "It is. We go.",
        "\n",
    ),
    "sentences.rules-space.one": ("sentences.rules-space.lines", "It is. We go.", "\n"),
    "lancaster-lemma": ("lemma", "studies mice", "mouse"),
}


@together("lossy", TRAPS)
def test_a_warning_is_true(lossy: str) -> None:
    better, text, lost = TRAPS[lossy]
    assert lost not in after(text, lossy) and lost in after(text, better)
    chain = Pipeline.read(lossy)
    assert [place for place, _ in chain.warnings()] == [1]
    assert not Pipeline.read(better).warnings()
    assert not Pipeline(
        tuple(Step(s.id, s.choice, n > 0) for n, s in enumerate(chain.steps))
    ).warnings(), "a step that is off spoils nothing"


def test_stemming_before_stop_words_is_warned_of() -> None:
    assert after(
        "because", "porter-stopwords.notes"
    ) == "becaus" and "because" in stopwords.stop_words("sklearn")
    for id in ("porter", "snowball", "lancaster"):
        assert after("because", id) == "becaus"
        assert [place for place, _ in Pipeline.read(f"{id}-stopwords.notes").warnings()] == [1]
    assert (
        len(Pipeline.read("porter-lancaster").warnings()) == 1
        and not Pipeline.read(STRAIGHT).warnings()
    )


LOOKED_UP = """
import psutil
from engine.text.preparation.lemma import lemma
lemma("mice", "pt")
used = lambda: psutil.Process().memory_info().rss
before = used()
assert [lemma(word, "de") for word in ("Häuser", "gegangen")] == ["Haus", "gehen"]
print(used() - before)
"""


def test_a_language_of_lemmas_takes_little_memory_and_says_the_same() -> None:
    """German took 110 MB of a server for good."""
    from simplemma import lemmatize

    said = subprocess.check_output([sys.executable, "-c", LOOKED_UP], cwd=ROOT)
    assert int(said) < 50_000_000
    words = [*"hundarna gick hem och barnen lekte i trädgården med bollarna".split()]
    assert [lemma.lemma(w, "sv") for w in words] == [lemmatize(w, lang="sv") for w in words]

"""Text preparation: the examples of the course notes with their right answers, whole-text oracles, where each
change happened, and what a pipeline does to a whole text."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import unicodedata
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import ROOT
from engine.core.registry import preparations
from engine.text.corpora.reviews import CORPUS
from engine.text.preparation import contractions, lemma, numbers, porter, sentences, stopwords
from engine.text.preparation.base import Prepared
from engine.text.preparation.effect import Judge, accuracy, effect
from engine.text.preparation.pipeline import STRAIGHT, Pipeline, Step, cut, kinds, numbered
from tests.conftest import sampled, together

EVERY = [(id, choice) for id in preparations.ids() for choice in kinds()[id].choices or {"": ""}]
OPENED = [
    (id, choice)
    for id, choice in EVERY
    if id not in ("snowball", "lemma") or choice in ("english", "german", "en")
]
STRANGE = (
    *(
        "",
        " \n\t ",
        "a\ud83d b",
        "e\u0301 \u1112\u1161\u11ab ﬁ ß İ",
        "👩‍🚀 🇫🇷 1️⃣ ♥",
        "\x00\x1b\u202e",
    ),
    *("don't!!! $3.14, <NUM> 25 Dr. Smith", "a" * 500, "ΟΔΟΣ Σ"),
)
TEXTS = st.text(
    st.sampled_from("aAbBßİéÉ'’.,!?-$€<>NUM 12\n\t😊\u0301\u200dstn") | st.characters(), max_size=60
)


def after(text: str, written: str) -> str:
    done = Pipeline.read(written).run(text)
    return done[-1].after if done else text


@together(
    ("text", "written", "right"),
    [
        ("The Quick Brown Fox", "case.lower", "the quick brown fox"),
        ("Hello, world! I'm fine; thanks.", "case-punctuation", "hello world im fine thanks"),
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
        ("It is fascinating.", "tokens.whole", "It is fascinating ."),
        ("don't", "tokens.apart", "don ' t"),
        ("don't", "tokens.whole", "don't"),
        ("don't", "tokens.penn", "do n't"),
        ("Dr. Smith left. How are you?", "sentences.rules", "Dr. Smith left.\nHow are you?"),
        ("Dr. Smith left.", "sentences.naive", "Dr.\nSmith left."),
        ("The dog watched while the cat sat.", "stopwords.sklearn", "dog watched cat sat."),
        ("The dog watched while the cat sat.", "stopwords.notes", "dog watched while cat sat."),
        ("The dog watched while the cat sat.", "stopwords.more", "dog watched cat sat."),
        ("The movie was not very good.", "tokens-stopwords.sklearn", "movie good ."),
        ("The movie was not very good.", "tokens-stopwords.negations", "movie not good ."),
    ],
)
def test_the_notes_examples(text: str, written: str, right: str) -> None:
    assert after(text, written) == right


STEMS = {  # each word, and what is made of it
    "porter": "running run happiness happi argue argu argus argu retrieval retriev studies studi worse wors",
    "snowball": "conditional condit easily easili argus argus",
    "lancaster": "maximum maxim presumably presum argument argu caring car easily easy running run",
    "lemma": "better good running run mice mouse was be caring care studies study worse wrong",
}


@together("id", STEMS)
def test_stems_and_lemmas_of_the_notes_words(id: str) -> None:
    words = STEMS[id].split()
    assert after(" ".join(words[::2]), id) == " ".join(words[1::2])


def test_porters_phases_and_numbers_of_tokens() -> None:
    words = (
        "studies caring happiness conditional retrieval argued hopping running controlling skies"
        " sky dying a is relational feed agreed plastered motoring".split()
    )
    for word in words:
        way = porter.trace(word)
        assert (way[-1][1] if way else word) == porter.stem(word), word
    assert porter.trace("studies") == [("1a plurals", "studi")]
    phases = [("2 long suffixes", "condition"), ("4 suffixes go", "condit")]
    assert porter.trace("conditional") == phases
    text = "The cat sat on the mat."
    assert numbered(after(text, "case-punctuation").split()) == [1, 2, 3, 4, 1, 5]
    with_the_stop = numbered(after(text, "case-tokens").split())
    assert with_the_stop == [1, 2, 3, 4, 1, 5, 6]


def test_every_boundary_has_its_reason() -> None:
    first = "Dr. J. Smith left at 5 p.m. yesterday.|He paid $3.14!|“Why?” she asked."
    wanted = f"{first}|See fig. 3, e.g. this, etc.|And so on.".split("|")
    done = sentences.PREPARATION.apply(" ".join(wanted))
    assert done.after.split("\n") == wanted
    why = {done.before[: c.before[0]][-4:].strip(): c.why for c in done.changes}
    assert why["Dr"] == "Dr. is an abbreviation that a name or a number follows"
    assert why["r. J"] == "J. is an initial"
    assert why["“Why"] == "question mark, but a small letter follows"
    assert all(c.why for c in done.changes)


def test_contractions_and_numbers_by_hand() -> None:
    short = "CAN'T He's John's let's I'd shouldn't've dog".split()
    full = "CANNOT|He is|John's|let us|I would|shouldn't have|dog".split("|")
    assert [contractions.expand(word)[0] for word in short] == full
    for number, words in (
        ("0", "zero"),
        ("25", "twenty-five"),
        ("1,234", "one thousand two hundred thirty-four"),
        ("3.14", "three point one four"),
        ("999000000", "nine hundred ninety-nine million"),
        ("12345678901", "one two three four five six seven eight nine zero one"),
    ):
        assert numbers.spell_number(number) == words


@settings(max_examples=60, deadline=None)
@given(TEXTS)
@example(STRANGE[3])
@example(STRANGE[8])
def test_whole_texts_against_python(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC"):
        assert after(text, f"unicode.{form}") == unicodedata.normalize(form, text)  # type: ignore[arg-type]
    assert after(text, "case.lower") == text.lower() and after(text, "case.fold") == text.casefold()
    assert after(text, "space.one") == re.sub(r"\s+", " ", text).strip()
    unmarked = "".join(c for c in text if not unicodedata.category(c).startswith("P"))
    assert after(text, "punctuation.strip") == unmarked
    left = re.sub("<[A-Z]+>", "", after(text, "symbols.remove"))
    assert not any(unicodedata.category(c).startswith("S") for c in left)
    for choice in ("whole", "apart", "penn"):  # a tokenizer puts in spaces, nothing else
        assert re.sub(r"\s", "", after(text, f"tokens.{choice}")) == re.sub(r"\s", "", text)


def test_words_against_nltk() -> None:
    """The Penn Treebank's cut as nltk makes it; words of one token stay one, whatever else a tokenizer does."""
    from nltk.stem import LancasterStemmer, PorterStemmer, SnowballStemmer
    from nltk.tokenize import TreebankWordTokenizer

    text = "I don't know, we can't go; they're late and she's not, I'm sure you'd say John's right."
    assert after(text, "tokens.penn").split() == TreebankWordTokenizer().tokenize(text)
    words = (
        "flies denied itemization sensational traditional reference colonizer plotted owned humbled"
        " sized meeting".split()
    )
    stemmers = {"porter": PorterStemmer(), "lancaster": LancasterStemmer()}
    stemmers |= {f"snowball.{name}": SnowballStemmer(name) for name in ("english", "german")}
    for id, stemmer in stemmers.items():
        assert after(" ".join(words), id).split() == [stemmer.stem(word) for word in words]


def test_stop_lists_and_stems_before_them() -> None:
    full = stopwords.stop_words("sklearn")
    assert len(full) == 318 and {"not", "very"} <= full
    gone = "not no nor never neither none nobody nothing nowhere cannot cant couldnt hasnt without"
    assert full - stopwords.stop_words("negations") == set(gone.split())
    assert len(stopwords.stop_words("notes")) == 20
    assert stopwords.stop_words("more") - stopwords.stop_words("notes") == {"while", "from"}
    assert after("because", "porter-stopwords.notes") == "becaus"
    assert "because" in stopwords.stop_words("sklearn")
    for id in ("porter", "snowball", "lancaster"):
        assert after("because", id) == "becaus"
        assert [place for place, _ in Pipeline.read(f"{id}-stopwords.notes").warnings()] == [1]
    assert len(Pipeline.read("porter-lancaster").warnings()) == 1
    assert not Pipeline.read(STRAIGHT).warnings()


def sound(done: Prepared) -> None:
    """The changes alone lead from the text before to the text after, and every span holds what it says."""
    made, at = "", 0
    for change in done.changes:
        (a, b), (c, d) = change.before, change.after
        assert at <= a <= b, "in order, without overlap"
        start = b - len(change.was)  # letters that both ends share stand outside
        made += done.before[at:start]
        assert done.before[start:b] == change.was and done.after[c:d] == change.now
        assert len(made) == c and change.why
        made += change.now
        at = b
    assert made + done.before[at:] == done.after


@sampled(("id", "choice"), OPENED)
def test_every_step_says_where(id: str, choice: str) -> None:
    kind = kinds()[id]
    assert kind.title and kind.says.endswith(".") and set(kind.choices) >= {choice} - {""}
    for text in (*STRANGE, "The MICE weren't running; 3 cafés cost $5."):
        sound(kind.apply(text, choice))


QUICK = [s for s in OPENED if s[0] not in ("porter", "snowball", "lancaster", "lemma")]


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.lists(st.sampled_from(QUICK), max_size=6))
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
    typed = ("Dr", "Smith", "didn't", "pay", "$3.14", "MICE", "ran")
    assert found == dict(zip("Dr smith do pay <MONEY> mouse run".split(), typed, strict=True))


def test_a_pipeline_is_written_and_read() -> None:
    written = "case.fold-contractions-stopwords.notes.off-porter"
    chain = Pipeline.read(written)
    assert chain.write() == written and [s.on for s in chain.steps] == [True, True, False, True]
    assert Pipeline.read("none").steps == () and Pipeline().write() == "none"
    odd = Pipeline.read("case.nonsense-<script>-../base-base-stopwords.off")
    assert odd.write() == "case.lower-stopwords.sklearn.off"
    assert len(Pipeline.read("-".join(["case"] * 500)).steps) == 24


# what is lost in the first order is there in the second; the warning stands at the last step of the first
TRAPS = {
    "punctuation.strip-contractions": ("contractions-punctuation.strip", "I'm", "am"),
    "tokens.apart-contractions": ("contractions-tokens.apart", "don't", "not"),
    "numbers.mark-money.mark": ("money.mark-numbers.mark", "$3.14", "<MONEY>"),
    "symbols.remove-money.mark": ("money.mark-symbols.remove", "$3.14", "<MONEY>"),
    "punctuation.strip-numbers.spell": ("numbers.spell-punctuation.strip", "3.14", "point"),
    "numbers.mark-case.lower": ("case.lower-numbers.mark", "25", "<NUM>"),
    "case.lower-sentences.rules": ("sentences.rules-case.lower", "It is. We go.", "\n"),
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
    off = Pipeline(tuple(Step(s.id, s.choice, n > 0) for n, s in enumerate(chain.steps)))
    assert not off.warnings(), "a step that is off spoils nothing"


LOOKED_UP = """
import psutil
from engine.text.preparation.lemma import lemma
lemma("mice", "it")
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
    words = "i cani correvano a casa e le bambine mangiavano le mele".split()
    assert [lemma.lemma(w, "it") for w in words] == [lemmatize(w, lang="it") for w in words]


LOWER = Pipeline.read("case-tokens")


def test_counts_by_hand_and_of_nothing() -> None:
    lines = ["The cat.", "the CAT", "A dog", "a cat", "a", "a", "a", "a", "a", "a", "The bird sat."]
    plain, lower = effect(lines, Pipeline()), effect(lines, LOWER)
    assert (plain.tokens, plain.types) == (17, 10)  # The cat. the CAT A dog a cat bird sat.
    assert (lower.tokens, lower.types) == (19, 7)  # the cat . a dog bird sat
    assert lower.ratio == 7 / 19
    # the eleventh line is held out: of "The bird sat." two are new, of "the bird sat ." two of four
    assert (plain.held, plain.unknown) == (3, pytest.approx(2 / 3)) and (
        lower.held,
        lower.unknown,
    ) == (4, 0.5)
    assert lower.curve[0] == (1, 1) and lower.curve[-1] == (19, 7)
    assert lower.curve[5:8] == ((6, 4), (7, 5), (8, 5))  # the cat . the cat a | dog | a
    for lines in ([], ["", " "], ["!"]):
        found = effect(lines, Pipeline.read(STRAIGHT))
        assert (found.tokens, found.types, found.curve) == (0, 0, ())
        assert math.isnan(found.unknown)
        assert math.isnan(found.ratio)
    assert math.isnan(accuracy([], LOWER)[0])
    assert accuracy([("a", "!"), ("b", "?")] * 20, Pipeline.read("punctuation.strip"))[0] == 0, (
        "where no word is left nothing is judged right"
    )


def by_hand(labelled: list[tuple[str, str]], text: str, label: str) -> float:
    """P(label | text) from counts plus one."""
    words = {
        name: Counter(w for mark, line in labelled if mark == name for w in LOWER.tokens(line))
        for name in {mark for mark, _ in labelled}
    }
    vocabulary = set().union(*words.values())
    logs = {}
    for name, count in words.items():
        prior = sum(mark == name for mark, _ in labelled) / len(labelled)
        total = sum(count.values()) + len(vocabulary)
        logs[name] = math.log(prior) + sum(
            math.log((count[w] + 1) / total) for w in LOWER.tokens(text) if w in vocabulary
        )
    return math.exp(logs[label]) / sum(math.exp(v) for v in logs.values())


def test_the_judge_is_naive_bayes_and_judges_lines_it_never_saw() -> None:
    labelled = CORPUS.labelled()
    texts = ["The movie was not very good.", "A boring, unfriendly zyxgrob", ""]
    found = Judge.trained(labelled, LOWER).probability(texts, "positive")
    assert found.tolist() == pytest.approx(
        [by_hand(labelled, text, "positive") for text in texts], rel=1e-6
    )
    labelled = CORPUS.labelled()[:40]
    right = 0
    for n, (label, text) in enumerate(labelled):
        train = [pair for m, pair in enumerate(labelled) if m // 2 % 10 != n // 2 % 10]
        right += (by_hand(train, text, "positive") > 0.5) == (label == "positive")
    share, error = accuracy(labelled, LOWER)
    assert share == right / 40 and error == pytest.approx(math.sqrt(share * (1 - share) / 40))


def test_what_the_page_says_of_not() -> None:
    """With the list the two films are one; without it they differ, and naive Bayes finds both
    positive all the same."""
    films = ["The movie was not very good.", "The movie was very good."]
    for written, same in (
        ("tokens", False),
        ("tokens-stopwords.sklearn", True),
        ("tokens-stopwords.negations", False),
    ):
        judge = Judge.trained(CORPUS.labelled(), Pipeline.read(written))
        first, second = judge.probability(films, "positive")
        assert bool(first == second) is same and min(first, second) > 0.5
        assert (judge.pipeline.tokens(films[0]) == judge.pipeline.tokens(films[1])) is same

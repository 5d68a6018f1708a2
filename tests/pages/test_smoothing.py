"""The page about smoothing: its numbers against fractions by hand and against dictionaries; any
text, any word, any link."""

from __future__ import annotations

import io
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction as F
from functools import cache
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.analysis.study import Study
from engine.core.registry import smoothings
from engine.course.curriculum import lesson
from engine.lessons.counting_texts import FRANCISCO, PRESETS
from engine.live.markdown import escape
from engine.live.session import TypedText
from engine.saving import export
from pages.ui import plate, saving
from pages.ui.counting import smoothers
from pages.ui.counting.context import Context
from pages.ui.counting.study import CUTS, Chosen, texts
from tests.conftest import ROOT, spread

PAGE = "pages/210_smoothing.py"
CATS = PRESETS[0]
HOSTILE = (
    "",
    "   ",
    "👩‍🚀 🇫🇷",
    "שלום \u202eabc",
    "\x00\x01\x7f",
    "<script>alert(1)</script> &amp;",
    "$$\\frac{1}{0}$$ **b** [l](x) `c` |a|b|",
    "flurble zyxgrob",
    "a\ud83d b",
    "the cat " * 200,
    "</s>",
    "<s> the",
    "<UNK>",
)


@pytest.fixture(scope="module", autouse=True)
def nothing_is_kept() -> Iterator[None]:
    yield
    plain.cache_clear()
    st.cache_resource.clear()
    st.cache_data.clear()


def opened(**query: str) -> AppTest:
    """The page, on a word that was seen unless another is asked about."""
    if not {"word", "corpus", "after"} & set(query):
        query["word"] = "saw"
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params.update(query)
    at.switch_page(PAGE).run()
    return sound(at)


@cache
def plain() -> AppTest:
    """The page as it opens, for tests that only read it."""
    return opened()


def sound(at: AppTest) -> AppTest:
    assert not at.exception, at.exception
    return at


def find(at: AppTest, kind: str, label: str) -> Any:
    return next(w for w in at.get(kind) if w.label == label)


def formulas(at: AppTest) -> dict[int, str]:
    """Per order the line with its numbers."""
    lines = [m.value for m in at.markdown if re.match(r"\$\\displaystyle (c\(h\)|[PS]_)", m.value)]
    return {int(re.search(r"[PS]_(\d)", line)[1]): line for line in lines}  # type: ignore[index]


def result(at: AppTest) -> float:
    """The probability at the top of the ladder, as it is written."""
    lines = formulas(at)
    text = lines[max(lines)].rstrip("$").split(" = ")[-1].split(r"\qquad")[0]
    base, _, power = text.partition(r" \cdot 10^{")
    return float(base) * 10 ** int(power.rstrip("} ") or 0) if power else float(base)


def chart(at: AppTest, title: str) -> list[dict[str, Any]]:
    """The rows drawn in the picture whose first row has the column `title`."""
    for element in at.get("vega_lite_chart"):
        spec = json.loads(element.proto.spec)
        rows = spec["layer"][0]["data"]["values"] if "layer" in spec else []
        if isinstance(rows, list) and rows and title in rows[0]:
            return rows
    raise AssertionError(f"no picture with {title}")


# --- by hand: tests T3 to T12 of the inventory, and the same through dictionaries
# ---------------------------------------

BY_HAND = [
    # title, order, context, word, probability, settings
    ("Maximum likelihood", "3", "the cat", "saw", F(1, 4), {}),
    ("Laplace (add-1)", "2", "the", "cat", F(5, 16), {}),  # V is 10 here: nine tokens and <unk>
    ("Add-k", "2", "the", "cat", F(41, 70), {"k": "0.1"}),
    (
        "Jelinek-Mercer",
        "3",
        "the cat",
        "saw",
        F(14, 65),
        {"byhand": "true", "l3": "0.5", "l2": "0.3", "l1": "0.2"},
    ),
    (
        "Jelinek-Mercer",
        "3",
        "cat saw",
        "the",
        F(51, 260),
        {"byhand": "true", "l3": "0.5", "l2": "0.3", "l1": "0.2"},
    ),
    ("Stupid back-off", "2", "the", "the", F(6, 65), {}),
    ("Stupid back-off", "3", "the cat", "the", F(4, 10) * F(4, 10) * F(6, 26), {}),
    ("Modified Kneser-Ney", "3", "the cat", "saw", F(1049, 4488), {}),
    ("Modified Kneser-Ney", "3", "cat saw", "the", F(27, 187), {}),
    ("Modified Kneser-Ney", "3", "saw the", "dog", F(141, 1870), {}),
    ("Modified Kneser-Ney", "3", "the dog", "</s>", F(461, 4488), {}),
    (
        "Modified Kneser-Ney",
        "3",
        "bird",
        "mat",
        F(45, 374),
        {},
    ),  # an unknown context: the unigrams answer
]


@pytest.mark.parametrize(("title", "order", "after", "word", "p", "more"), BY_HAND)
def test_the_ladder_ends_in_the_probability_by_hand(
    title: str, order: str, after: str, word: str, p: F, more: dict[str, str]
) -> None:
    at = opened(method=title, order=order, after=after, word=word, **more)
    assert result(at) == pytest.approx(float(p), rel=6e-4)
    drawn = [r for r in chart(at, "rung") if r["series"] == "probability"]
    assert drawn[-1]["stop"] == pytest.approx(float(p), abs=1e-6)


def test_every_number_of_the_ladder_of_modified_kneser_ney() -> None:
    """The cat saw: 1/2 is taken of 1 of 4; of 1 of 3; 35/22 of 2 of 17; a tenth of the rest."""
    lines = formulas(plain())
    assert r"P_3 = \frac{1 - 0.5}{4} + 0.5 \cdot 0.2175 = 0.2337" in lines[3]
    assert r"P_2 = \frac{1 - 0.5}{3} + 0.5 \cdot 0.1016 = 0.2175" in lines[2]
    assert r"P_1 = \frac{2 - 1.591}{17} + 0.7754 \cdot 0.1 = 0.1016" in lines[1]
    assert r"\frac{1}{V} = \frac{1}{10} = 0.1" in lines[0]


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Witten-Bell", r"\frac{1 + 3 \cdot"),
        ("Kneser-Ney", r"\frac{1 - 0.7273}{4} + 0.5455 \cdot"),
        ("Katz (Good-Turing)", r"\cdot \frac{1}{4}"),
        ("Add-k", r"\frac{1 + 0.1}{4 + 0.1 \cdot 10}"),
        ("Stupid back-off", r"S_3 = \frac{1}{4} = 0.25"),
    ],
)
def test_the_formula_of_a_method_has_its_numbers(title: str, line: str) -> None:
    at = opened(method=title)
    if title.startswith("Katz"):  # the ragged counts of four sentences: 1/2 of a count of 1 is kept
        assert r"0.5 \cdot \frac{1}{4} = 0.125" in formulas(at)[3]
    assert line in formulas(at)[3]


class Slow:
    """Absolute discounting and Kneser-Ney, interpolated, straight from the definition."""

    def __init__(self, lines: tuple[str, ...], order: int, d: float, kneser_ney: bool) -> None:
        self.d, self.raw = d, [Counter[tuple[str, ...]]() for _ in range(order + 1)]
        for line in lines:
            padded = ["<s>", *line.split(), "</s>"]
            for k in range(1, order + 1):
                self.raw[k].update(
                    tuple(padded[i : i + k]) for i in range(len(padded) - k + 1) if (k, i) != (1, 0)
                )
        self.count = list(self.raw)
        for k in range(1, order) if kneser_ney else ():
            self.count[k] = Counter(
                {
                    g: c if g[0] == "<s>" else sum(1 for h in self.raw[k + 1] if h[1:] == g)
                    for g, c in self.raw[k].items()
                }
            )
        self.after: defaultdict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
        for counts in self.count[1:]:
            for gram, c in counts.items():
                self.after[gram[:-1]][gram[-1]] = c
        self.size = len(self.after[()]) + 1
        self.lowest = self._one(list(self.after[()].values()))

    @staticmethod
    def _one(counts: list[int]) -> float:
        n1, n2 = counts.count(1), counts.count(2)
        return n1 / (n1 + 2 * n2) if n1 and n2 else 0.5

    def p(self, word: str, context: tuple[str, ...]) -> float:
        lower = self.p(word, context[1:]) if context else 1 / self.size
        seen = self.after.get(context, {})
        total = sum(seen.values())
        if not total:
            return lower
        d = self.d if context else self.lowest
        taken = sum(min(d, c) for c in seen.values()) / total
        return max(seen.get(word, 0) - d, 0) / total + taken * lower


@pytest.mark.parametrize("title", ["Absolute discounting", "Kneser-Ney"])
@pytest.mark.parametrize(
    ("preset", "after", "word"),
    [
        (CATS, "the cat", "saw"),
        (CATS, "on the", "dog"),
        (CATS, "sat", "mat"),
        (FRANCISCO, "i lost", "glasses"),
    ],
)
@pytest.mark.parametrize("d", ["0.25", "0.75"])
def test_the_ladder_against_dictionaries(
    title: str, preset: Any, after: str, word: str, d: str
) -> None:
    at = opened(corpus=preset.title, order="3", method=title, after=after, word=word, d=d)
    slow = Slow(preset.lines, 3, float(d), title == "Kneser-Ney")
    want = slow.p(word, tuple(after.split()))
    assert result(at) == pytest.approx(want, rel=6e-4)
    row = {r["word"]: r["v"] for r in chart(at, "brief") if r["method"] == title}
    assert row.get(word, want) == pytest.approx(want, abs=1e-6)
    assert sum(row.values()) == pytest.approx(1, abs=1e-5)


def test_every_row_sums_to_one_but_stupid_back_off() -> None:
    rows: defaultdict[str, float] = defaultdict(float)
    at = plain()
    for cell in chart(at, "brief"):
        rows[cell["method"]] += cell["v"]
    assert set(rows) == {smoothings.get(id).title for id in smoothings.ids()}
    assert rows.pop("Stupid back-off") == pytest.approx(361 / 325, abs=1e-5)
    assert list(rows.values()) == pytest.approx([1.0] * len(rows), abs=1e-5)
    seen = {
        r["method"]: r["stop"] for r in chart(at, "part") if r["part"] == "seen after this context"
    }
    assert seen["Maximum likelihood"] == pytest.approx(1) and seen[
        "Laplace (add-1)"
    ] == pytest.approx(7 / 14)
    assert seen["Modified Kneser-Ney"] == pytest.approx(2 * 0.233734 + 0.352718, abs=1e-5)


def test_every_method_has_an_idea_and_a_formula_line() -> None:
    assert all(smoothings.get(id).idea for id in smoothings.ids())
    at = opened()
    words = ("", "dog", "zebra", "</s>")
    for n, title in enumerate(find(at, "selectbox", "Method").options):
        find(at, "selectbox", "Method").set_value(title)
        for word in (words[n % 4], words[(n + 1) % 4]):
            find(at, "text_input", "Next token to explain").set_value(word)
            lines = formulas(sound(at.run()))
            assert lines and all("nan" not in x and "inf" not in x for x in lines.values())


def test_a_slider_moves_the_numbers() -> None:
    at = opened(method="Add-k")
    assert result(at) == pytest.approx(1.1 / 5, rel=1e-3)
    find(at, "slider", "k of add-k").set_value(1.0)
    assert result(sound(at.run())) == pytest.approx(2 / 14, rel=1e-3)


def test_perplexity_is_never_a_bare_infinity() -> None:
    at = plain()
    (table,) = [t.value for t in at.table if "held-out perplexity" in t.value.columns]
    words = dict(
        zip((m.split("**")[1] for m in table["method"]), table["held-out perplexity"], strict=True)
    )
    # the dog sat on the mat </s>: 1/3 of <s> the, sat after "the dog" never, then 1, 1, 1/2, 1
    assert words["Maximum likelihood"].startswith(
        "1 of 7 tokens impossible; perplexity of the rest "
    )
    rest = float(words["Maximum likelihood"].rsplit(" ", 1)[1])
    assert rest == pytest.approx(2 ** (-math.log2(F(3, 4) * F(1, 3) * F(1, 2)) / 6), rel=1e-3)
    assert all("inf" not in w and "nan" not in w for w in words.values())
    assert words["Stupid back-off"].endswith("of scores: no perplexity")


def test_kneser_ney_prefers_glasses() -> None:
    at = plain()
    (table,) = [t.value for t in at.table if "francisco" in t.value.columns]
    (_, a, b), (_, c, d) = table.itertuples(index=False)
    assert a == b  # by frequency both alike
    slow = Slow(FRANCISCO.lines, 2, 0.0, True)
    slow.d = Slow._one(list(slow.count[2].values()))
    for text, word in ((c, "francisco"), (d, "glasses")):
        assert float(text.rstrip(" %")) / 100 == pytest.approx(slow.p(word, ("lost",)), rel=5e-3)


def test_the_counts_and_their_lines() -> None:
    at = plain()
    counts, lines = (
        next(d.value for d in at.dataframe if name in d.value.columns)
        for name in ("count", "before")
    )
    assert dict(zip(counts["next"], counts["count"], strict=True)) == {
        "</s>": 2,
        "sat": 1,
        "saw": 1,
    }
    assert lines[["line", "counted", "after"]].values.tolist() == [[1, "the cat saw", "a dog"]]


def test_one_zero_is_enough() -> None:
    at = opened(order="2")
    said = " ".join(m.value for m in at.markdown)
    assert (
        r"Maximum likelihood: $\displaystyle 0.25 \cdot 0 \cdot 0.25 \cdot 1 \cdot 1 \cdot 0.167"
        r" \cdot 0.333 = 0$" in said
    )
    assert "1 of 7 factors of maximum likelihood are 0 (“cat”)" in said
    frame = next(d.value for d in at.dataframe if "P, smoothed" in d.value.columns)
    assert math.log10(math.prod(map(float, frame["P, smoothed"]))) == pytest.approx(
        -5.435883, abs=2e-3
    )


# --- texts, words, links
# -------------------------------------------------------------------------------------------------


LONG = (
    "Little stories",
    "Everyday scenes",
    "English and French",
    "Is or are",
    "Brackets",
    "Copies",
    "Lag of 6",
)  # cut into characters they are counted for seconds


def one_cut(n: int, title: str) -> str:
    """How a text is cut here; the other way with `make bench`."""
    return "words" if title in LONG else list(CUTS)[n % len(CUTS)]


@pytest.mark.parametrize(
    ("title", "cut"),
    [
        pytest.param(title, cut, marks=[] if cut == one_cut(n, title) else [pytest.mark.slow])
        for n, title in enumerate(texts())
        for cut in CUTS
    ],
)
def test_every_text_opens(title: str, cut: str) -> None:
    at = opened(corpus=title, cut=cut)
    assert formulas(at) or "Type a few sentences" in at.info[0].value


LABELS = ["After", "Next token to explain", "A sentence", "Word to mark in both lists"]


@pytest.mark.parametrize(("label", "texts"), spread(LABELS, HOSTILE, each=4))
def test_any_context_word_and_sentence(label: str, texts: list[str]) -> None:
    """One after the other in one sitting, as a person would try them."""
    at = opened()
    for text in texts:
        find(at, "text_input", label).set_value(text.encode("utf-8", "replace").decode()[:100])
        assert formulas(sound(at.run())), text


OWN = (*HOSTILE, "one", "one two\none two\nthree", "if\ntoString\nconstructor __proto__")


@pytest.mark.parametrize(("cut", "texts"), spread(CUTS, OWN, each=8))
def test_any_text_of_the_reader(cut: str, texts: list[str]) -> None:
    at = opened(corpus="Your own text", cut=cut)
    for text in texts:
        find(at, "text_area", "Your text, one sentence per line").set_value(
            text.encode("utf-8", "replace").decode()
        )
        sound(at.run())
        assert at.info or formulas(at), text


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "empty"),
        (b"PK\x03\x04abc", "zip"),
        (bytes(range(32)) * 50, "not a text"),
        ("the cat\nthe dog".encode("utf-16"), "decoded as utf-16"),
        (b"  \n ", "white space"),
    ],
)
def test_an_upload_is_read_or_kindly_refused(raw: bytes, said: str) -> None:
    at = opened(corpus="Your own text")
    at.get("file_uploader")[0].set_value(("mine.txt", raw, "text/plain"))
    sound(at.run())
    assert said in " ".join(box.value for box in at.info)
    assert bool(formulas(at)) == (b"c\x00a\x00t" in raw)


@pytest.mark.parametrize("mark", ["<s>", "</s>", "<unk>"])
def test_marks_cannot_be_typed(mark: str) -> None:
    at = opened(after=f"{mark} the cat", word="saw")
    assert "cannot be typed" in at.warning[0].value
    assert result(at) == pytest.approx(1049 / 4488, rel=6e-4)


def captions(at: AppTest) -> str:
    return " ".join(c.value for c in at.caption)


def test_an_unknown_word_is_named() -> None:
    said = captions(opened(after="the bird"))
    assert "“bird”: not in the counted text" in said and "unknown token" in said


def test_unknown_words_that_are_not_named_are_counted() -> None:
    said = captions(opened(after=" ".join(f"unheard{n}" for n in range(15))))
    assert "“unheard7” and 7 more: not in the counted text" in said
    assert "“unheard8”" not in said


def test_the_page_begins_with_a_word_that_was_not_seen_here() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page(PAGE).run()
    assert at.session_state["word"] == "dog"
    assert formulas(sound(at))[3].startswith(r"$\displaystyle P_3 = \frac{0}{4} + 0.5")


def test_what_was_set_here_is_there_on_the_next_page() -> None:
    """A bound widget of the same key that another page shows would begin with nothing."""
    at = opened(word="saw")
    at.get("button_group")[0].set_value(4).run()
    for page in ("215_scoring", "225_generation", "235_variants", "210_smoothing"):
        at.query_params.clear()
        sound(at.switch_page(f"pages/{page}.py").run())
        assert at.session_state["order"] in (1, 2, 3, 4, 5), page
        assert at.query_params.get("order") not in ("None", ["None"]), page
        assert find(at, "button_group", "Longest n-gram").value == at.session_state["order"], page


def test_a_line_beyond_the_limit_says_so() -> None:
    at = opened(after="the cat " * 400)
    at.text_input(key="after").set_value("the cat " * 400).run()
    assert "That was 3,200 characters long; the first 2,000 are kept." in captions(sound(at))
    assert len(at.session_state["after"]) == 2000


def test_the_start_of_a_sentence() -> None:
    at = opened(after="", word="the", order="2")
    assert result(at) == pytest.approx(0.603434, rel=6e-4)
    assert result(opened(after="the", word="cat", start="true")) == pytest.approx(
        11521 / 22440, rel=6e-4
    )


@pytest.mark.parametrize(
    "bad",
    [
        {"order": "99"},
        {"corpus": "none"},
        {"cut": "x"},
        {"k": "nan"},
        {"d": "-3"},
        {"method": "<b>"},
        {"katz": "1e9"},
        {"l1": "x"},
    ],
)
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    assert formulas(opened(**bad))


def test_another_text_begins_with_its_own_example() -> None:
    at = opened()
    find(at, "selectbox", "Text to count").set_value(FRANCISCO.title)
    sound(at.run())
    assert find(at, "text_input", "After").value == "lost" and "lost" in " ".join(
        c.value for c in at.caption
    )


def test_every_file_can_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plate, "renderer", lambda: export)
    study = Study.of("\n".join(CATS.lines), 3, hold_out=False)
    chosen = Chosen(study, CATS, 3, "words", "k")
    models = {id: study.smoothed(smoothings.get(id)()) for id in smoothings.listed()}
    rows = smoothers.rows(
        chosen, models, Context(study.tokenizer.encode("the cat").ids, ("the", "cat"))
    )
    made = plate.Plate(
        "compare", "compare", (rows.field,), "study-cats", "of", "the cat", {"seen": rows.seen}
    )
    files = {format: made.make(format, dark=False) for format in saving.FORMATS}
    assert (
        files["png"][:4] == b"\x89PNG" and b"<svg" in files["svg"] and b"Kneser-Ney" in files["csv"]
    )
    assert len(np.load(io.BytesIO(files["npz"]), allow_pickle=False)["comparison"]) == len(models)
    compile(files["py"], "figure.py", "exec")


def test_typed_words_are_not_markdown() -> None:
    assert escape("**b** [x](y) $1$ `c` <b>") == r"\*\*b\*\* \[x\]\(y\) \$1\$ \`c\` \<b\>"


@pytest.mark.parametrize(
    ("page", "key"),
    [("210_smoothing", "after"), ("215_scoring", "lines"), ("315_word2vec", "w2v_text")],
)
def test_what_was_typed_comes_along_but_no_example(page: str, key: str) -> None:
    mine = "my sister saw the\nold harbour"
    for text, comes in ((mine, True), (lesson("ngrams").example, False)):
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
        at.session_state["typed"] = TypedText(text)
        sound(at.switch_page(f"pages/{page}.py").run())
        assert (at.session_state[key] == " ".join(text.split())) is comes


def test_what_is_typed_on_another_page_takes_the_place_of_what_stood_here() -> None:
    at = sound(opened())
    at.session_state["typed"] = TypedText("the dog saw")
    sound(at.switch_page("pages/120_bag.py").run())
    sound(at.switch_page(PAGE).run())
    assert find(at, "text_input", "After").value == "the dog saw"
    find(at, "text_input", "After").set_value("a cat").run()
    assert at.session_state["typed"].text == "a cat"
    find(at, "text_input", "A sentence").set_value("a dog sat").run()
    sound(at.run())
    assert find(at, "text_input", "A sentence").value == "a dog sat"  # no news, nothing is lost


# --- folds: maximum likelihood, the six steps, unknown words
# ---------------------------------------------------------------


def unfolded(fold: str, **query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params.update(query)
    at.session_state[f"fold.{fold}"] = True
    return sound(at.switch_page(PAGE).run())


def words_of(at: AppTest) -> str:
    return "\n".join(
        str(e.value) for kind in ("markdown", "caption", "info", "latex") for e in at.get(kind)
    )


def test_a_probability_off_the_counts_makes_the_text_less_likely() -> None:
    """language_models T2: log L = -16.296 nats; 4 ln(.3 / (2/3)) + 2 ln(.7 / (1/3)) = -1.710 beside it."""
    at = unfolded("likelihood", after="the")
    assert "-16.296" in words_of(at) and "-18.006" in words_of(at)
    assert "“cat” was counted 4 of 6 times after “the”. At 30 % in place of 66.7 %" in words_of(at)
    assert "**0.181** times as likely" in words_of(at)  # e to the power of -1.710
    row = next(d.value for d in at.dataframe if "as moved" in d.value)
    assert row["next"].tolist() == ["cat", "dog", "mat"]
    np.testing.assert_allclose(row["as moved"], [0.3, 0.35, 0.35])
    find(at, "slider", "Its probability").set_value(0.67).run()
    assert "**1.000** times as likely" in words_of(sound(at))
    for after, order in (("", "1"), ("flurble", "2"), ("mat", "3")):
        unfolded("likelihood", after=after, order=order)


def test_six_steps_show_what_comes_out_of_each() -> None:
    at = unfolded("steps", order="2", method="Laplace (add-1)")
    said = [code.value for code in at.code]
    assert "<s> · the · cat · saw · a · dog · </s>" in said
    assert "<s> the\nthe cat\ncat saw\nsaw a" in said
    assert any(text.startswith("4 × the cat\n3 × <s> the\n2 × ") for text in said)
    assert "17 different ones, 11 of them once" in words_of(at)
    smoothed = next(text for text in said if "smoothed" in text)
    assert "the cat\n4 / 6 = 0.667\nsmoothed: 0.312" in smoothed  # T3: 5 / 16, with <unk> in V
    for order in ("1", "3", "5"):
        unfolded("steps", order=order, cut="characters")


def test_unknown_words_follow_the_least_count() -> None:
    at = unfolded("unknown", order="2", after="the")
    assert ":red-background[mat]" in words_of(at) and ":red-background[cat]" not in words_of(at)
    assert "P(`<unk>` | “the”) = **0.167**" in words_of(at)
    find(at, "slider", "A word is known from a count of").set_value(3).run()
    assert "the cat :red-background[sat] :red-background[on] the :red-background[mat]" in words_of(
        sound(at)
    )
    alone = words_of(unfolded("unknown", order="1", least="3"))
    assert "P(`<unk>`) = **0.346**" in alone  # 9 of 26 tokens
    for least in (1, 6):
        sound(find(at, "slider", "A word is known from a count of").set_value(least).run())
    assert "Cut the text into words" in words_of(unfolded("unknown", cut="characters"))

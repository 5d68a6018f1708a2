"""Prompting: chances behind examples by brute force, what the shipped runs are said to do, chains that are checked."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from engine.analysis.tfidf import Tfidf
from engine.core.registry import corpora
from engine.core.tap import Edit, How
from engine.course import rooms
from engine.course.curriculum import lesson
from engine.frame.part import Part
from engine.lessons import former_pages
from engine.lessons.prompting import examples as ex
from engine.lessons.prompting import parts, retrieval, structured, tasks
from engine.lessons.prompting import steps as st
from engine.runs.store import RunStore
from engine.text.corpora import mappings
from engine.text.corpora.prefixed import TASKS
from pages.ui import place
from tests.conftest import shipped
from tests.lessons import blocks

TOLD = ex.pairs(parts.TEXTS["kinds"][0])
FORM = ex.FORMS["marks"]


def found(part: Part, run: str = "transformer_mappings", **given: Any) -> list[Any]:
    page = {"model": shipped(run), "run": RunStore().find(run), "lesson": lesson("prompting")}
    named = {name: of.run for name, of in part.parameters.items() if hasattr(of, "run")}
    return blocks.asked(part, page | {name: shipped(id) for name, id in named.items()}, **given)


def by_number(run: str, form: ex.Form, told: ex.Pairs, question: str) -> list[ex.Asked]:
    """Behind none, one ... of the examples."""
    of = tuple(ex.answers(told))
    return [ex.ask(shipped(run), form.prompt(some, question), of) for some in ex.growing(told)]


def slowly(run: str, prompt: str, answer: str) -> float:
    """P(answer | prompt): the whole text read at once, token after token of the answer."""
    model, text = shipped(run), f"{prompt} {answer}"
    tokens = model.tokens(text)
    p_TV = model.trace(text, fields={"probability"}).field("probability").values
    own = [t for t, (_a, b) in enumerate(tokens.spans) if b > len(prompt)]
    return float(np.prod([p_TV[t - 1, tokens.ids[t]] for t in own]))


@pytest.mark.parametrize("run", ["transformer_mappings", "transformer", "lstm"])
def test_chances_are_those_of_each_whole_text(run: str) -> None:
    """Of one token, of several, of a model that carries nothing that is kept."""
    form = FORM if run == "transformer_mappings" else ex.FORMS["lines"]
    by = by_number(run, form, TOLD, "frog")
    assert ex.answers(TOLD) == ["no", "blue"] and len(by) == 5
    for k, asked in enumerate(by):
        prompt = form.prompt(TOLD[:k], "frog")
        wanted = [slowly(run, prompt, answer) for answer in ("no", "blue")]
        np.testing.assert_allclose(asked.p_A, wanted, rtol=2e-3, atol=1e-7)
    whole = form.prompt(TOLD[:-1], TOLD[-1][0])
    bits = ex.losses(shipped(run), form, TOLD)
    assert 2 ** -bits[-1] == pytest.approx(slowly(run, whole, TOLD[-1][1]), rel=2e-3)


def test_labels_that_never_stood_with_a_kind_are_read_off_the_prompt() -> None:
    """Two examples, one of each kind; with none the model names only what it has met."""
    text = corpora.get("mappings").text()
    pairs = {tuple(pair.split(" = ")) for line in text.splitlines() for pair in line.split(" ; ")}
    met = {(mappings.KIND_OF[word], label) for word, label in pairs}
    every = {(kind, label) for kind in mappings.KINDS for label in mappings.LABELS}
    assert every - met == {pair for pair in every if mappings.unseen(*pair)} and len(met) == 48
    rng, right, before = np.random.default_rng(1), 0, []
    new = sorted(every - met)
    for _n in range(60):
        (kind, label), (other, wrong) = (new[i] for i in rng.permutation(len(new))[:2])
        if kind == other or label == wrong:
            continue
        one, asked = rng.permutation(mappings.KINDS[kind])[:2].tolist()
        told = ((mappings.KINDS[other][0], wrong), (one, label))
        by = by_number("transformer_mappings", FORM, told, asked)
        right += by[2].tops[0][0] == label
        before.append((by[0].p_A[1], by[2].tops[0][0] == label))
    assert len(before) > 40 and right >= 0.97 * len(before)
    assert max(p for p, _hit in before) < 0.02


def test_which_example_did_it() -> None:
    """Only one of them is an animal: without it the answer is gone, and with its label dealt to another."""
    without, *_more = blocks.tables(found(parts.which))
    left = {row["left out"]: row["“blue” is left with"] for row in without}
    assert left.pop("cat = blue") < 0.01 and min(left.values()) > 0.8
    assert "**blue** has 86" in blocks.said(found(parts.which))
    shuffled = blocks.tables(found(parts.which))[-1]
    assert [row["likeliest"] for row in shuffled] == ["8 of 8", "2 of 8"]


def test_the_head_that_looks_at_labels_of_the_kind_is_what_answers() -> None:
    model = shipped("transformer_mappings")
    told = ex.pairs("saw = no\nhammer = no\ncat = blue\nhorse = blue\ndrill = no\nwolf = blue")
    weight_LNE = ex.looks(model, FORM, told, "frog")
    on_LN = weight_LNE[..., [2, 3, 5]].sum(-1)
    assert divmod(int(on_LN.argmax()), on_LN.shape[1]) == (1, 2) and on_LN[1, 2] > 0.8
    assert weight_LNE[1, 2, [0, 1, 4]].max() < 0.01
    first = ex.looks(model, FORM, TOLD, "frog")[..., 2]  # as the first minute says
    assert f"{first[1, 2]:.0%}" == "70%" and first.max() == first[1, 2]
    text, blue = FORM.prompt(told, "frog"), model.tokenizer.vocab.index("blue")
    off = Edit("reading", {"layer": 1, "head": 2}, to=0.0, how=How.SCALE)
    p = [model.trace(text, edits).field("probability").values[-1, blue] for edits in ((), (off,))]
    assert p[0] > 0.97 and p[1] < 0.3


def test_bad_examples_are_said_and_unknown_words_named() -> None:
    for text, says in (
        ("cat", "Example 1 needs"),
        ("cat = yes\n= no", "Example 2 needs"),
        ("cat = yes\ndog = yes", "two different answers"),
        ("a = b\n" * 13, "13 examples: at most 12"),
        ("\n".join(f"cat = {n}" for n in range(7)), "7 different answers"),
    ):
        assert says in blocks.said(found(parts.shots, examples=text))
    assert "Type a question" in blocks.said(found(parts.shots, question=" "))
    assert "never met “zebra”" in blocks.said(found(parts.shots, question="zebra"))
    long = "\n".join(f"{word} = {label}" for word, label in TOLD * 3)
    assert "tokens" not in blocks.said(found(parts.shots, examples=long))


def test_steps_make_sums_right_that_are_wrong_at_once() -> None:
    """100 sums of each length, as on the page and in the table of shipped runs."""
    shares = dict[str, list[float]]()
    for way, run in (("at once", "transformer_sums"), ("in steps", "transformer_steps")):
        shares[way] = []
        for digits in (1, 2, 3, 4, 5):
            pairs = st.sums(digits, 100, seed=0)
            texts = st.write(shipped(run), st.prompts(pairs, way))
            shares[way].append(
                sum(st.answer(t) == str(a + b) for t, (a, b) in zip(texts, pairs, strict=True))
            )
    assert shares == {"at once": [100, 95, 17, 3, 0], "in steps": [100, 100, 100, 100, 0]}


def test_each_step_of_a_sum_is_checked() -> None:
    assert all(step.right for step in st.checked(47, 85, " 7+5+0=12 4+8+1=13 132"))
    slip, after, whole = st.checked(47, 85, "7+5+0=11 4+8+0=12 121")
    assert (slip.right, str(slip.says)) == (False, "7+5+0 is 12.")
    assert "not the step of this column: 4+8+1=13" in str(after.says) and not after.right
    assert str(whole.says) == "The sum is 132."
    assert [step.right for step in st.checked(4, 5, "")] == [False]
    assert not st.checked(4, 5, "=== 9")[0].right
    text = blocks.said(found(tasks.chain, asked="553+905"))
    assert "1408" in text and "The sum is 1458." in text and "'5+9+0=14'" in text
    for odd in ("5+", "12+3", "123456+123456", ""):
        assert "Type a sum" in blocks.said(found(tasks.chain, asked=odd))


def test_a_rectangle_by_steps() -> None:
    """Vector T39: perimeter 30, twice as long as wide; 5, 10 and 50."""
    known: dict[str, Fraction] = {}
    assert all(st._checked(line, known).right for line in tasks.CODE.splitlines())
    assert known == {"w": 5, "l": 10, "area": 50} and 2 * (known["w"] + known["l"]) == 30
    wrong = st.check(["w = 30 / 6", "l = 2 * w = 11", "x = y", "30", "2 = 1 / 0", "a = 9 ** 9"])
    assert [step.right for step in wrong] == [True, False, False, False, False, False]
    assert str(wrong[1].says) == "2 * w is 10, not 11."
    assert "no sum of numbers" in str(st.check(["1 = __import__('os')"])[0].says)
    said = blocks.said(found(tasks.checked_chain, chain="w = 5\n2 * w = 11"))
    assert "Step 2 is the first" in said


def test_a_prompt_with_named_parts() -> None:
    """Vector T61, and the same with a place for the text."""
    given = (
        "Sentiment Analysis",
        "Classify the following text as positive, negative, or neutral.",
        "",
    )
    told = ex.pairs(tasks.SENTENCES)
    assert structured.prompt(*given, told) == (
        "Task: Sentiment Analysis\n\nInstructions: Classify the following text as positive, negative, or"
        " neutral.\n\nExamples:\n\nInput: I love this product!\n\nOutput: Positive\n\nInput: This is the"
        " worst experience ever.\n\nOutput: Negative\n\nInput: The product arrived on time.\n\nOutput:"
        " Neutral\n\nInput:"
    )
    assert structured.prompt(*given, told, "Fine.").endswith("\n\nInput: Fine.\n\nOutput:")
    assert structured.prompt("", "", "A shop.", ()) == "Context: A shop.\n\nInput:"


def test_passages_are_ranked_as_by_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    lines, question = tasks.LINES.splitlines(), "In which room is the office of Ms Berger?"
    weigh = TfidfVectorizer(token_pattern=r"\w+")
    wanted_P = (weigh.fit_transform(lines) @ weigh.transform([question]).T).toarray()[:, 0]
    np.testing.assert_allclose(Tfidf.of(lines).rank(question), wanted_P, atol=1e-12)
    assert not Tfidf.of(["...", ""]).rank("?").any()
    assert "No passage shares" in blocks.said(found(tasks.retrieved, question="xyzzy"))
    rows = blocks.tables(found(tasks.retrieved, source="reviews", question="a boring film"))[0]
    assert all("boring" in row["passage"] or "film" in row["passage"] for row in rows)
    assert retrieval.prompt(["A."], "B?") == "A.\n\nQuestion: B?\nAnswer:"


def test_a_prefix_says_the_task() -> None:
    (rows,) = blocks.tables(found(tasks.prefix))
    for row, (task, does) in zip(rows, TASKS.items(), strict=False):
        assert row["writes"] == does("dbgac") and row[f"{task}: {does('dbgac')}"] > 0.95
        for other, makes in TASKS.items():
            p = slowly("transformer_prefixed", f"{task}: dbgac =", f"{makes('dbgac')}\n")
            assert row[f"{other}: {makes('dbgac')}"] == pytest.approx(p, rel=1e-2, abs=1e-9)
    assert "from a to h" in blocks.said(found(tasks.prefix, letters="xyz"))
    assert "same answer" in blocks.said(found(tasks.prefix, letters="aa"))


def test_the_texts_are_what_they_say() -> None:
    for line in corpora.get("sums").text().splitlines()[:500]:
        asked, _, whole = line.partition("=")
        assert sum(map(int, asked.split("+"))) == int(whole)
    for line in corpora.get("sums_in_steps").text().splitlines()[:500]:
        asked, text = line.split(": ")
        assert all(step.right for step in st.checked(*map(int, asked.split("+")), text))
    for line in corpora.get("prefixed").text().splitlines()[:500]:
        task, _, rest = line.partition(": ")
        word, answer = rest.split(" = ")
        assert TASKS[task](word) == answer
    line = "cat = yes ; saw = no ; dog = yes"
    (fact,) = mappings.CORPUS.facts(line)
    assert line[slice(*fact.first)] == line[slice(*fact.second)] == "yes" and fact.second[1] == len(
        line
    )


def test_places_that_moved_are_there() -> None:
    for old, places in former_pages.PARTS.items():
        for there, (new, now) in places.items():
            ids = {place.part_id(part.title) for part in rooms.parts(new)}
            assert now in ids and there not in {place.part_id(p.title) for p in rooms.parts(old)}


def test_what_was_read_before_is_gone_on_from_and_says_the_same() -> None:
    """Typed on, taken back and changed in the middle; and what the last token looks at."""
    model, told = shipped("transformer_mappings"), TOLD
    for asked in ("frog", "frog cat", "cat", "frog", "wolf"):
        prompt = FORM.prompt(told, asked)
        found, kept = ex.ask.__wrapped__(model, prompt, ("no", "blue")), len(ex._read_before(model))
        assert kept and found.p_A == pytest.approx(
            [slowly("transformer_mappings", prompt, of) for of in ("no", "blue")], rel=2e-3
        )
        weight_LT = model.trace(prompt, fields={"attention"}).field("attention").values[..., -1, :]
        wanted = [weight_LT[..., 4 * e + 2 + int(model.tokenizer.opens)] for e in range(len(told))]
        np.testing.assert_allclose(
            ex.looks(model, FORM, told, asked), np.stack(wanted, -1), atol=1e-5
        )

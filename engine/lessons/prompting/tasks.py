"""What else a prompt can hold: steps written on the way, a prefix, named parts, passages that were looked up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.tfidf import Tfidf
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.prompting import examples as ex
from engine.lessons.prompting import retrieval, structured
from engine.lessons.prompting import steps as st
from engine.models.base import Model
from engine.models.neural import NeuralLanguageModel
from engine.text.collection.beginning import beginning, by_label, left_out
from engine.text.corpora.prefixed import LETTERS, LONGEST, TASKS
from engine.text.corpora.sums import LONGEST as LEARNED

OWN, CHARACTERS = "typed", 300_000  # of a text that is looked into
LARGE = 10**7  # numbers of a model that answers when it is told to
SUMS, DIGITS = 100, 5  # that are measured of each length; the longest of them
CODE = """w = 30 / (2 * 2 + 2) = 5
l = 2 * w = 10
2 * l + 2 * w = 30
area = l * w = 50"""
SENTENCES = """I love this product! = Positive
This is the worst experience ever. = Negative
The product arrived on time. = Neutral"""
LINES = """Ms Berger has her office in room 214.
The library is on the ground floor and opens at nine.
Mr Lang teaches music in room 31.
Lunch is served in the red hall from noon to two.
The lift stops at every floor but the third."""
RIGHT, WRONG = "✓", "✗"


def absent(*models: object) -> None:
    if None in models:
        raise ValueError("A run that comes with Unrolled is missing here: `make zoo` makes it.")


@fr.once
def written_for(model: NeuralLanguageModel[Any], prompt: str) -> str:
    return st.write(model, [prompt])[0]


@fr.part("Written steps")
def chain(
    direct: NeuralLanguageModel[Any] | None = fr.shipped("transformer_sums"),
    stepped: NeuralLanguageModel[Any] | None = fr.shipped("transformer_steps"),
    asked: str = fr.typed("A sum", "5055+8947", 20, live=True, width=220),
    *,
    measure: bool = fr.start("Measure both"),
) -> fr.Blocks:
    yield (
        "Two small Transformers of one recipe learned the same sums of one to four digits: one saw the answers"
        " alone, the other each column before them (**chain of thought**). What it writes is checked step by step."
    )
    absent(direct, stepped)
    assert direct is not None and stepped is not None
    first, second = st.asked(asked)
    at_once = st.answer(written_for(direct, f"{first}+{second}="))
    steps = st.checked(first, second, written_for(stepped, f"{first}+{second}:"))
    right = at_once == str(first + second)
    yield fr.Beside(
        [
            [
                "**At once**",
                fr.table(
                    ("writes", "right", "why"),
                    [
                        (
                            at_once,
                            RIGHT if right else WRONG,
                            "" if right else _("The sum is {whole}.", whole=first + second),
                        )
                    ],
                ),
            ],
            ["**In steps**", shown(steps)],
        ]
    )
    yield fr.Controls(
        ["measure"],
        note=_(
            "{n} sums of each length, one to five digits; none longer than four was learned.",
            n=SUMS,
        ),
    )
    yield fr.Note(
        "Both took 2,000 steps of training over the same 24,000 sums; a line with steps is three times as long."
    )
    if measure:
        found = yield from measured(direct=direct, stepped=stepped)
        yield fr.curves(
            "digits",
            "Right answers by number of digits",
            {way: (range(1, DIGITS + 1), share) for way, share in found.items()},
            "digits of each number",
            "share right",
            _("{n} sums each; {longest} digits is the longest learned", n=SUMS, longest=LEARNED),
            whole=True,
            low=0.0,
            high=1.0,
        )


def shown(steps: Iterable[st.Step], of: str = "writes") -> fr.Rows:
    rows = [(step.written, RIGHT if step.right else WRONG, step.says) for step in steps]
    return fr.table((of, "right", "why"), rows)


@fr.once_told
def measured(
    direct: NeuralLanguageModel[Any], stepped: NeuralLanguageModel[Any]
) -> fr.Taking[dict[str, list[float]]]:
    """By way the share of right answers for one digit, two, ..."""
    found: dict[str, list[float]] = {}
    for n, (way, model) in enumerate({"at once": direct, "in steps": stepped}.items()):
        found[way] = []
        for digits in range(1, DIGITS + 1):
            yield fr.Progress((n * DIGITS + digits - 1) / (2 * DIGITS), "Adding")
            pairs = st.sums(digits, SUMS, seed=0)
            texts = st.write(model, st.prompts(pairs, way))
            right = (st.answer(t) == str(a + b) for t, (a, b) in zip(texts, pairs, strict=True))
            found[way].append(sum(right) / SUMS)
    return found


@fr.part("Check a chain")
def checked_chain(
    chain: str = fr.typed("Steps, an equation a line", CODE, 2_000, live=True, tall=150),
) -> fr.Blocks:
    yield (
        "A rectangle twice as long as wide, with a perimeter of 30: how large is it? Whatever writes the steps, each"
        " can be checked: a new name takes the value of its line, and all sides of a line have to be equal. Make a"
        " mistake in one."
    )
    lines = [line.strip() for line in chain.splitlines() if line.strip()]
    if not lines:
        raise ValueError("Type an equation.")
    found = st.check(lines)
    yield shown(found, "step")
    wrong = [n for n, step in enumerate(found, 1) if not step.right]
    if wrong:
        yield _(
            "Step {n} is the first that does not hold; nothing after it is shown by these steps.",
            n=wrong[0],
        )
    else:
        yield _("All {n} steps hold.", n=len(found))


@fr.part("Prefixes")
def prefix(
    prefixed: NeuralLanguageModel[Any] | None = fr.shipped("transformer_prefixed"),
    letters: str = fr.typed("Letters, a to h", "dbgac", LONGEST, live=True, width=220),
    own: str = fr.typed("A prefix of your own", "sor", 12, live=True, width=220),
) -> fr.Blocks:
    yield (
        "One small Transformer learned three tasks on letters, told apart by the word before them, as T5 tells tasks on"
        " text apart by “summarize: ” and “translate English to German: ”. The same letters behind each prefix: what it"
        " writes, and how likely the answer of each task is."
    )
    absent(prefixed)
    assert prefixed is not None
    if not letters or not {*letters} <= {*LETTERS}:
        raise ValueError("Type letters from a to h.")
    rows, answers = [], {task: does(letters) for task, does in TASKS.items()}
    for said in (*TASKS, own):
        prompt = f"{said}: {letters} ="
        p_A = ex.ask(prefixed, prompt, tuple(f"{answer}\n" for answer in answers.values())).p_A
        rows.append((f"{said}:", written_for(prefixed, prompt).strip(), *p_A))
    columns = [f"{task}: {answer}" for task, answer in answers.items()]
    widths = {"prefix": 70, "writes": 80, **dict.fromkeys(columns, 70)}
    yield fr.table(("prefix", "writes", *columns), rows, bars=columns, widths=widths)
    if len({*answers.values()}) < len(TASKS):
        yield fr.Note("Two of the tasks have the same answer here.")
    yield fr.Link("runs", "T5 checkpoints can be added in Runs", {"panel": "part-add"})


@fr.part("Named parts")
def named(
    model: Model[Any],
    *,
    task: str = fr.typed("Task", "Sentiment Analysis", 200, live=True),
    instructions: str = fr.typed(
        "Instructions",
        "Classify the following text as positive, negative, or neutral.",
        400,
        live=True,
    ),
    context: str = fr.typed("Context", "", 400, "may stay empty", live=True),
    told: str = fr.typed(
        "Examples, one a line: input = answer", SENTENCES, 1_200, live=True, tall=110
    ),
    text: str = fr.typed("The text", "It broke on the first day.", 300, live=True),
    place: bool = fr.switch("A place for the text", True),
) -> fr.Blocks:
    yield (
        "A structured prompt names its parts, and needs a place for the text that it is about. Without one it ends at"
        " “Input:”: nothing is asked, and what comes next is the beginning of some input."
    )
    pairs = ex.pairs(told)
    answers = ex.answers(pairs)
    ways = {
        "with its text": structured.prompt(task, instructions, context, pairs, text.strip()),
        "without a place for it": structured.prompt(task, instructions, context, pairs),
    }
    with_it, without = ways.values()
    yield from ex.unknown(model, with_it)
    found = [ex.ask(model, prompt, tuple(answers)).p_A for prompt in (with_it, without)]
    answered = [*(f"“{answer}”" for answer in answers), "all else"]
    columns = [(*p_A, max(0.0, 1 - sum(p_A))) for p_A in found]
    widths = {"answer": 96, **dict.fromkeys(ways, 130)}
    yield fr.table(
        ("answer", *ways), zip(answered, *columns, strict=True), bars=[*ways], widths=widths
    )
    names = ["task", "instructions", "context", "told", "text"]
    yield fr.Beside(
        [
            [fr.Controls(names, down=True)],
            [fr.Controls(["place"]), fr.Code(with_it if place else without, None)],
        ]
    )


def sources(given: fr.Others) -> dict[str, str]:
    return {OWN: "what is typed", **{of.id: label for label, of in by_label().items()}}


@fr.once
def index(source: str, typed: str) -> Tfidf:
    """Of the passages of a text, or of what is typed."""
    try:
        text = typed if source == OWN else beginning(source, CHARACTERS)[:CHARACTERS]
    except LookupError as problem:
        raise ValueError(problem.args[0]) from None
    return Tfidf.of([line.strip() for line in text.splitlines() if line.strip()])


@fr.part("Look it up first")
def retrieved(
    model: Model[Any],
    *,
    source: str = fr.pick("Passages of", sources, OWN),
    passages: str = fr.typed("A text, a passage a line", LINES, 20_000, live=True, tall=150),
    question: str = fr.typed(
        "Question", "In which room is the office of Ms Berger?", 200, live=True, width=420
    ),
    many: int = fr.slider("Passages in the prompt", 1, 5, 1),
    answer: bool = fr.start("Let it answer", ("source", "passages", "question", "many")),
) -> fr.Blocks:
    yield (
        "No weight holds what stands in your text. **Retrieval** looks for the passages that share most with the"
        " question, by TF-IDF, and puts them before it."
    )
    typed = ["passages"] if source == OWN else []
    yield fr.Beside(
        [
            [fr.Controls(["source", *typed], down=True)],
            [fr.Controls(["question", "many"], down=True)],
        ]
    )
    found_in = index(source, passages if source == OWN else "")
    lines, score_P = found_in.texts, found_in.rank(question)
    if not lines or not question.strip():
        raise ValueError("Type some passages and a question.")
    if source != OWN and (note := left_out(source, CHARACTERS)):
        yield fr.Note(note)
    order = np.argsort(-score_P, kind="stable")
    found = [lines[p] for p in order[:many] if score_P[p] > 0]
    yield fr.table(
        ("cosine", "passage"),
        [(float(score_P[p]), lines[p]) for p in order[: max(many, 5)]],
        bars=("cosine",),
        forms={"cosine": "%.2f"},
        widths={"cosine": 86, "passage": 270},
    )
    if not found:
        yield fr.Warn("No passage shares a word with the question: nothing is put before it.")
    ways = {
        "**Without a passage**": retrieval.prompt([], question),
        "**With what was found**": retrieval.prompt(found, question),
    }
    yield from ex.unknown(model, ways["**With what was found**"])
    if ex.size(model) > LARGE:
        yield fr.Controls(["answer"])
    answers = dict.fromkeys(ways, "…")
    ended = _("It ends at once, and writes nothing.")
    if answer or ex.size(model) <= LARGE:
        for way, prompt in ways.items():
            answers[way] = (yield from answered(model=model, prompt=prompt)) or ended
    yield fr.Beside(
        [
            [
                way,
                fr.Code(prompt, None),
                answers[way] if answers[way] is ended else f"→ {escaped(answers[way])}",
            ]
            for way, prompt in ways.items()
        ]
    )
    yield fr.Line(
        [
            fr.Link("bag", "How TF-IDF weighs a word"),
            fr.Link(
                "attention",
                "Attention as a soft lookup",
                {"panel": "part-a-library-that-is-read-softly"},
            ),
        ]
    )


@fr.once_told
def answered(model: Model[Any], prompt: str) -> fr.Taking[str]:
    pieces = []
    for n, piece in enumerate(retrieval.answer(model, prompt)):
        yield fr.Progress(n / retrieval.WRITTEN, "Answering")
        pieces.append(piece)
    return "".join(pieces).strip()


PARTS = (chain, checked_chain, prefix, named, retrieved)

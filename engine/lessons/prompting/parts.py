"""What a prompt does: answers behind examples, which of them did it, and a passage read again.

Shapes    A = answers, E = examples, L = layers, N = heads
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.prompting import examples as ex
from engine.lessons.prompting import tasks
from engine.lessons.prompting.repeated import repeated
from engine.models.abilities import Attends
from engine.models.base import Model
from engine.runs.store import Run
from engine.text.tokenizers.words import Words
from engine.views.theme import visible

TEXTS = {
    "kinds": ("saw = no\nhammer = no\ncat = blue\ndrill = no", "frog"),
    "three": (
        "oak = left\nbread = right\nhat = up\nrose = left\ncheese = right\nscarf = up",
        "glove",
    ),
    "none": ("cat = yes\nsaw = no\nfox = no\nnail = yes\nowl = yes\naxe = no", "dog"),
    "feels": (
        "I love this product! = Positive\nThis is the worst experience ever. = Negative\n"
        "The film was great fun. = Positive\nI want my money back. = Negative",
        "What a wonderful day",
    ),
    "capitals": ("France = Paris\nItaly = Rome\nSpain = Madrid\nGermany = Berlin", "England"),
}
READY = {
    "Tools no, animals blue": "kinds",
    "By kind, three labels": "three",
    "Nothing to go by": "none",
    "Positive or negative": "feels",
    "Capitals": "capitals",
}
SMALL = "transformer_mappings"
DRAWS, HEADS, LINES = 8, 8, 16  # shuffled prompts; heads that are listed; lines of a low box
NAMED, BAR = (
    130,
    76,
)  # pixels of columns that stand side by side on a telephone; where there is more, they share it
AT_ONCE = 2e10  # multiplications that are done without asking


WAYS: dict[str, Callable[[ex.Pairs], list[ex.Pairs]]] = {
    "growing": ex.growing,
    "left out": ex.left_out,
    "another order": lambda told: [ex.reordered(told, seed) for seed in range(DRAWS)],
    "other labels": lambda told: [ex.relabelled(told, seed) for seed in range(DRAWS)],
}


def form_first(given: fr.Others) -> str:
    return "marks" if isinstance(given["model"].tokenizer, Words) else "lines"


def told_first(given: fr.Others) -> str:
    return TEXTS["kinds" if form_first(given) == "marks" else "feels"][0]


def asked_first(given: fr.Others) -> str:
    return TEXTS["kinds" if form_first(given) == "marks" else "feels"][1]


EXAMPLES = fr.shared(
    fr.typed("Examples, one a line: input = answer", told_first, 1_200, live=True, tall=160)
)
QUESTION = fr.shared(fr.typed("Question", asked_first, 200, live=True, width=320))
FORM = fr.shared(
    fr.pick("Written as", {id: form.title for id, form in ex.FORMS.items()}, form_first)
)


def most_shown(given: fr.Others) -> int:
    """How many examples there are, of those that can be read."""
    try:
        return len(ex.pairs(given["examples"]))
    except ValueError:
        return 1


def behind(
    model: Model[Any], form: str, told: ex.Pairs, question: str, way: str
) -> fr.Taking[np.ndarray]:
    """How likely each answer is behind the prompts that WAYS names (P, A)."""
    prompts = [ex.FORMS[form].prompt(examples, question) for examples in WAYS[way](told)]
    found = yield from ex.behind(model, prompts, ex.answers(told))
    return np.array([asked.p_A for asked in found])


@fr.once
def losses_of(model: Model[Any], form: str, told: ex.Pairs) -> list[float]:
    return ex.losses(model, ex.FORMS[form], told)


def asked(model: Model[Any], examples: str, question: str, form: str) -> ex.Pairs:
    """The examples.  ValueError with a sentence where the model cannot be asked."""
    told = ex.pairs(examples)
    ex.answers(told)
    if not question.strip():
        raise ValueError("Type a question.")
    if not model.foretells:
        raise ValueError("This model does not say what comes next; choose a language model.")
    return told


@fr.part("Answers by number of examples")
def shots(
    model: Model[Any],
    run: Run,
    examples: str = EXAMPLES,
    question: str = QUESTION,
    form: str = FORM,
    *,
    shown: int = fr.slider("Examples in the prompt", 0, most_shown, most_shown),
) -> fr.Blocks:
    yield (
        "No weight changes here. The model reads none, one, two ... of your examples and then the"
        " question: the task is told by the examples alone (**few-shot**; none: **zero-shot**)."
    )
    names = "examples", "question"
    ready = {name: dict(zip(names, TEXTS[id], strict=True)) for name, id in READY.items()}
    yield fr.Presets("Examples", ready, open=True)
    told = asked(model, examples, question, form)
    written = ex.FORMS[form]
    yield from ex.unknown(model, written.prompt(told, question))
    if run.id == SMALL:
        yield fr.Note(
            "This small model learned from lines of words with labels. Which kind gets which label was drawn anew for"
            " each line, and some pairs never came up: no line calls an animal blue."
        )
    answers = ex.answers(told)
    yield fr.Controls(["shown"])
    prompt = written.prompt(told[:shown], question)
    (now,) = yield from ex.behind(model, [prompt], answers)  # is there first, with every key
    likeliest = [(visible(word), p) for word, p in now.tops]
    yield fr.Beside(
        [
            [fr.Code(prompt, None, tall=300 if prompt.count("\n") > LINES else 0)],
            [fr.table(("what comes next", "probability"), likeliest, bars=("probability",))],
        ]
    )
    p_KA = yield from behind(model, form, told, question, "growing")
    rows = [
        "0",
        *(
            _("{k} + {given} = {answer}", k=k, given=g, answer=a)
            for k, (g, a) in enumerate(told, 1)
        ),
    ]
    columns = [f"“{answer}”" for answer in answers]
    yield fr.table(
        ("examples", *columns, "all else"),
        [
            (row, *p_A.tolist(), max(0.0, 1 - float(p_A.sum())))
            for row, p_A in zip(rows, p_KA, strict=True)
        ],
        bars=(*columns, "all else"),
        widths={"examples": NAMED, **dict.fromkeys((*columns, "all else"), BAR)},
    )


@fr.part("Which example did it")
def which(
    model: Model[Any],
    run: Run,
    examples: str = EXAMPLES,
    question: str = QUESTION,
    form: str = FORM,
    *,
    shuffle: bool = fr.start("Shuffle", ("examples", "question", "form")),
) -> fr.Blocks:
    told = asked(model, examples, question, form)
    written, answers = ex.FORMS[form], ex.answers(told)
    of: dict[str, Any] = {"model": model, "form": form, "told": told, "question": question}
    (all_told,) = yield from ex.behind(model, [written.prompt(told, question)], answers)
    best = int(np.argmax(all_told.p_A))
    answer, p = answers[best], all_told.p_A[best]
    yield _(
        "Behind all {n} examples **{answer}** has {p:.1%}. Each row leaves one example out, with all else"
        " as it was.",
        n=len(told),
        answer=escaped(answer),
        p=p,
    )
    without_EA = yield from behind(**of, way="left out")
    rows = [
        (f"{given} = {label}", float(q), p - float(q))
        for (given, label), q in zip(told, without_EA[:, best], strict=True)
    ]
    heads = "left out", _("“{answer}” is left with", answer=answer), "it gave"
    widths = {heads[0]: NAMED, heads[1]: NAMED + 10, heads[2]: BAR}
    table = fr.table(heads, rows, forms={heads[2]: "%+.3f"}, bars=(heads[1],), widths=widths)
    bits = losses_of(model, form, told)
    losses = fr.curves(
        "losses",
        "Loss of the answer of each example, given those before it",
        {"bits": (range(1, len(told) + 1), bits)},
        "example",
        "bits",
        "Where it falls, the task has been understood",
        examples,
        whole=True,
    )
    yield fr.Beside([[table], [losses]])
    if isinstance(model, Attends):
        yield from heads_that_look(model, run, written, told, question, answer)
    yield _(
        "The same examples in {n} random orders; and the same inputs with their answers dealt anew, so that"
        " nothing is right any more:",
        n=DRAWS,
    )
    if 2 * DRAWS * len(model.tokens(written.prompt(told, question))) * ex.size(model) > AT_ONCE:
        yield fr.Controls(["shuffle"])
        if not shuffle:
            return
    order_DA = yield from behind(**of, way="another order")
    dealt_DA = yield from behind(**of, way="other labels")
    mean = _("“{answer}”, mean", answer=answer)
    yield fr.table(
        ("way", mean, "lowest, highest", "likeliest"),
        [
            (
                way,
                float(p_DA[:, best].mean()),
                f"{p_DA[:, best].min():.1%}, {p_DA[:, best].max():.1%}",
                _("{n} of {all}", n=int((p_DA.argmax(1) == best).sum()), all=DRAWS),
            )
            for way, p_DA in (("another order", order_DA), ("other labels", dealt_DA))
        ],
        bars=(mean,),
        widths={"way": 106, mean: BAR, "lowest, highest": 108, "likeliest": 70},
    )


def heads_that_look(
    model: Attends[Any], run: Run, form: ex.Form, told: ex.Pairs, question: str, answer: str
) -> fr.Blocks:
    """Those whose last row puts most weight on the labels that are the answer."""
    weight_LNE = ex.looks(model, form, told, question)
    right_E = np.array([label == answer for _given, label in told])
    on_LN = weight_LNE[..., right_E].sum(-1)
    best = [divmod(int(i), on_LN.shape[1]) for i in np.argsort(-on_LN, axis=None)[:HEADS]]
    chart = fr.grid(
        "looks",
        "From the end of the prompt: weight on the label of each example",
        np.stack([weight_LNE[layer, head] for layer, head in best]),
        ("head", [f"{layer + 1}.{head + 1}" for layer, head in best]),
        ("label", [f"{given} = {label}" for given, label in told]),
        Kind.ATTENTION,
        _(
            "The {n} heads, layer.head, that look most at labels “{answer}”",
            n=len(best),
            answer=answer,
        ),
        question,
        fluid=True,
    )
    yield chart
    (layer, head), text = best[0], form.prompt(told, question)
    place = {"run": run.id, "text": text, "layer": str(layer), "head": str(head)}
    named = {"head": head + 1, "layer": layer + 1}
    off = {"edits": f"reading:{layer}:{head}:*:scale:0"}
    yield fr.Line(
        [
            fr.Link("heads", _("Head {head} of layer {layer} on this prompt", **named), place),
            fr.Link("surgery", "The same prompt without this head", place | off),
        ]
    )


@fr.part("A passage again and again", was=("passage", "times", "repeated", "few_shot"))
def again(
    model: Model[Any],
    run: Run,
    transformer: Model[Any] | None = fr.shipped("transformer"),
    lstm: Model[Any] | None = fr.shipped("lstm"),
    ngram: Model[Any] | None = fr.shipped("ngram"),
    passage: str = fr.typed(
        "A passage, to be read several times in a row", "one two three four five six seven", 300
    ),
    times: int = fr.slider("Times", 2, 6, 3),
) -> fr.Blocks:
    yield (
        "No weight changes here. Where a curve falls, the model uses what it has just read:"
        " **in-context learning**. Attention can look up what followed the same words the last"
        " time; a recurrent net would have to hold the passage in its state; a counting model"
        " sees a few words only."
    )
    if not passage.strip():
        raise ValueError("Type a passage.")
    series, problems = dict[str, tuple[range, list[float]]](), list[str]()
    shipped = {"Transformer, pieces of words": transformer, "LSTM": lstm, "n-gram": ngram}
    for name, one in (shipped | {run.title: model}).items():
        if one is None or not one.foretells:
            continue
        try:
            found = repeated(one, passage, times)
        except ValueError as problem:
            problems.append(f"{escaped(name)}: {problem}.")
        else:
            if found[0]:
                series[name] = range(1, times + 1), [value / found[0] * 100 for value in found]
    yield from map(fr.Note, problems)
    if series:
        yield fr.curves(
            "repeated",
            "Surprise at the same passage, the first time = 100",
            series,
            "reading of the passage",
            "bits per token, first time = 100",
            "Same weights throughout: any fall comes from the text before",
            passage,
            whole=True,
            every=True,
            tight=False,
        )


PARTS = (shots, which, again, *tasks.PARTS)

"""What stands below the live pictures: heads for one's own labels, what tuning the body along is worth, and the game
with replaced words.

Shapes    N = lines, T = tokens, D = width, W = ways to make one vector of a text
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import back_translation, decode, interval
from engine.analysis import task_heads as store
from engine.core.registry import corpora
from engine.frame.latex import number
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.tasks import augment, domain, game, own, writing
from engine.lessons.tasks.live import WAYS
from engine.lessons.tasks.reading import WAYS as VECTORS
from engine.models.bert import Bert
from engine.models.transformer import Transformer
from engine.models.translating import TranslatingModel
from engine.runs.store import Run, RunStore
from engine.vectors.base import Vectors

ASKED = "The merchant bought the ship for a fortune."
TEXT = (
    "The old captain opened the door and looked at the sea, but there was no ship in the harbour."
)
TYPED = fr.shared(
    fr.typed(
        "Lines to learn from: a label, a colon, a text", own.example(), 20_000, width=480, tall=220
    )
)
CALLED = dict(zip(VECTORS, WAYS, strict=True)) | {own.COUNTS: "counted words, no BERT"}


@fr.once_told
def read_lines(model: Bert, of: own.Lines) -> fr.Taking[np.ndarray]:
    """The vectors (N, W, D) of the lines."""
    found = []
    for vector_WD in own.read_vectors(model, of.texts):
        found.append(vector_WD)
        yield fr.Progress(len(found) / len(of.texts), "Reading the lines")
    return np.stack(found)


@fr.once
def ask(model: Bert, text: str) -> np.ndarray:
    return next(own.read_vectors(model, [text]))


@fr.part("Your own labels")
def own_labels(
    model: Bert,
    lines: str = TYPED,
    asked: str = fr.typed("A sentence", ASKED, 300),
) -> fr.Blocks:
    yield (
        "A head for labels of your own. The body stays frozen, so each line is read once, and the head alone is"
        " learned, which takes a moment. It is judged by lines that it did not learn from: each line by a head of the"
        " other three quarters."
    )
    of = own.read(lines)
    if not asked.strip():
        raise ValueError("Type a sentence.")
    vector_NWD = yield from read_lines(model=model, of=of)
    found = own.compare(vector_NWD, of, asked, ask(model, asked))
    yield fr.Rows(
        [
            {
                "vector of the text": _(CALLED[way]),
                "right": one.right,
                "precision": one.precision,
                "recall": one.recall,
                "F1": one.f1,
                "numbers learned": one.numbers,
                "says of your sentence": name,
                "probability": one.said[name],
            }
            for way, one in found.items()
            for name in [max(one.said, key=lambda label: one.said[label])]
        ],
        {
            **dict.fromkeys(("right", "precision", "recall", "F1", "probability"), fr.SHARE),
            "numbers learned": fr.WHOLE,
        },
    )
    best = max(own.WAYS, key=lambda way: found[way].right)
    yield _(
        "The best vector here is **{best}**: {right:.0%} of {count} lines, where counted words get {words:.0%}. A word"
        " that no line has is nothing to a count; to BERT it is close to others.",
        best=_(CALLED[best]),
        right=found[best].right,
        count=len(of.labels),
        words=found[own.COUNTS].right,
    )
    yield fr.Note(
        "Precision, recall and F1 are means over the labels. With so few lines one line more or less right moves"
        " every share by some points."
    )


AUGMENTED = {
    "synonyms": "synonyms",
    "delete": "words deleted",
    "swap": "words swapped",
    "back": "translated there and back",
    "mixup": "mixup",
}
HEAT = 0.5  # at which lines come back


@dataclass(frozen=True, eq=False)
class Made:
    """Makes a line of each, with what it needs for that: word vectors and two translators."""

    space: Vectors
    there: TranslatingModel[Any]
    back: TranslatingModel[Any]

    def __call__(
        self, way: str, lines: Sequence[str], share: float, rng: np.random.Generator
    ) -> list[str]:
        if way != augment.BACK:
            return [augment.change(way, line, self.space, share, rng) for line in lines]
        seed = int(rng.integers(2**31))
        made = back_translation.there_and_back(self.there, self.back, lines, HEAT, seed)
        return [again or line for line, (_abroad, again) in zip(lines, made, strict=True)]


maker = fr.once(Made)


@fr.once_told
def made_lines(
    model: Bert, make: Made, of: own.Lines, way: str, copies: int, share: int, seed: int
) -> fr.Taking[np.ndarray]:
    """The mean vectors of lines that were made, copy by copy."""
    rng, found = np.random.default_rng(seed), []
    told = _("Reading what was made: {way}", way=_(AUGMENTED[way]))
    texts = [line for _copy in range(copies) for line in make(way, of.texts, share / 100, rng)]
    for vector_WD in own.read_vectors(model, texts):
        found.append(vector_WD[VECTORS.index("mean")])
        yield fr.Progress(len(found) / len(texts), told)
    return np.stack(found)


def by_hand(mixing: float) -> fr.Formula:
    """Two points and their labels, mixed."""
    point_3 = augment.mix(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0]), mixing)
    said, rest = number(mixing), number(1 - mixing)
    return fr.Formula(
        rf"{said} \cdot (1, 2, 3) + {rest} \cdot (3, 2, 1) = ({', '.join(map(number, point_3))}),"
        rf" \qquad {said} \cdot (1, 0) + {rest} \cdot (0, 1) = ({said}, {rest})"
    )


@fr.part("More lines from few")
def augmented(
    model: Bert,
    table: Any = fr.shipped("skipgram"),
    there: Any = fr.shipped("translator_spanish"),
    back: Any = fr.shipped("translator_english"),
    lines: str = TYPED,
    share: int = fr.slider("Share of the words that is changed, in %", 5, 60, 20, 5, width=260),
    copies: int = fr.slider("Lines made of each", 1, 4, 2, width=160),
    *,
    mixing: float = fr.slider("λ, the share of the first", 0.0, 1.0, 0.7, 0.05, width=220),
    start: bool = fr.start("Measure", ("lines", "share", "copies")),
) -> fr.Blocks:
    yield (
        "Augmentation makes more lines out of those that there are, each with the label of its line: some words become"
        " the word with the nearest vector, some are deleted, some change places; or the line is translated there and"
        " back. **Mixup** makes no text: it lays a point between the vectors of two lines, and its label is as much"
        " between."
    )
    of = own.read(lines)
    if None in (table, there, back):
        raise ValueError(
            "This part needs the shipped word vectors and translators; they are missing."
        )
    rng, make = np.random.default_rng(0), maker(table.space, there, back)
    ways = [*augment.WAYS, augment.BACK]
    texts = [(_(AUGMENTED[way]), *make(way, of.texts[:1], share / 100, rng)) for way in ways]
    yield fr.table(("made by", "line"), [("as it is", of.texts[0]), *texts], width=620)
    yield fr.Note(
        "The translators, English to Spanish and back, learned from one old book: of other texts hardly a word comes"
        " back. Good ones of your own can be tried on the page of translators."
    )
    yield fr.Link("translation", "There and back", {"panel": "part-there-and-back"})
    yield fr.Controls(["mixing"])
    yield by_hand(mixing)
    yield fr.Controls(["start"])
    if not start:
        return
    vector_NWD = yield from read_lines(model=model, of=of)
    x_ND = vector_NWD[:, VECTORS.index("mean")]
    right: dict[str, list[float]] = {name: [] for name in ("as they are", *AUGMENTED.values())}
    for seed in range(augment.DRAWS):
        right["as they are"].append(augment.judge(x_ND, of.labels, None, seed))
        for way in ways:
            x_MD = yield from made_lines(
                model=model, make=make, of=of, way=way, copies=copies, share=share, seed=seed
            )
            more = augment.changed(x_MD, [*range(len(of.texts))] * copies)
            right[AUGMENTED[way]].append(augment.judge(x_ND, of.labels, more, seed))
        mixed = augment.mixed(x_ND, copies, np.random.default_rng(seed))
        right[AUGMENTED["mixup"]].append(augment.judge(x_ND, of.labels, mixed, seed))
    yield from gains(right)


def gains(right: Mapping[str, list[float]]) -> fr.Blocks:
    """The mean share that is right, and how far it is from that of the first."""
    plain = next(iter(right.values()))
    rows: list[tuple[str, float, str]] = []
    helps, harms = list[str](), list[str]()
    for name, shares in right.items():
        gain_3 = interval.of_mean(100 * np.subtract(shares, plain))
        mean, low, high = (f"{x + 0.0:+.1f}".replace("-", "−") for x in np.round(gain_3, 1))
        rows.append((name, float(np.mean(shares)), f"{mean} ({low} … {high})" if rows else ""))
        if gain_3[1] > 0:
            helps.append(_(name))
        if gain_3[2] < 0:
            harms.append(_(name))
    heads = "lines", "right", "gain in points"
    yield fr.table(heads, rows, forms={"right": fr.SHARE}, bars=("right",), width=620)
    if helps:
        yield _("More right than by chance: **{ways}**.", ways=_(", ").join(helps))
    if harms:
        yield _("Fewer right, and not by chance: **{ways}**.", ways=_(", ").join(harms))
    if not helps + harms:
        yield "No difference here is more than chance."
    yield fr.Note(
        _(
            "Means of {n} draws of what is made and of the folds, and the gain over the lines as they are with its 95 %"
            " interval. The mean of all tokens, frozen body, each line judged by a head that has seen neither it nor"
            " what was made of it. A head is so small, and BERT's vectors know so much already, that there is often"
            " little to gain.",
            n=augment.DRAWS,
        )
    )


@fr.once
def play(model: Bert, text: str, share: int, seed: int) -> game.Game:
    return game.play(model, text, share / 100, seed)


def numbered(given: fr.Others) -> dict[int, str]:
    """The words that can be chosen, with their places."""
    model = given.get("model")
    if not isinstance(model, Bert):
        return {}
    try:
        made = play(model, given["text"], given["share"], given["again"])
    except ValueError:
        return {}
    return {t: f"{t} {made.after[t]}" for t in made.asked}


BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@fr.part("Spot the replaced word")
def spot(
    model: Bert,
    text: str = fr.typed("A text", TEXT, 300),
    share: int = fr.slider("Share of the words that may be replaced, in %", 5, 40, 15, width=300),
    again: int = fr.again("Another draw"),
    *,
    chosen: tuple[int, ...] = fr.several("Which words do not belong?", numbered, (), width=640),
    show: bool = fr.start("Compare", ("text", "share", "again", "chosen")),
) -> fr.Blocks:
    yield (
        "ELECTRA's task. A generator, here BERT itself, hides some words and puts in what it expects there; the"
        " discriminator has to say of **every** word whether it is the original, and so learns from all of them, where"
        " masking learns from 15 %. A word that the generator happens to guess right counts as original."
    )
    made = play(model, text, share, again)
    n = len(made.replaced)
    yield " ".join(
        f"{escaped(label)}{str(t).translate(BELOW)}"
        for t, label in enumerate(made.after)
        if t in made.asked
    )
    yield _("**{n} {n|word was|words were} replaced.** Which?", n=n)
    yield fr.Controls(["chosen", "show"])
    if not show:
        return
    hits, alarms = made.score(chosen)
    its_hits, its_alarms = made.score(made.guess)
    yield _(
        "You found {hits} of {n}, with {alarms} false {alarms|alarm|alarms}; the discriminator found {its_hits}, with"
        " {its_alarms}.",
        hits=hits,
        n=n,
        alarms=alarms,
        its_hits=its_hits,
        its_alarms=its_alarms,
    )
    yield fr.Rows(
        [
            {
                "place": t,
                "word": made.after[t],
                "was": made.before[t] if t in made.replaced else "",
                "you": "replaced" if t in chosen else "",
                "discriminator": float(made.suspected_T[t]),
            }
            for t in made.asked
        ],
        {"discriminator": fr.SHARE},
        bars=("discriminator",),
        width=560,
        tall=420,
    )


DOMAIN = "The [MASK] statement raises an exception."


@fr.once_told
def adapted(model: Bert, run: str, corpus: str, steps: int) -> fr.Taking[domain.Adapted]:
    """`run`: its id."""
    found, text = None, corpora.get(corpus).text()
    for found in domain.adapt(RunStore().find(run), model, text, steps):
        told = _("Step {n} of {steps}", n=len(found.losses), steps=steps)
        yield fr.Progress(len(found.losses) / steps, told)
    assert found is not None
    return found


@fr.part("A text of another kind")
def domains(
    run: Run,
    model: Bert,
    corpus: str = fr.pick("Text", domain.TEXTS, words=lambda id: corpora.get(id).title, width=300),
    steps: int = fr.slider("Steps", 10, 200, domain.STEPS, 10, width=220),
    asked: str = fr.typed("A gap in such a text", DOMAIN, 200),
    start: bool = fr.start("Go on training", ("corpus", "steps")),
) -> fr.Blocks:
    yield (
        "BERT learned from novels and an encyclopedia. Before it is given a head for a text of another kind, it may"
        " go on with masked words on that text alone: domain-adaptive pre-training. What it then knows less of is"
        " measured on a built-in text of short stories."
    )
    yield from show_guesses(model, None, asked)
    yield from judged_domain(corpus)
    if not start:
        yield fr.Note("This takes a while, and says how far it is.")
        return
    found = yield from adapted(run=run.id, model=model, corpus=corpus, steps=steps)
    assert found.model is not None
    yield fr.Rows(
        [
            {
                "text": _(called),
                "right, before": found.before[id].right,
                "right, after": found.after[id].right,
                "nats, before": found.before[id].nats,
                "nats, after": found.after[id].nats,
                "masked words": found.before[id].words,
            }
            for id, called in KINDS.items()
        ],
        dict.fromkeys(("right, before", "right, after"), fr.SHARE) | {"masked words": fr.WHOLE},
    )
    yield from show_guesses(model, found.model, asked)
    yield fr.curves(
        "loss",
        "Loss on the new text",
        {"loss": (range(1, len(found.losses) + 1), found.losses)},
        "step",
        "nats, words and pairs",
        _(
            "LoRA of rank {rank}, {batch} examples a step",
            rank=domain.settings(run, steps).lora_rank,
            batch=domain.BATCH,
        ),
    )
    yield fr.Note(
        "A few words more or less right are chance with so few masked words. `python -m engine train bert --start bert"
        " --set tune=lora` does the same as a job that can be stopped, and ends as a run."
    )


def judged_domain(corpus: str) -> fr.Blocks:
    """Whether it is worth it, over several trainings."""
    found = domain.measured().get(corpus)
    if found is None:
        return
    yield _(
        "**Is it worth it?** {n} trainings of {steps} steps on this text, from other random numbers:",
        n=len(found.after["new"]),
        steps=domain.STEPS,
    )
    rows = []
    for name, called in KINDS.items():
        after = np.mean(found.after[name], 0)
        right, nats = (found.gain(name, of) for of in (0, 1))
        points = [f"{100 * x:+.1f}".replace("-", "−") for x in right]
        change = [f"{x:+.3f}".replace("-", "−") for x in nats]
        rows.append(
            (
                _(called),
                f"{found.before[name][0]:.1%} → {after[0]:.1%}",
                f"{points[0]} ({points[1]} … {points[2]})",
                f"{found.before[name][1]:.3f} → {after[1]:.3f}",
                f"{change[0]} ({change[1]} … {change[2]})",
                found.words[name],
            )
        )
    heads = (
        "text",
        "masked words right",
        "change in points",
        "nats",
        "change in nats",
        "masked words",
    )
    yield fr.table(heads, rows, forms={"masked words": fr.WHOLE})
    _mean, new_low, new_high = found.gain("new", 1)
    forgets = found.gain("old", 0)[2] < 0 or found.gain("old", 1)[1] > 0
    yield (
        "On the new text **each word costs less than before**, more than by chance."
        if new_high < 0
        else "On the new text the gain **may be chance**."
        if new_low < 0
        else "On the new text nothing is gained."
    )
    yield (
        "Of the old kind it **forgets** something."
        if forgets
        else "Of the old kind **nothing is lost** that could not be chance."
    )
    yield fr.Note(
        "Means, in brackets the 95 % interval over the trainings, all judged by the same masked words. Whether a head"
        " on such a text gains as much is not measured: none of these texts has labels."
    )


KINDS = {"new": "the new text, held out", "old": "stories"}


def show_guesses(before: Bert, after: Bert | None, asked: str) -> fr.Blocks:
    """The likeliest words at the gap."""
    models = {"before": before, "after": after}
    rows = [
        (_(name), ", ".join(f"{word} {p:.0%}" for word, p in domain.guesses(one, asked)))
        for name, one in models.items()
        if one is not None
    ]
    yield fr.table(("BERT", "expects at the gap"), rows, width=620)


SCORES = (
    ("class_cls", "class, raw [CLS]"),
    ("class_pooled", "class, pooled"),
    ("class_mean", "class, mean"),
    ("short_mean", "short reviews, mean"),
    ("tags_token", "tags"),
    ("pair_cls", "pair, raw [CLS]"),
    ("pair_pooled", "pair, pooled"),
    ("pair_mean", "pair, mean"),
    ("span", "span, exact"),
    ("span_overlap", "span, F1"),
    ("replaced", "replaced, AUC"),
)


@fr.part("Frozen, or tuned along")
def along(model: Bert) -> fr.Blocks:
    of = store.shipped()
    narrow = sum(x.size for name, x in of.arrays.items() if name.startswith(store.LORA))
    heads = sum(weight.size + bias.size for weight, bias in of.heads[store.BODIES[0]].values())
    whole = sum(p.numel() for p in model.net.parameters())
    yield _(
        "The same heads twice. **Frozen**: the body stays as it was, and the heads alone learn, {heads:,}"
        " numbers. **Tuned along**: beside each matrix of the upper {layers} layers a product of two narrow ones of"
        " rank {rank} learns too (LoRA), {narrow:,} numbers, {share:.1%} of the body's {whole:,}, for all tasks"
        " at once.",
        heads=heads,
        layers=model.config.layers - store.FROZEN,
        rank=of.results["rank"],
        narrow=narrow,
        share=narrow / whole,
        whole=whole,
    )
    frozen, tuned = (of.results[body] for body in store.BODIES)
    yield fr.Rows(
        [
            {"head": _(called), "body frozen": frozen[name], "body tuned along": tuned[name]}
            for name, called in SCORES
        ],
        dict.fromkeys(("body frozen", "body tuned along"), fr.SHARE),
        bars=("body frozen", "body tuned along"),
        width=620,
        tall=480,
    )
    yield fr.Note(
        _(
            "Learned from {films:,} passages of film and short reviews, {tags:,} sentences with tags, {questions:,}"
            " questions made by rule from the trees of the treebank, half of them answered, and {replaced:,} texts with"
            " replaced words; measured on others: {test_films:,}, {test_tags:,}, {test_questions:,} and"
            " {test_replaced:,}.",
            films=of.results["learned"]["class"],
            tags=of.results["learned"]["tags"],
            questions=of.results["learned"]["question"],
            replaced=of.results["learned"]["replaced"],
            test_films=of.results["tested"]["class"],
            test_tags=of.results["tested"]["tags"],
            test_questions=of.results["tested"]["question"],
            test_replaced=of.results["tested"]["replaced"],
        )
    )
    counted = of.results["counted"]
    yield _(
        "**Class is the weak one.** Without BERT, a head over counted pieces of words that learned from the same texts"
        " is right about {passages:.1%} of the passages and {short:.1%} of the short reviews. A passage of one to three"
        " sentences often does not say what its review says, and this body, which read novels and an encyclopedia,"
        " knows little of praise and blame. A net that learned from all passages, and from nothing else, gets 68 %."
        " AUC: how often a replaced word is suspected more than one that was not; chance is 50 %.",
        passages=counted["class"],
        short=counted["short"],
    )
    yield fr.Link("textcnn", "The classifier that learned from nothing else")


TEXTS = (
    "The old captain opened the door and",
    "def add(a, b):",
    "“How do you do?” she asked. “",
    "It was cold. In other words, it",
)
BEGUN = dict(zip(("A story", "Code", "A conversation", "In other words"), TEXTS, strict=True))
WRITTEN = 14, 24  # words of BERT, tokens of the Transformer


@fr.once
def go_on(model: Bert, writer: Transformer, text: str, heat: float, seed: int) -> tuple[str, str]:
    """What each writes behind the text."""
    drawn = decode.sample(writer, text, steps=WRITTEN[1], seed=seed, temperature=heat)
    return writing.go_on(model, text, WRITTEN[0]), "".join(drawn)


@fr.part("Answer or write")
def write(
    model: Bert,
    writer: Any = fr.shipped("transformer"),
    text: str = fr.typed("A beginning", TEXTS[0], 300),
    heat: float = fr.slider("Temperature of the Transformer", 0.0, 1.5, 0.8, 0.1, width=260),
    again: int = fr.again("Another draw"),
) -> fr.Blocks:
    yield (
        "A head chooses among answers that were named before. To tell a story, write code, reply or say the same in"
        " other words, a model has to choose a word again and again. BERT can be made to: a [MASK] at the end, filled"
        " with the likeliest word, and a new [MASK] behind it. But it learned gaps that have words on both sides, and"
        " soon goes round in circles. A decoder learned nothing else than to go on."
    )
    yield fr.Presets("Examples", {name: {"text": one} for name, one in BEGUN.items()}, open=True)
    if writer is None:
        raise ValueError("This part needs the shipped Transformer; it is missing.")
    if not text.strip():
        raise ValueError("Type some words.")
    said = go_on(model, writer, text, heat, again)
    for name, more in zip(("BERT", "Transformer"), said, strict=True):
        yield _("**{name}** goes on: {more}", name=name, more=escaped(more.strip()) or "…")
    yield fr.Note(
        "BERT learned from novels and an encyclopedia, the Transformer from novels; neither can code or reply. What a"
        " model that writes can be told to do by its prompt alone:"
    )
    yield fr.Link("prompting", "Prompting")


PARTS = (along, own_labels, augmented, domains, spot, write)

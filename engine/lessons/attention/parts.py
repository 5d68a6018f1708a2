"""What stands below the live pictures: a library that one reads softly, attention by hand, why scores are divided,
how matrices are learned, how a word is moved, and how much there is of all.

Shapes    N = tokens that look, M = keys, D = width of a vector, T = tokens of a text
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import soft_lookup
from engine.analysis.qkv.attend import DIVISORS, attend, entropy
from engine.analysis.qkv.examples import EXAMPLES, Example
from engine.core.trace import Kind
from engine.frame import latex
from engine.language.message import _
from engine.lessons.attention import learning, program, saturation
from engine.lessons.attention.counts import parts as counted
from engine.lessons.attention.counts import totals
from engine.lessons.attention.learning import DIGITS, LETTERS, STARTS, STEPS
from engine.models.abilities import Attends
from engine.models.wordspace import WordSpace
from engine.text.corpora.stories import CORPUS as STORIES
from engine.views.base import number as rounded

LIBRARIES = {
    "Numbers: four is missing": "four\none: 1\nthree: 3\nfive: 5\nseven: 7\nnine: 9",
    "Library: space travel": "space travel\nastronomy: stars, planets and telescopes\n"
    "cooking: recipes, spices and bread\nrockets: engines, fuel and orbits\nsailing: ships, wind and harbours",
    "Countries: portugal": "portugal\nfrance: french\ngermany: german\nbrazil: portuguese\njapan: japanese",
    "Colours: turquoise": "turquoise\nred: 1, 0, 0\ngreen: 0, 1, 0\nblue: 0, 0, 1",
}
HEATS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
MEETS = {"cosine": "cosine", "dot": "q · k / √d"}


@fr.part("A library that is read softly")
def lookup(
    words: WordSpace[Any] | None = fr.shipped("skipgram"),
    library: str = fr.typed(
        "The query on the first line, then a line for each key: its value behind a colon",
        LIBRARIES["Numbers: four is missing"],
        1_000,
        tall=170,
    ),
    meets: str = fr.pick("Score", MEETS, few=True),
    heat: float = fr.pick("Temperature T", HEATS, 0.02, "{:g}".format, slide=True, width=300),
) -> fr.Blocks:
    yield (
        "A dictionary finds the key that is asked for, or nothing. A soft lookup reads every key, each as much as"
        " its vector is like that of the query, and mixes the values. Here query and keys are word vectors as they"
        " are; in a head two learned matrices come before the product, and another one makes the values."
    )
    yield fr.Presets("Libraries", {name: {"library": text} for name, text in LIBRARIES.items()})
    typed = soft_lookup.read(library)
    if words is None or not typed.keys:
        raise ValueError("Type a query on the first line, and below it lines such as “horse: 500”.")
    query, *keys = (soft_lookup.meaning(words, part) for part in (typed.query, *typed.keys))
    found = soft_lookup.match(query.vector_D, np.array([key.vector_D for key in keys]))
    scaled_M = found.dot_M / np.sqrt(words.in_VD.shape[1])
    score_M = found.cosine_M if meets == "cosine" else scaled_M
    weight_M, best = soft_lookup.weights(score_M, heat), int(score_M.argmax())
    heads = "key", "score s", "s ÷ T", "hard", "soft weight", "value"
    hard_M = np.eye(len(keys), dtype=int)[best]
    rows = zip(typed.keys, score_M, score_M / heat, hard_M, weight_M, typed.values, strict=True)
    yield fr.table(heads, rows, forms={"soft weight": fr.SHARE})
    yield _(
        "A hard lookup reads **{hard}**, the value of “{key}”; the soft one **{soft}**. The weights hold {bits} bits"
        " of entropy; hard lookup has 0, {n} equal weights {most}.",
        hard=typed.values[best],
        key=typed.keys[best],
        soft=mixed(words, typed.values, weight_M),
        bits=rounded(soft_lookup.entropy(weight_M)),
        n=len(keys),
        most=rounded(float(np.log2(len(keys)))),
    )
    every = np.array([soft_lookup.weights(score_M, t) for t in HEATS])
    yield fr.curves(
        "heat",
        "From hard to soft: the weight of each key over the temperature",
        {f"{m + 1}. {key}": (HEATS, every[:, m]) for m, key in enumerate(typed.keys)},
        "temperature T",
        "weight",
        low=0,
        high=1,
        log_x=True,
    )
    lost = {word for one in (query, *keys) for word in one.unknown}
    if lost or typed.left:
        yield fr.Note(_("Left out: {value}.", value=", ".join(sorted({*lost, *typed.left}))))


def mixed(words: WordSpace[Any], values: tuple[str, ...], weight_M: np.ndarray) -> str:
    """What a soft lookup reads: a number where the values are numbers, else words near their mean vector."""
    numbers = soft_lookup.numbers(values)
    if numbers is not None:
        return ", ".join(rounded(float(x)) for x in weight_M @ numbers)
    value_MD = np.array([soft_lookup.meaning(words, value).vector_D for value in values])
    near = ", ".join(word for word, _far in words.nearest(weight_M @ value_MD, 5))
    return _("a vector near {words}", words=near)


BY_TITLE = {example.title: example for example in EXAMPLES}
DIVIDED = {"√d": r"\frac{QK^\top}{\sqrt{d}}", "1": r"QK^\top", "d": r"\frac{QK^\top}{d}"}


@fr.part("Attention by hand", was=("part-what-if-queries-and-keys-were-the-same",))
def hand(
    model: Attends[Any],
    example: str = fr.pick("Example", [*BY_TITLE], width=420),
    divisor: str = fr.pick("Divide the scores by", DIVISORS, few=True),
    axis: str = fr.pick("Softmax of each", ("row", "column"), few=True),
    mask: bool = fr.switch("Hide what comes later"),
    change: bool = fr.switch("Other numbers"),
    *,
    q: fr.Matrix = fr.cells("", ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)), "q"),
    k: fr.Matrix = fr.cells("", ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)), "k"),
    v: fr.Matrix = fr.cells("", ((1.0, 0.0), (0.0, 1.0), (2.0, 2.0)), "v"),
) -> fr.Blocks:
    shown: Example = BY_TITLE[example]
    if change:
        yield "Three tokens of two numbers; double-click a number to change it."
        yield fr.Controls(["q", "k", "v"])
        given = (fr.array(q), fr.array(k), fr.array(v))
    else:
        yield shown.says
        given = shown.vectors(*shown.given)
        yield fr.Equations([*zip(shown.names, map(latex.matrix, shown.given), strict=True)])
    hides = mask or (shown.hides and not change)
    hidden = np.triu(np.ones((len(given[0]), len(given[1])), bool), 1) if hides else None
    down = axis == "column"
    found = attend(*given, divisor=divisor, hidden_NM=hidden, axis=0 if down else 1)
    names = ("Q", "K", "V", r"S = QK^\top", DIVIDED[divisor], "A", "O = AV")
    made = (*given, found.score_NM, found.scaled_NM, found.weight_NM, found.out_NV)
    yield fr.Equations([*zip(names, map(latex.matrix, made), strict=True)])
    yield weighed(found.weight_NM, down)
    if shown.printed and not (change or mask or down) and divisor == "√d":
        right = dict(zip(("Q", "S", r"S / \sqrt{d}", "A", "O"), (made[0], *made[3:]), strict=True))
        yield "**As it was printed**, wrong numbers struck through:"
        yield fr.Equations(
            [(n, latex.matrix(x, differs(x, right[n]), 2)) for n, x in shown.printed.items()]
        )
        yield shown.why
    yield "And as a program in plain PyTorch, as the first layer of this model is built:"
    yield fr.Code("\n".join(line.code for line in program.lines(model, 0)))


def differs(part: np.ndarray, right: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.abs(part - right) > 0.011 * np.maximum(1, np.abs(right))
    return found


def weighed(weight_NM: np.ndarray, down: bool) -> fr.Words:
    """What these weights show."""
    if down:
        sums = ", ".join(f"{x:.6g}" for x in weight_NM.sum(1))
        return _(
            "The columns add up to 1, the rows to {sums}: an output is no longer an average of the values.",
            sums=sums,
        )
    if np.isnan(weight_NM).any():
        return "A row whose scores are all hidden has no weights."
    said = _(
        "Every row adds up to 1. Entropy of the rows: {each} nats; {n} equal weights would have {most}.",
        each=", ".join(f"{x:.3g}" for x in entropy(weight_NM)),
        n=weight_NM.shape[1],
        most=f"{np.log(weight_NM.shape[1]):.3g}",
    )
    if (weight_NM.max(1) > 0.9999).all() and len(weight_NM) > 1:
        return _(
            "{said} The softmax is **saturated**: each row gives all its weight to one key, and hardly any gradient"
            " passes.",
            said=said,
        )
    return said


MEASURES = {
    "entropy": "entropy of the weights",
    "slope": "gradient through the softmax",
    "largest": "largest weight",
    "variance": "variance of the scores",
}
DIVIDES = ("not divided", "÷ √d")
random = fr.once(saturation.random)


def lengths(model: Attends[Any]) -> tuple[list[tuple[Any, Any]], int]:
    """Of each head on four little stories: undivided and as it is; and its width."""
    trace = model.trace("\n".join(STORIES.generate(4)), fields=("query", "key", "score"))
    q, k = trace.field("query").values, trace.field("key").values
    product = q @ np.swapaxes(np.repeat(k, q.shape[1] // k.shape[1], 1), -1, -2)
    heads = saturation.of_heads(product, trace.field("score").values)
    return [pair for layer in heads for pair in layer], q.shape[-1]


of_heads = fr.once(lengths)


@fr.part("Why divide by √d?")
def scale(
    model: Attends[Any], measure: str = fr.pick("What to measure", MEASURES, few=True)
) -> fr.Blocks:
    yield (
        "Multiply two vectors of $d$ independent random numbers with mean 0 and variance 1, and the product has"
        " variance $d$: the more numbers, the larger the scores. The softmax of large scores gives nearly all weight"
        " to one key. Its slope is then nearly 0, and training stalls. Divided by $\\sqrt d$, the variance is 1 for"
        " every $d$."
    )
    heads, d = of_heads(model)
    dims = saturation.DIMS
    yield fr.curves(
        "saturation",
        _("{what}, by the width of a head", what=_(MEASURES[measure])),
        {
            f"{who}, {way}": (at, [getattr(pair[i], measure) for pair in pairs])
            for who, at, pairs in (
                ("random vectors", dims, [random(n) for n in dims]),
                ("this model's heads", [d] * len(heads), heads),
            )
            for i, way in enumerate(DIVIDES)
        },
        "d, numbers in a query or key",
        MEASURES[measure],
        _(
            "Random: {n:,} queries, {keys} keys each. Heads: rows of four little stories over their last {keys} keys.",
            n=saturation.QUERIES,
            keys=saturation.KEYS,
        ),
        log_x=True,
        log_y=measure == "variance",
    )
    raw, scaled = (getattr(one, measure) for one in random(d))
    ends = [[f(getattr(p[i], measure) for p in heads) for f in (min, max)] for i in (0, 1)]
    yield _(
        "At $d = {d}$ it is **{raw:.3g}** undivided and **{scaled:.3g}** divided, of random vectors. The {n} heads of"
        " this model: {a:.3g} to {b:.3g} if they did not divide, {c:.3g} to {e:.3g} as they do. A trained head may"
        " want large scores: nothing keeps its numbers independent.",
        d=d,
        raw=raw,
        scaled=scaled,
        n=len(heads),
        a=ends[0][0],
        b=ends[0][1],
        c=ends[1][0],
        e=ends[1][1],
    )


def moved(start_N2: np.ndarray, rounds: int) -> list[np.ndarray]:
    """Where the words stand before and after each round, in which queries, keys and values are their places."""
    path = [start_N2]
    for _round in range(rounds):
        path.append(attend(path[-1], path[-1], path[-1]).out_NV)
    return path


FRUIT = ("apple", "orange", "phone")


@fr.part("How a word moves towards its neighbours")
def pull(
    pull_words: str = fr.typed("Words, such as apple orange phone", "apple orange", 120, live=True),
    rounds: int = fr.slider("Rounds of attention", 1, 8, 1),
    *,
    places: fr.Matrix = fr.cells(
        "", ((1.0, 1.0), (2.0, 0.0), (0.0, 2.0)), FRUIT, ("fruit", "device")
    ),
) -> fr.Blocks:
    yield (
        "Let the first number of a vector mean *fruit* and the second *device*. “Apple” could be either, so it"
        " stands between. Attention moves it: it becomes the average of the words around it, itself included, each"
        " weighted by how well it matches. A word may stand twice; double-click a number to change it."
    )
    yield fr.Controls(["places"])
    words = pull_words.split()[:12]
    if not words:
        raise ValueError("Type a word or two.")
    at = dict(zip(FRUIT, fr.array(places), strict=True))
    start = np.array([at.get(word.lower(), np.full(2, 0.5)) for word in words])
    path = moved(start, rounds)
    yield fr.curves(
        "plane",
        _("Where attention moves each word in {n} rounds", n=rounds),
        {
            f"{n + 1}. {word}": ([x[n, 0] for x in path], [x[n, 1] for x in path])
            for n, word in enumerate(words)
        },
        "fruit",
        "device",
        "Made-up vectors, Q = K = V",
        whole=False,
    )
    (fruit, device), first = path[-1][0] - start[0], attend(start, start, start)
    weights = ", ".join(
        f"{p:.3f} {word}" for p, word in zip(first.weight_NM[0], words, strict=True)
    )
    yield _(
        "The first word weighs {weights}, and moves by {fruit:.3f} towards fruit and {device:.3f} towards device."
        " Unlike gravity, distance does not matter: a far word that matches well counts as much as a near one, and"
        " ten times the length gives ten times the dot product.",
        weights=weights,
        fruit=fruit,
        device=device,
    )
    spread = [float(np.linalg.norm(x - x.mean(0), axis=1).mean()) for x in (start, path[-1])]
    yield _(
        "On average the words lie {last:.3g} from their mean; at first it was {first:.3g}. Averaging alone pulls"
        " everything together. Real layers have matrices, residual connections and feed-forward blocks in between.",
        first=spread[0],
        last=spread[1],
    )


course = fr.once(learning.learned)
MADE = {
    "random": "Both pictures begin as noise, and a diagonal appears: a letter asks for itself. Queries and keys need"
    " not become equal for that, only their product counts. Values become digits, for that is what pays.",
    "keys": "The gradient of W_Q has W_K as a factor: with keys of 0 it is exactly 0 at step 0, and queries do not"
    " move. But W_K has a gradient, moves, and then both learn.",
    "both": "With queries **and** keys of 0 each has the other as a factor of its gradient: both stay 0 for ever, all"
    " weights stay equal, and the head learns values only. That is why they start at random.",
}


@fr.part("Queries, keys and values while they are learned")
def learn(
    learn_seed: int = fr.slider("Start", 1, 9, 1, width=180),
    learn_start: str = fr.pick("At the start", STARTS, width=210),
    learn_step: int = fr.pick("After step", STEPS, STEPS[-1], slide=True, width=280),
    learn_pairs: str = fr.typed("Pairs to look up in", "a3 c1 f7 b2 h5", 60, live=True),
) -> fr.Blocks:
    yield (
        "Nobody says what a query asks for or what a key offers. Here one head learns to look things up: it reads"
        " pairs of a letter and a digit, then a letter, and has to answer with the digit that stood beside it. Trained"
        " here, now; move through the steps."
    )
    found = course(learn_seed, learn_start)
    step = STEPS.index(learn_step)
    head, letters, digits = found.heads[step], [*LETTERS], [*DIGITS]
    how: dict[str, Any] = {"kind": Kind.SCORE, "fluid": True, "reading": False}
    asks = "Score of each letter that asks with each that is offered (q · k / √d)"
    adds = "What a digit that is read adds to the logit of each answer"
    one = fr.grid("learn_match", asks, head.matches(), ("query", letters), ("key", letters), **how)
    other = fr.grid("learn_answer", adds, head.answers(), ("label", digits), ("tag", digits), **how)
    yield fr.Beside([[one], [other]])
    at, having = learning.read(learn_pairs)
    weight_NM, p_NC = head.read(at, having, at)
    pairs = [f"{LETTERS[a]}{b}" for a, b in zip(at, having, strict=True)]
    looks = fr.grid(
        "learn_weights",
        "Where each letter looks",
        weight_NM,
        ("query", [f"{LETTERS[a]}?" for a in at]),
        ("key", pairs),
        Kind.ATTENTION,
        fluid=True,
    )
    role = fr.curves(
        "learn_role",
        "How its role emerges",
        {
            "weight on the pair of the letter that asks": (STEPS, found.role_S),
            "answers right": (STEPS, found.right_S),
        },
        "step",
        "share",
    )
    yield fr.Beside([[looks], [role]])
    yield fr.curves(
        "learn_gradient",
        "Length of the gradient of each matrix",
        {f"W_{name}": (STEPS, found.gradient_S4[:, i]) for i, name in enumerate("QKVO")},
        "step",
        "length",
    )
    yield _(
        "After step {step} it answers **{right:.1%}** of 1,000 held-out texts correctly, at a loss of {loss} nats; a"
        " guess among 8 digits costs {guess:.3f}. Of your {n} pairs it finds {hits}. On the pair of the letter that"
        " asks it puts {role:.1%} of its weight, where {chance:.0%} is chance: a role that nobody gave it.",
        step=learn_step,
        right=found.right_S[step],
        loss=rounded(float(found.loss_S[step])),
        guess=np.log(8),
        n=len(at),
        hits=int((p_NC.argmax(1) == np.array(having)).sum()),
        role=found.role_S[step],
        chance=1 / learning.PAIRS,
    )
    yield MADE[learn_start]


LENGTHS = (10, 50, 100, 200, 500, 1_000, 2_000, 5_000)


@fr.part("How many numbers and parameters attention has")
def counts(
    model: Attends[Any],
    count_n: int = fr.number("N, tokens", 1, 100_000, 10),
    count_d: int = fr.number("d, width", 1, 16_384, 64),
    count_h: int = fr.number("h, heads", 1, 128, 1),
    bias: bool = fr.switch("with biases"),
) -> fr.Blocks:
    yield (
        "The numbers held are activations for this text, not units that learn: all tokens share the same four"
        " matrices, so that parameters do not depend on N. More heads cost no parameters: they share the width."
    )
    found = counted(count_n, count_d, count_h, bias)
    total = totals(found)
    heads = "part", "shape", "numbers held", "parameters", "multiplications"
    rows = [(p.name, p.shape, p.numbers, p.parameters, p.multiplications) for p in found]
    rows.append(("all", "", *total))
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[2:], fr.WHOLE))
    said = rf"6Nd + 2hN^2 = 6\cdot {count_n}\cdot {count_d} + 2\cdot {count_h}\cdot {count_n}^2"
    yield fr.Formula(f"{said} = {total[0]:,}".replace(",", "{,}"))
    tower = model.tower
    yield _(
        "The N × N matrices hold more than all the others from N = {n:g} tokens on. Each of the {d:,} numbers of a"
        " token goes into all {d:,} of its query, key and value: {one:,} links from one number, {all:,} from the"
        " token; W_O, too, is one matrix of d × d for every token. One attention layer of the model above (d ="
        " {width}, {heads} heads) learns {mine:,} numbers.",
        n=3 * count_d / count_h,
        d=count_d,
        one=3 * count_d,
        all=3 * count_d**2,
        width=tower.design.width,
        heads=tower.design.heads,
        mine=sum(p.numel() for p in tower.block(0).attention.parameters()),
    )
    square = [2 * n * n * count_d for n in LENGTHS]
    whole = [totals(counted(n, count_d, count_h))[2] for n in LENGTHS]
    yield fr.curves(
        "growth",
        _("Multiplications of one layer with d = {d}", d=count_d),
        {
            "N × N: scores and weights": (LENGTHS, square),
            "the four projections": (LENGTHS, [a - b for a, b in zip(whole, square, strict=True)]),
        },
        "N, tokens",
        "multiplications",
        log_x=True,
        log_y=True,
    )


PARTS = (lookup, hand, scale, learn, pull, counts)

"""Below the pictures: planted truth, curves over many texts, completeness, Shapley values, answers that are known
exactly, and what no method can say.

Shapes    M = methods, P = players, K = tokens that have gone
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import interval
from engine.analysis.attribution import curves, gradient, ledger, lime, occlusion, shapley
from engine.analysis.attribution.counted import CountGame
from engine.analysis.attribution.game import BASELINES, MARK, MEAN, ZERO, Game
from engine.analysis.attribution.net import NetGame
from engine.analysis.attribution.states import StateGame
from engine.course import planted as texts
from engine.language.markdown import escaped
from engine.language.message import _, refusal
from engine.lessons.smaller.sentences import SENTENCES
from engine.lessons.why import methods, planted
from engine.lessons.why.bag import BagGame
from engine.lessons.why.methods import Question, question
from engine.lessons.why.planted import CHANCE, GRAMMARS, KINDS, Score
from engine.models.abilities import Labels
from engine.models.base import Model
from engine.models.ngram import Ngram
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.text.corpora.reviews import CORPUS as REVIEWS
from engine.views import theme

Any_ = Model[Any]
AT_ONCE, SPEED = 2e10, 2.4e10  # multiplications that are done without asking, and in a second
OUT = {ZERO: "a vector of zeros", MEAN: "the mean of all vectors", MARK: "a mark that says nothing"}
TEXT = fr.shared(fr.typed("Text", lambda o: str(o["above"])[:300], 300, live=True))
BASELINE = fr.shared(fr.pick("Baseline, for a token left out", OUT, ZERO, width=240))
MOST_ASKED = 40  # predictions of the texts that curves are measured over
ASKED = {  # of the grammars
    "agreement": "is or are: the number of the subject",
    "brackets": "brackets: the one that was opened last",
    "copying": "copies: the letter that is copied",
    "lag": "lag: the letter six places back",
}


def grammar_of(run: Run) -> str:
    """The one of these that a run has learned; empty for any other."""
    found = texts.text(run.note)
    return found if found in ASKED else ""


def asked(model: Any_, text: str, baseline: str) -> Question:
    """ValueError, a sentence for the reader, where there is nothing to leave out."""
    found = question(model, model.tokens(text), baseline)
    if not found.game.count:
        raise ValueError("Type something: there is no token to leave out.")
    return found


def answer(model: Any_, id: int) -> str:
    names = model.names if isinstance(model, Labels) else model.tokenizer.vocab
    return word(names[id])


def word(label: str) -> str:
    return escaped(label.strip() or theme.visible(label))


def labels(game: Game) -> list[str]:
    """Of the players, told apart where they repeat."""
    return [f"{n} {theme.visible(label)}" for n, label in enumerate(game.labels, 1)]


def net_game(of: Question) -> NetGame:
    if not isinstance(of.game, NetGame):
        raise ValueError("This model counts: it has no vectors, and so no gradient to follow.")
    return of.game


# ------------------------------------------------------------------ planted truth


@fr.part("Planted truth: who finds the cause")
def truth(
    run: Run,
    model: Any_,
    grammar: str = fr.pick(
        "Grammar", ASKED, lambda o: grammar_of(o["run"]) or GRAMMARS[0], width=330
    ),
    baseline: str = BASELINE,
    *,
    own: bool = fr.start("Measure the run above", ("baseline",)),
) -> fr.Blocks:
    yield _(
        "In these texts one token alone decides the answer, as the grammar that writes them says. Each net reads {n}"
        " that it has not learned from. Why the right answer and not its rival? That is asked only where the net is"
        " right, and where the rival wins once its cause stands there instead. **How often does a method put the true"
        " cause first?**",
        n=planted.TEXTS,
    )
    found = planted.shipped()
    each = {kind: found[f"{kind}_{grammar}"][baseline] for kind in KINDS}
    yield table_of({"Transformer": each[KINDS[0]], "LSTM": each[KINDS[1]]})
    yield from verdict(each)
    known = grammar_of(run)
    if known and run.id not in found:
        yield fr.Controls(["own"])
        if own:
            scores = yield from judged(model=model, grammar=known, baseline=baseline)
            yield table_of({run.title: scores})


@fr.once_told
def judged(*, model: Any_, grammar: str, baseline: str) -> fr.Taking[dict[str, Score]]:
    scores: dict[str, Score] = {}
    for done, tried, now in planted.judge(model, grammar, baseline, planted.TEXTS):
        scores = dict(now)
        said = _("{done} answers asked, of {tried} texts", done=done, tried=tried)
        yield fr.Progress(done / planted.TEXTS, said)
    if not scores:
        raise ValueError("This run gets none of these answers right by their cause.")
    return scores


def table_of(each: dict[str, Any]) -> fr.Rows:
    """A row for each method: share that came first with its interval, and the gain of its curves."""
    every = dict.fromkeys(name for scores in each.values() for name in scores)
    rows = []
    for name in (*[n for n in every if n != CHANCE], CHANCE):
        row: dict[str, Any] = {"method": _(name)}
        for net, scores in each.items():
            score = scores.get(name)
            first, interval, gain = heads(net)
            row[first] = score and score.first / score.texts
            low, high = score.interval if score else (0, 0)
            row[interval] = (
                f"{100 * low:.0f}\u00a0–\u00a0{100 * high:.0f}\u00a0%"
                if score and name != CHANCE
                else ""
            )
            row[gain] = signed(score.gain, 1.96 * score.error) if score else ""
        rows.append(row)
    shares = [heads(net)[0] for net in each]
    return fr.Rows(rows, forms=dict.fromkeys(shares, fr.SHARE), bars=shares)


def heads(net: str) -> tuple[str, str, str]:
    name = _(net)
    return (
        _("{net}: first", net=name),
        _("{net}: 95 % interval", net=name),
        _("{net}: gain", net=name),
    )


def signed(mean: float, half: float) -> str:
    return f"{written(mean, 2)}\u00a0±\u00a0{half:.2f}"


def verdict(each: dict[str, Any]) -> fr.Blocks:
    most = {net: max(s.first for n, s in of.items() if n != CHANCE) for net, of in each.items()}
    best = {
        net: reduce(
            lambda one, more: _("{one}, {more}", one=one, more=more),
            [_(n) for n, s in of.items() if s.first == most[net]],
        )
        for net, of in each.items()
    }
    yield _(
        "Most often here: in the Transformer **{one}** ({p:.0%}), in the LSTM **{other}** ({q:.0%})."
        " Gain is the area of insertion less that of deletion: a method may do well there and still name the wrong"
        " token, for what moves the answer most need not be what decides it.",
        one=best[KINDS[0]],
        p=most[KINDS[0]] / planted.TEXTS,
        other=best[KINDS[1]],
        q=most[KINDS[1]] / planted.TEXTS,
    )
    yield fr.Note(
        "Attention here is the mean of all heads; one head by itself may look elsewhere. Two methods whose intervals"
        " overlap are not told apart by these texts."
    )


# ------------------------------------------------------------------ deletion and insertion


def places(model: Any_, text: str) -> list[int]:
    """Where answers are asked for: of a classifier behind the last word, else behind every token from the third on."""
    count = len(model.tokens(text))
    return [count - 1] if isinstance(model, Labels) else list(range(3, count))


def several(model: Any_, grammar: str) -> tuple[str, ...]:
    """Texts that a model can say something about: its grammar's, reviews, or plain English."""
    if grammar:
        return tuple(line[: fact.second[0]] for line, fact in planted.facts(grammar, MOST_ASKED))
    if isinstance(model, Labels):
        return tuple(text for __, text in REVIEWS.labelled()[:MOST_ASKED])
    return SENTENCES


@fr.once_told
def gains(*, model: Any_, grammar: str, baseline: str) -> fr.Taking[dict[str, np.ndarray]]:
    """By method, (N, 2) the areas of deletion and insertion over many answers."""
    names = methods.methods_of(model)
    every = [(text, at) for text in several(model, grammar) for at in places(model, text)[-3:]]
    step = max(1, len(every) // MOST_ASKED)
    found: dict[str, list[Any]] = {name: [] for name in (*names, CHANCE)}
    for n, (text, at) in enumerate(some := every[::step][:MOST_ASKED]):
        yield fr.Progress(n / len(some), _("Answer {n} of {all}", n=n + 1, all=len(some)))
        of = question(model, model.tokens(text)[: at + 1], baseline)
        if not of.game.count:
            continue
        made = curves.curves(of.game, np.stack([of.ask(name) for name in names]))
        by_chance = curves.by_chance(of.game, 8, n)
        for name, one in zip(names, np.arange(len(names)), strict=True):
            both = made.deletion[one : one + 1], made.insertion[one : one + 1]
            found[name].append([float(curves.area(part)[0]) for part in both])
        both = by_chance.deletion, by_chance.insertion
        found[CHANCE].append([float(curves.area(part)[0]) for part in both])
    return {name: np.array(of) for name, of in found.items()}


@fr.part("Deletion and insertion")
def referee(
    run: Run,
    model: Any_,
    above: str,
    text: str = TEXT,
    baseline: str = BASELINE,
    *,
    this: bool = fr.start("Draw the curves", ("text", "baseline")),
    many: bool = fr.start("Measure over many texts", ("baseline",)),
) -> fr.Blocks:
    yield (
        "**Deletion**: the token that a method puts first goes first; a good order makes the answer fall early."
        " **Insertion**: all are out, and come back in the same order; a good order makes it rise early."
    )
    of = asked(model, text, baseline)
    total = sum(methods.prices(model, of.game).values())
    if total > AT_ONCE:
        yield _("This takes about {n} seconds.", n=max(1, round(total / SPEED)))
        yield fr.Controls(["this"])
    if total <= AT_ONCE or this:
        names = methods.methods_of(model)
        made = curves.curves(of.game, np.stack([of.ask(name) for name in names]))
        chance = curves.by_chance(of.game)
        gone = range(of.game.count + 1)
        name = answer(model, of.game.target.word)
        drawn = []
        for title, kind, curve_MK, chance_1K in (
            ("As the tokens go", "deletion", made.deletion, chance.deletion),
            ("As the tokens come", "insertion", made.insertion, chance.insertion),
        ):
            series = {_(n): (gone, c_K) for n, c_K in zip(names, curve_MK, strict=True)}
            series[_(CHANCE)] = (gone, chance_1K[0])
            drawn.append(
                [
                    fr.curves(
                        kind,
                        title,
                        series,
                        "tokens",
                        _("P({name})", name=name),
                        "",
                        text,
                        whole=True,
                    )
                ]
            )
        yield fr.Beside(drawn)
    yield fr.Controls(["many"])
    if not many:
        return
    found = yield from gains(model=model, grammar=grammar_of(run), baseline=baseline)
    rows = []
    for name, area_N2 in found.items():
        gain_N = area_N2[:, 1] - area_N2[:, 0]
        mean, low, _high = interval.of_mean(gain_N)
        rows.append((_(name), *area_N2.mean(0), signed(mean, mean - low), mean))
    rows.sort(key=lambda row: -row[-1])
    heads = "method", "deletion", "insertion", "insertion − deletion, 95 %"
    yield fr.table(heads, [row[:-1] for row in rows], forms=dict.fromkeys(heads[1:3], fr.SHARE))
    yield fr.Note(
        _(
            "Means over {n} answers, the best first. The referee leaves tokens out as occlusion, LIME and Shapley do,"
            " with the same baseline: it favours them.",
            n=len(found[CHANCE]),
        )
    )


# ------------------------------------------------------------------ completeness

STEPS = (1, 2, 4, 8, 16, 32, 64, 128)


@fr.part("Integrated gradients: does it add up?")
def complete(
    model: Any_,
    above: str,
    text: str = TEXT,
    baseline: str = BASELINE,
    steps: int = fr.pick("Steps", STEPS, 16, slide=True),
    *,
    measure: bool = fr.start("Measure", ("text", "baseline", "steps")),
) -> fr.Blocks:
    yield (
        "The gradient is followed on a straight line from the baseline to the text itself. What the tokens get"
        " has to add up to the difference of the two ends; what is missing is the error of the steps, and more steps"
        " mend it."
    )
    of = asked(model, text, baseline)
    game = net_game(of)
    unit = methods.prices(model, game)[methods.LIME] / lime.SAMPLES
    if 3 * steps * unit > AT_ONCE:
        yield _("This takes about {n} seconds.", n=max(1, round(3 * steps * unit / SPEED)))
        yield fr.Controls(["measure"])
        if not measure:
            return
    whole, none = game.ends()
    found_T = gradient.integrated(game, steps)
    total = float(found_T.sum())
    yield _(
        "f(text) − f(baseline) = {whole} − ({none}) = **{due}** bits. The tokens: {terms} ="
        " **{total}**. Missing: **{missing}**.",
        whole=written(whole, 2),
        none=written(none, 2),
        due=written(whole - none, 3),
        terms=added(found_T[game.players]),
        total=written(total, 3),
        missing=written(whole - none - total, 3),
    )
    at_K = np.linspace(0, 1, 33)
    f_K, _g = game.slope(gradient.path(game, at_K))
    name = answer(model, game.target.word)
    way = fr.curves(
        "way",
        _("log₂ P({name}) on the way", name=name),
        {"f": (at_K, f_K)},
        "share of the text",
        "bits",
        "0: the baseline, 1: the text",
        text,
    )
    some = [n for n in STEPS if n == steps or 3 * n * unit <= AT_ONCE / 8]
    missing = [abs(whole - none - left) for left in totals(model, text, baseline, tuple(some))]
    error = fr.curves(
        "error",
        "What is missing, by steps",
        {"missing": (some, np.maximum(missing, 1e-7))},
        "steps",
        "bits",
        "",
        text,
        log_x=True,
        log_y=True,
    )
    yield fr.Beside([[way], [error]])
    yield fr.Note(
        "Most of the way the answer may hardly move, and then leap: the gradient at the text itself, where it has"
        " flattened out (saturation), says nothing of the leap. A layer norm makes a vector as long as any other,"
        " however short it is, so with a baseline of zeros the leap may lie at the very start, where few steps miss it."
    )


@fr.once
def totals(model: Any_, text: str, baseline: str, steps: tuple[int, ...]) -> list[float]:
    """What the tokens get together, with so many steps."""
    game = net_game(asked(model, text, baseline))
    return [float(gradient.integrated(game, n).sum()) for n in steps]


def added(found_P: np.ndarray, most: int = 12) -> str:
    said = " + ".join(written(x, 2) for x in found_P[:most]).replace("+ −", "− ")
    left = len(found_P) - most
    return said if left <= 0 else f"{said} + … ({left}: {written(found_P[most:].sum(), 2)})"


def written(x: float, digits: int) -> str:
    """Without a minus before 0."""
    return f"{round(float(x), digits) + 0.0:.{digits}f}".replace("-", "−")


# ------------------------------------------------------------------ Shapley


@fr.once_told
def drawn_orders(
    *, model: Any_, text: str, baseline: str, orders: int
) -> fr.Taking[shapley.Sampled]:
    of = asked(model, text, baseline)
    last = shapley.Sampled(np.zeros(of.game.count), np.zeros(of.game.count), 1)
    for last in shapley.sampled(of.game, orders):
        yield fr.Progress(last.orders / orders, "Orders drawn")
    return last


@fr.part("Shapley values: exact, sampled, and LIME")
def values(
    model: Any_,
    above: str,
    text: str = TEXT,
    baseline: str = BASELINE,
    orders: int = fr.pick("Orders drawn", (4, 16, 64, 256), 16, slide=True),
    width: float = fr.slider("Width of LIME's kernel", 0.05, 2.0, lime.WIDTH, 0.05),
    *,
    measure: bool = fr.start("Measure", ("text", "baseline", "orders")),
) -> fr.Blocks:
    yield _(
        "A token's Shapley value is what it adds when it comes in, averaged over all orders in which the tokens may"
        " come. With at most {most} tokens all sets are asked; with more, orders are drawn, and the interval says how"
        " far the mean may be off. LIME fits a line to texts with tokens left out.",
        most=shapley.EXACT,
    )
    of = asked(model, text, baseline)
    game = of.game
    few = game.count <= shapley.EXACT
    rows = orders * (game.count + 1) + lime.SAMPLES + (2**game.count if few else 0)
    unit = methods.prices(model, game).get(methods.LIME, 0) / lime.SAMPLES
    if rows * unit > AT_ONCE:
        yield _("This takes about {n} seconds.", n=max(1, round(rows * unit / SPEED)))
        yield fr.Controls(["measure"])
        if not measure:
            return
    found = yield from drawn_orders(model=model, text=text, baseline=baseline, orders=orders)
    fitted = lime.lime(game, width=width)
    exact = shapley.exact(game) if few else None
    whole, none = game.ends()
    half_P = 1.96 * found.error
    out: list[dict[str, Any]] = []
    for n, label in enumerate(labels(game)):
        row: dict[str, Any] = {"token": label}
        if exact is not None:
            row["exact"] = float(exact[n])
        row |= {
            "sampled": float(found.value[n]),
            "95 %": f"± {half_P[n]:.2f}",
            "LIME": float(fitted.weight[n]),
            "occlusion": float(occlusions(game)[n]),
        }
        out.append(row)
    yield fr.Rows(out, forms=dict.fromkeys(("exact", "sampled", "LIME", "occlusion"), "%.2f"))
    name = answer(model, game.target.word)
    yield _(
        "Shapley values add up, whatever the orders: {total} = f(text) − f(baseline) = {due} bits for"
        " “{name}”. LIME's need not: here {lime}. **R² = {r2:.2f}**: that share of what its {n} texts did to the"
        " answer a line can say.",
        total=written(found.value.sum(), 2),
        due=written(whole - none, 2),
        name=name,
        lime=written(fitted.weight.sum(), 2),
        r2=fitted.r2,
        n=lime.SAMPLES,
    )
    if exact is not None:
        inside = np.abs(exact - found.value) <= half_P + 1e-9
        yield _(
            "{inside} of {all} exact values lie within the interval of {orders} orders; largest distance"
            " {far:.2f} bits.",
            inside=int(inside.sum()),
            all=game.count,
            orders=orders,
            far=float(np.abs(exact - found.value).max()),
        )


@fr.once
def occlusions(game: Game) -> np.ndarray:
    return occlusion.occlusion(game)


# ------------------------------------------------------------------ known answers


@fr.part("Where the answer is known exactly")
def known(
    model: Any_,
    above: str,
    text: str = TEXT,
    review: str = fr.typed(
        "A review, for a bag of words", "A great film, but the end is boring", 200, live=True
    ),
) -> fr.Blocks:
    yield (
        "Some models are sums, and what a token adds can be read off. **A bag of words** is one: every method that"
        " leaves words out has to find the same numbers there, and does."
    )
    bag = BagGame(review)
    if not bag.count:
        raise ValueError("Type a review of some words.")
    *_before, sampled = shapley.sampled(bag, 4)
    fit = lime.lime(bag, 64)
    heads = "word", "log-odds, bits", "occlusion", "Shapley", "LIME"
    rows = zip(
        labels(bag), bag.added_P, occlusion.occlusion(bag), sampled.value, fit.weight, strict=True
    )
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.3f"), width=640)
    yield fr.Line([fr.Link("bag", "How these numbers are counted")])
    if isinstance(model, Ngram):
        yield from orders(model, asked(model, text, ZERO))
    elif ledger.has_ledger(model):
        yield from memory(model, asked(model, text, ZERO))


def orders(model: Ngram, of: Question) -> fr.Blocks:
    game = of.game
    assert isinstance(game, CountGame)
    part_M = game.parts(game.target.word)
    yield _(
        "**This n-gram model** mixes orders: P(“{name}”) = {terms} = {p:.4f}, from no token in sight to {n}. A token's"
        " share is that of the order whose run begins there.",
        name=answer(model, game.target.word),
        terms=" + ".join(f"{x:.4f}" for x in part_M),
        p=float(part_M.sum()),
        n=len(part_M) - 2,
    )
    yield fr.table(
        ("token", "share of P", "occlusion, bits"),
        zip(labels(game), of.orders, occlusion.occlusion(game), strict=True),
        forms={"share of P": fr.SHARE, "occlusion, bits": "%.2f"},
        width=480,
    )
    yield fr.Line([fr.Link("ngrams", "The orders of an n-gram model, token by token")])


def memory(model: Any_, of: Question) -> fr.Blocks:
    game = net_game(of)
    add_T = of.ledger
    name = answer(model, game.target.word)
    yield _(
        "**The memory of this net** is a sum over steps, and the logit of “{name}” a product with it: {terms} ="
        " **{total}** above the mean of all answers. That is exact; but what a step wrote depends on the tokens"
        " before it, which the sum does not say, and so it is no proof of a cause.",
        name=name,
        terms=added(add_T),
        total=written(add_T.sum(), 2),
    )
    heads = "step", "writes to the logit", "occlusion, bits"
    rows = zip(labels(game), add_T[game.players], occlusion.occlusion(game), strict=True)
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.2f"), width=480)
    if isinstance(model, RecurrentModel):
        yield fr.Line([fr.Link("memory", "The ledger of each unit")])


# ------------------------------------------------------------------ limits


@fr.part("What no method can say")
def limits(model: Any_, above: str, text: str = TEXT) -> fr.Blocks:
    yield (
        "Every method answers a question of its own, and the answer depends on choices that the text does not make."
    )
    first = asked(model, text, ZERO)
    if isinstance(first.game, CountGame):
        id, p = emptied(first.game)
        yield _(
            "**The baseline.** Counts have one: what stands before a token left out is out of sight, too. With no token"
            " in sight the model still answers, “{name}” at {p:.1%}.",
            name=answer(model, id),
            p=p,
        )
    elif isinstance(first.game, StateGame):
        yield (
            "**The baseline.** This model needs none: it sums over all that a token left out may have been, so f of any"
            " set of tokens is a probability that it really gives."
        )
    else:
        yield from baselines(model, text)
    if isinstance(first.game, NetGame):
        whole, none = first.game.ends()
        yield _(
            "**Saturation.** Gradient × input adds up to {slope} bits here, the whole difference is {due}: the"
            " slope at one point does not say how far the answer came.",
            slope=written(first.own[1].sum(), 2),
            due=written(whole - none, 2),
        )
    yield (
        "**Off the path.** A text with a token left out is one that the model never met. What its answer does there may"
        " say more about the gap than about the token; occlusion, LIME, Shapley and both curves share this."
    )
    yield (
        "**Together.** Occlusion takes out one token at a time: of two that say the same, neither seems to matter. A"
        " gradient is of one point, attention of what was read and not of what was done with it."
    )
    yield fr.Line(
        [
            fr.Link("heads", "Does attention explain? Each head against a measured effect"),
            fr.Link("surgery", "Put a number of one run into another: activation patching"),
        ]
    )


def baselines(model: Any_, text: str) -> fr.Blocks:
    every = {kind: asked(model, text, kind) for kind in BASELINES}
    game = every[ZERO].game
    names = methods.affordable(model, game, AT_ONCE / 3)
    rows, moved = [], 0
    for name in methods.methods_of(model):
        if name in names and name not in (methods.LIME, methods.SHAPLEY):
            tops = [game.labels[top(every[kind], name)] for kind in BASELINES]
            moved += len(set(tops)) > 1
            rows.append((_(name), *map(theme.visible, tops)))
    said = []
    for kind in BASELINES:
        id, p = emptied(every[kind].game)
        said.append(
            _("with {out} “{name}” at {p:.0%}", out=_(OUT[kind]), name=answer(model, id), p=p)
        )
    yield _(
        "**The baseline.** The same text with three of them: {moved} of {all} methods put another"
        " token first when it changes.",
        moved=moved,
        all=len(rows),
    )
    yield fr.table(("method", *OUT.values()), rows, folds=True)
    yield _(
        "None of the three is “nothing”: with every token out the model still answers, {zeros}, {mean}, {mark}.",
        zeros=said[0],
        mean=said[1],
        mark=said[2],
    )


def top(of: Question, name: str) -> int:
    return int(of.ask(name).argmax())


def emptied(game: Game) -> tuple[int, float]:
    """The likeliest answer when every token is out, and how likely."""
    if isinstance(game, NetGame):
        p_V = game.logits(game.base_TD[None])[0].softmax(-1).detach().cpu().numpy()
    elif isinstance(game, CountGame):
        p_V = game.unseen
    else:
        raise refusal("{kind} answers with no token", TypeError, kind=type(game).__name__)
    return int(p_V.argmax()), float(p_V.max())


PARTS = (truth, referee, complete, values, known, limits)

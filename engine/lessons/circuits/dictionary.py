"""A sparse dictionary of one layer: how it is learned, what its features stand for, and whether it finds directions
that were planted.

Shapes    M = vectors, F = features, D = width, G = planted directions, T = tokens of the typed text
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.units.probe import auc
from engine.core.trace import Table
from engine.language.message import _
from engine.lessons.circuits import behaviours, found, layer, sae, superposition, truths
from engine.lessons.circuits.found import Learned
from engine.lessons.circuits.wires import check
from engine.models.abilities import Attends
from engine.models.base import Model
from engine.runs.store import Run
from engine.views import theme

PLACES, RAISED, LISTED = 8, 8, 12


def most_layers(given: fr.Others) -> dict[int, str]:
    model = given["model"]
    depth = model.tower.design.layers if isinstance(model, Attends) else 1
    return {n: str(n + 1) for n in range(depth)}


def last_layer(given: fr.Others) -> int:
    return max(most_layers(given))


def width(given: fr.Others) -> int:
    model = given["model"]
    return int(model.tower.design.width) if isinstance(model, Attends) else 48


def sizes(given: fr.Others) -> dict[int, str]:
    return {times * width(given): f"{times * width(given)}" for times in (1, 2, 4, 8)}


DICT_TEXT = fr.shared(fr.pick("Text", found.texts, found.first_text, width=220))
DICT_LAYER = fr.shared(fr.pick("Layer", most_layers, last_layer, width=90))
DICT_SITE = fr.shared(fr.pick("Its vectors", layer.SITES, "residual", width=240))
DICT_SIZE = fr.shared(fr.pick("Features", sizes, lambda given: 4 * width(given), width=120))
DICT_WAY = fr.shared(fr.pick("Sparse by", {"topk": "TopK", "l1": "L1"}, "topk", few=True))
DICT_TOP = fr.shared(fr.slider("TopK: on at once", 1, 32, 6))
DICT_L1 = fr.shared(fr.slider("L1: weight", 0.05, 3.0, 0.5, 0.05))
DICT_STEPS = fr.shared(fr.slider("Steps", 100, 3_000, 500, 100))


SETTINGS = ("of_text", "at", "site", "size", "way", "top", "weight", "steps")


def placed(way: sae.Way, button: fr.Words = "") -> fr.Controls:
    """The controls of the dictionary."""
    hidden = "weight" if way == "topk" else "top"
    return fr.Controls([name for name in SETTINGS if name != hidden], button)


def asked_for(size: int, way: sae.Way, top: int, weight: float, steps: int) -> sae.Settings:
    return sae.Settings(size, way, float(top if way == "topk" else weight), steps)


def dictionary(
    model: Model[Any], run: Run, text: str, at: int, site: str, settings: sae.Settings
) -> fr.Taking[Learned]:
    behaviour = behaviours.of_run(run.note).id
    return (
        yield from found.learned(
            model=check(model), behaviour=behaviour, text=text, at=at, site=site, settings=settings
        )
    )


@fr.part("A sparse dictionary")
def sparse(
    model: Model[Any],
    run: Run,
    *,
    of_text: str = DICT_TEXT,
    at: int = DICT_LAYER,
    site: str = DICT_SITE,
    size: int = DICT_SIZE,
    way: sae.Way = DICT_WAY,
    top: int = DICT_TOP,
    weight: float = DICT_L1,
    steps: int = DICT_STEPS,
    start: bool = fr.start("Learn the dictionary", SETTINGS),
) -> fr.Blocks:
    yield (
        "A vector of a layer holds many things at once. A **sparse autoencoder** (SAE) learns to write each vector as a"
        " sum of a few directions out of many, its **features**, from the vectors alone."
    )
    yield placed(way)
    yield fr.Formula(
        r"f = \mathrm{ReLU}(W_e (x - b_d) + b_e), \qquad \hat x = W_d f + b_d, \qquad"
        r" \mathrm{loss} = |x - \hat x|^2 + \lambda \sum_i f_i \ \text{(L1)} \ \text{or only the } k \text{ largest }"
        r" f_i \ \text{(TopK)}"
    )
    if found.is_large(check(model)) and not start:
        yield fr.Controls(["start"])
        yield fr.Note("A net of this size takes a minute.")
        return
    made = yield from dictionary(
        model, run, of_text, at, site, asked_for(size, way, top, weight, steps)
    )
    yield from how_it_went(made, size)


def how_it_went(made: Learned, size: int) -> fr.Blocks:
    """Its curves, and what it is worth on lines that it has not learned from."""
    steps_N = [row["step"] for row in made.of.rows]
    yield fr.Beside(
        [
            [
                fr.curves(
                    name,
                    title,
                    {name: (steps_N, [row[name] for row in made.of.rows])},
                    "step",
                    unit,
                )
            ]
            for name, title, unit in (
                ("loss", "Loss", "per vector"),
                ("L0", "Features on at once (L0)", "features"),
                ("explained", "Share of the variance explained", "share"),
            )
        ]
    )
    whole, with_it, without = made.bits
    yield _(
        "On lines that it has not learned from: **{l0:.1f}** features on at once, **{explained:.1%}** of the variance"
        " explained, {dead:,} of {size:,} features dead. With what is rebuilt in place of the layer a token costs"
        " {with_it:.3f} bits, as it is {whole:.3f}, with the mean vector {without:.3f}: **{share:.1%}** of the loss is"
        " recovered.",
        l0=made.scores.l0,
        explained=made.scores.explained,
        dead=made.scores.dead,
        size=size,
        with_it=with_it,
        whole=whole,
        without=without,
        share=made.recovered,
    )


@fr.part("Features in your text")
def features(
    model: Model[Any],
    run: Run,
    above: str,
    *,
    of_text: str = DICT_TEXT,
    at: int = DICT_LAYER,
    site: str = DICT_SITE,
    size: int = DICT_SIZE,
    way: sae.Way = DICT_WAY,
    top: int = DICT_TOP,
    weight: float = DICT_L1,
    steps: int = DICT_STEPS,
    start: bool = fr.start("Learn the dictionary", SETTINGS),
    feature: int = fr.number(
        "Feature; −1: the strongest here", -1, lambda given: given["size"] - 1, -1
    ),
) -> fr.Blocks:
    yield (
        "One direction of the dictionary lit in your text and where it is strongest elsewhere, and the tokens that it"
        " raises and lowers."
    )
    yield placed(way, "Settings of the dictionary")
    net = check(model)
    if found.is_large(net) and not start:
        yield fr.Controls(["start"])
        return
    made = yield from dictionary(
        model, run, of_text, at, site, asked_for(size, way, top, weight, steps)
    )
    f_MF = made.of.features(made.read.x_MD)
    typed = layer.read(net, [above], at, site, 10_000) if len(net.tokens(above)) > 2 else None
    chosen = feature
    if chosen < 0 or chosen >= f_MF.shape[1]:
        chosen = strongest_in(made, typed, f_MF)
    yield fr.Controls(["feature"])
    if typed is not None:
        here_TF = made.of.features(typed.x_MD)
        yield passages(
            "here",
            _("Feature {n} in your text", n=chosen),
            typed,
            here_TF[:, chosen],
            [range(len(here_TF))],
        )
        on = [f for f in np.argsort(-here_TF[-1], kind="stable")[:LISTED] if here_TF[-1, f] > 0]
        yield _(
            "Behind the last token {n} features are on, the strongest first: {names}.",
            n=int((here_TF[-1] > 0).sum()),
            names=", ".join(f"{f} ({here_TF[-1, f]:.2f})" for f in on) or "—",
        )
    yield from elsewhere(made, f_MF, chosen)
    yield fr.table(*raised(net, made, chosen))
    yield fr.Note(
        "What a feature raises: its direction through the last norm's gain and the output weights, above the mean of"
        " all tokens. Of an early layer this is a rough reading: later layers read it first."
    )


def elsewhere(made: Learned, f_MF: np.ndarray, chosen: int) -> fr.Blocks:
    """The strongest places of a feature in lines that were kept back."""
    order = np.argsort(-f_MF[:, chosen], kind="stable")
    apart: list[int] = []
    for m in order:
        if f_MF[m, chosen] <= 0 or len(apart) == PLACES:
            break
        if made.read.line_M[m] not in {made.read.line_M[k] for k in apart}:
            apart.append(int(m))
    if apart:
        around = [np.flatnonzero(made.read.line_M == made.read.line_M[m]) for m in apart]
        around = [rows[np.abs(rows - m) < 24] for rows, m in zip(around, apart, strict=True)]
        yield passages(
            "strongest",
            "Where it is strongest, in lines that it has not learned from",
            made.read,
            f_MF[:, chosen],
            around,
            apart,
        )
    else:
        yield "This feature is on nowhere in the lines that were kept back: it is dead."


def strongest_in(made: Learned, typed: layer.Read | None, f_MF: np.ndarray) -> int:
    """The strongest feature behind the last token of the text, else that which is on most often."""
    if typed is not None:
        return int(made.of.features(typed.x_MD)[-1].argmax())
    return int((f_MF > 0).mean(0).argmax())


def passages(
    name: str,
    title: fr.Words,
    of: layer.Read,
    value_M: np.ndarray,
    some: list[Any],
    marked: list[int] | None = None,
) -> fr.Chart:
    rows = []
    for n, rows_M in enumerate(some, 1):
        rows += [(f"{n}.", of.label(m), float(value_M[m]), m in (marked or ())) for m in rows_M]
    made = Table.of_rows(name, str(title), ("text", "word", "value", "marked"), rows)
    options = {"measure": "the feature", "signed": False}
    return fr.Chart(name, title, "activations", (made,), options=options)


def raised(
    model: Attends[Any], made: Learned, feature: int
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The tokens whose logits its direction raises and lowers most."""
    output, norm = model.output(), model.tower.norm
    assert output is not None and norm is not None
    weight_VD = output[0].detach().numpy()
    direction_D = made.of.directions[feature] * norm.weight.detach().numpy()
    push_V = (weight_VD - weight_VD.mean(0)) @ (direction_D - direction_D.mean())
    most = min(RAISED, len(push_V) // 2)
    up, down = np.argsort(-push_V)[:most], np.argsort(push_V)[:most]
    vocab = model.tokenizer.vocab
    return ("raises", "raised by", "lowers", "lowered by"), [
        (theme.visible(vocab[a]), float(push_V[a]), theme.visible(vocab[b]), float(push_V[b]))
        for a, b in zip(up, down, strict=True)
    ]


@fr.part("Do features stand for something")
def stands_for(
    model: Model[Any],
    run: Run,
    *,
    of_text: str = DICT_TEXT,
    at: int = DICT_LAYER,
    site: str = DICT_SITE,
    size: int = DICT_SIZE,
    way: sae.Way = DICT_WAY,
    top: int = DICT_TOP,
    weight: float = DICT_L1,
    steps: int = DICT_STEPS,
    start: bool = fr.start("Learn the dictionary", SETTINGS),
) -> fr.Blocks:
    yield (
        "In a planted text it is known what is so at each token. Of all features the one is taken that tells it best on"
        " half of the lines, and judged on the other half; the same with the single numbers of the very vectors, and"
        " with as many random directions. **AUC**: 0.5 is chance, 1 never errs."
    )
    yield placed(way, "Settings of the dictionary")
    net = check(model)
    if found.is_large(net) and not start:
        yield fr.Controls(["start"])
        return
    made = yield from dictionary(
        model, run, of_text, at, site, asked_for(size, way, top, weight, steps)
    )
    every = truths.of(behaviours.of_run(run.note).id if of_text == "planted" else "")
    yield from best_of(made, every, size)


def best_of(made: Learned, every: Mapping[str, truths.Truth], size: int) -> fr.Blocks:
    """The best feature, number and random direction for each thing that is known."""
    holds_FM = truths.at_tokens(made.read, every)
    half_M = made.read.line_M % 2 == 0
    f_MF = made.of.features(made.read.x_MD)
    rng = np.random.default_rng(0)
    random_MF = made.read.x_MD @ rng.normal(size=(made.read.x_MD.shape[1], f_MF.shape[1]))
    rows = []
    for n, name in enumerate(every):
        row: list[Any] = [_(name), float(holds_FM[n].mean())]
        for value_MU in (f_MF, made.read.x_MD, random_MF):
            best = best_unit(
                value_MU[half_M], value_MU[~half_M], holds_FM[n, half_M], holds_FM[n, ~half_M]
            )
            row += [best[0], best[1]]
        if np.isfinite(row[3]):
            rows.append(row)
    if not rows:
        raise ValueError("Nothing that is tested holds often enough in this text.")
    yield fr.table(
        (
            "what is so",
            "share of tokens",
            "best feature",
            "AUC, feature",
            "best number",
            "AUC, number",
            "best random",
            "AUC, random",
        ),
        rows,
        forms={"share of tokens": fr.SHARE},
    )
    yield _(
        "In {won} of {all} rows the best feature tells it better than the best single number of the vector, in {more}"
        " better than the best of {size} random directions. A feature that is off at most tokens cannot rank those; a"
        " direction ranks all.",
        won=sum(row[3] > row[5] for row in rows),
        more=sum(row[3] > row[7] for row in rows),
        all=len(rows),
        size=size,
    )


def best_unit(
    first_MU: np.ndarray, then_MU: np.ndarray, first_M: np.ndarray, then_M: np.ndarray
) -> tuple[int, float]:
    """That with the AUC farthest from 0.5 on the first half, and its AUC on the second, turned if it was below."""
    each_U = np.array([auc(state_M, first_M[None])[0] for state_M in first_MU.T])
    if not np.isfinite(each_U).any():
        return -1, float("nan")
    best = int(np.nanargmax(np.abs(each_U - 0.5)))
    then = float(auc(then_MU[:, best], then_M[None])[0])
    return best, then if each_U[best] >= 0.5 else 1 - then


@fr.part("On planted directions")
def planted_directions(
    many: int = fr.slider("Planted directions", 5, 120, 40),
    wide: int = fr.slider("Numbers of a vector", 4, 60, 20),
    often: float = fr.slider("On with probability", 0.01, 0.5, 0.05, 0.01),
    size: int = fr.slider("Features learned", 5, 240, 80),
    way: sae.Way = fr.pick("Sparse by", {"topk": "TopK", "l1": "L1"}, "topk", few=True),
    *,
    top: int = fr.slider("TopK: on at once", 1, 32, 3),
    weight: float = fr.slider("L1: weight", 0.05, 3.0, 1.0, 0.05),
) -> fr.Blocks:
    yield (
        "Whether a dictionary finds what is there can be told where it was planted: vectors with more directions in"
        " them than they have numbers (**superposition**), each on seldom. Recovered: how near the nearest feature"
        " comes to each direction (cosine, mean over all)."
    )
    yield fr.Controls(["top" if way == "topk" else "weight"])
    planted = superposition.plant(many, wide, often)
    made = yield from on_toys(
        many=many, wide=wide, often=often, settings=asked_for(size, way, top, weight, 1_000)
    )
    ways = {
        "sparse autoencoder": made.directions,
        "principal components": superposition.components(planted.x_MD),
        "single numbers": np.eye(wide),
        "random directions": superposition.at_random(size, wide),
    }
    near = {
        name: superposition.recovery(planted.directions_GD, d_FD) for name, d_FD in ways.items()
    }
    yield fr.table(
        ("directions of", "how many", "recovered", "above 0.9"),
        [
            (name, len(ways[name]), of_G.mean(), float((of_G > 0.9).mean()))
            for name, of_G in near.items()
        ],
        bars=("recovered", "above 0.9"),
    )
    yield fr.curves(
        "recovered",
        "Each planted direction, the best recovered first",
        {name: (range(1, many + 1), np.sort(of_G)[::-1]) for name, of_G in near.items()},
        "planted direction",
        "cosine",
        whole=True,
    )
    scores = sae.score(made, planted.x_MD)
    yield _(
        "{on:.1f} directions are on at once, {l0:.1f} features; {explained:.1%} of the variance is explained, {dead} of"
        " {size} features are dead. Explained is not recovered: with too many features on at once the first is high,"
        " the second falls.",
        on=float(planted.on_MG.sum(1).mean()),
        l0=scores.l0,
        explained=scores.explained,
        dead=scores.dead,
        size=size,
    )


@fr.once_told
def on_toys(
    *, many: int, wide: int, often: float, settings: sae.Settings
) -> fr.Taking[sae.Dictionary]:
    return (yield from found.made(superposition.plant(many, wide, often).x_MD, settings))


PARTS = (sparse, features, stands_for, planted_directions)

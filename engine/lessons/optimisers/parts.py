"""What stands below the boards: a small network, batches, what is asked of a net, and when to stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import starts
from engine.analysis.optimising import noise_scale
from engine.analysis.optimising.fitting import fitting
from engine.analysis.optimising.noise_scale import SPAN, WINDOWS, Noise
from engine.language.markdown import escaped
from engine.language.message import Message, _
from engine.language.numbers import number
from engine.lessons.optimisers import accumulate, boards, decay, early, small_net
from engine.lessons.optimisers import smoothing as smooth
from engine.lessons.optimisers.race import racers, titles
from engine.lessons.optimisers.small_net import MODEL, SIZES, SMOOTH, TEXT, Training, stories
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Run
from engine.training import verdict
from engine.views import theme

NET_STEPS = 120
RATES = {"plain": 0.1, "sgd": 0.1, "rmsprop": 0.002, "adam": 0.01, "adamw": 0.01, "muon": 0.02}
UNITS = (4, 8, 16, 32, 64, 128)


@fr.part("A small network")
def net(
    net_racers: tuple[str, ...] = fr.several(
        "Optimisers", titles, ("plain", "sgd", "adam", "muon"), width=640
    ),
    net_times: int = fr.slider("All rates times 2ⁿ", -4, 4, 0),
    net_units: int = fr.pick("Units", (16, 32, 64), 32, few=True),
    net_begin: str = fr.pick("How weights begin", starts.KINDS, width=150),
    net_silent: float = fr.slider("Recurrent dropout", 0.0, 0.6, 0.0, 0.1, width=180),
    net_start: bool = fr.start("Start the race"),
    *,
    net_sizes: bool = fr.start("Train every size"),
) -> fr.Blocks:
    yield _(
        "A surface of two weights is a picture; a network has many weights, and each step sees another"
        " batch. Here an LSTM of {units} units learns to predict the next letter of stories for children. All"
        " begin with the same weights and read the same batches. Let the weights begin in another way, or"
        " silence units of the state between steps: the held-out loss says what it did.",
        units=SIZES["units"],
    )
    if not net_racers:
        raise ValueError("Choose at least one optimiser.")
    if not net_start:
        wait = _(
            "{steps} steps each; some seconds for each optimiser. Rates end at 0.1, as in the training room.",
            steps=NET_STEPS,
        )
        yield fr.Note(wait)
        return
    same = {"units": net_units, "steps": NET_STEPS, "start": net_begin}
    same["recurrent_dropout"] = net_silent
    every, found = {}, {}
    for id in net_racers:
        racer, rate = racers()[id], min(0.1, RATES.get(id, 0.01) * 2.0**net_times)
        every[id] = {"optimiser": racer.optimiser, "momentum": racer.momentum, "rate": rate, **same}
        told = _("Training with {title}", title=Message(racer.title))
        found[id] = yield from small_net.trained(told, **every[id])
    yield learned({titles()[id]: one for id, one in found.items()})
    heads = ("optimiser", "rate", "loss, last tenth", "held-out loss")
    rows = [
        (titles()[id], every[id]["rate"], one.ends, one.held, one.cut, one.end)
        for id, one in found.items()
    ]
    forms = dict(zip(heads[1:], ("%.4g", "%.3f", "%.3f"), strict=True))
    yield fr.table((*heads, "clipped steps", "ended"), rows, forms=forms)
    for id, one in found.items():
        if one.lost:
            yield fr.Warn(f"{titles()[id]}: {escaped(theme.plain(one.lost))}.")
    sound = [id for id, one in found.items() if one.loss and not one.lost]
    best = min(sound or found, key=lambda id: found[id].ends)
    title = Message(titles()[best])
    yield _(
        "**{title}** is lowest, at {one.ends} nats. Another text, another size or more steps can change the"
        " order: that an adaptive optimiser is better is a rule of thumb, not a law.",
        title=_(title),
        one=found[best],
    )
    yield fr.Train({**SIZES, **every[best]}, MODEL, TEXT)
    yield _("**The same net with more and fewer units** ({title})", title=_(title))
    yield fr.Controls(["net_sizes"])
    if net_sizes:
        yield from sizes(title, every[best])


def learned(found: Mapping[str, Training]) -> fr.Beside:
    losses = {
        t: (range(1, len(one.loss) + 1), small_net.smooth(one.loss)) for t, one in found.items()
    }
    norms = {t: (range(1, len(one.norm) + 1), one.norm) for t, one in found.items()}
    note = _("LSTM, mean of the last {steps} steps", steps=SMOOTH)
    cut = "Length of the gradient, before clipping at 1"
    return fr.Beside(
        [
            [fr.curves("net", "Loss in training", losses, "step", "nats a letter", note)],
            [fr.curves("norms", cut, norms, "step", "length", "LSTM, each step", log_y=True)],
        ]
    )


def sizes(title: Message, settings: Mapping[str, Any]) -> fr.Blocks:
    """Loss over the number of units."""
    found = {}
    for units in UNITS:
        told = _("Training {units} units", units=units)
        found[units] = yield from small_net.trained(told, **{**settings, "units": units})
    ends, held = ([getattr(one, name) for one in found.values()] for name in ("ends", "held"))
    yield fr.curves(
        "sizes",
        "Loss by the number of units",
        {"training, last tenth": (found, ends), "held out": (found, held)},
        "units",
        "nats a letter",
        _("{title}, {steps} steps", title=_(title), steps=NET_STEPS),
        log_x=True,
        tight=False,
    )
    if sound := {units: one for units, one in found.items() if np.isfinite(one.held)}:
        best = min(sound, key=lambda units: sound[units].held)
        counts = [one.parameters for one in sound.values()]
        said = _(
            "{least:,} to {most:,} parameters, on the same batches. Lowest on held-out text: {best} units,"
            " {one.held} nats; held out minus training is {gap} there. A net that is too small cannot follow"
            " the text; one that is too large follows the training text only, which takes more steps than"
            " these.",
            least=min(counts),
            most=max(counts),
            best=best,
            one=sound[best],
            gap=sound[best].held - sound[best].ends,
        )
        yield fr.Note(said)


RUN = "lstm_small"
Open = Callable[[Run], NeuralLanguageModel[Any]]


def recurrent(given: fr.Others) -> dict[str, str]:
    """Recurrent language models, the usual one first."""
    found = [run for run in given["runs"] if run.model in ("lstm", "gru", "rnn")]
    return {run.id: run.title for run in sorted(found, key=lambda run: run.id != RUN)}


@fr.once_told
def measured(run: Run, open_run: Open, *, key: object, seed: int) -> fr.Taking[Noise]:
    said = _("Computing {windows} gradients of {span} tokens each", windows=WINDOWS, span=SPAN)
    yield fr.Progress(0.0, said)
    return noise_scale.measure(open_run(run), stories(), seed=seed)


@fr.part("Batch size")
def noise(
    runs: Sequence[Run],
    open_run: Open,
    noise_of: str = fr.pick("Run", recurrent, width=320),
    noise_seed: int = fr.number("Seed of the windows", 0, 999_999, 0),
    *,
    noise_steps: bool = fr.start("At earlier steps of its training too"),
) -> fr.Blocks:
    run = next((run for run in runs if run.id == noise_of), None)
    if run is None:
        raise ValueError("The shipped runs are not there.")
    yield (
        "A batch is a sample of the text, and its gradient an estimate: a larger one is less noisy, by"
        " the root of its size, and costs more. The **noise scale** is the batch at which noise and"
        " signal are equal: far below it, twice the batch lets you take a step about twice as long; far"
        " above it, hardly a longer one."
    )
    found = yield from measured(run, open_run, key=run.key, seed=noise_seed)
    one, other = found.apart()
    yield _(
        "With one window the mean cosine is {least}, with {half} it is {most}. The noise scale is"
        " **{of.scale}** windows, or {tokens:,.0f} tokens; of either half of the windows {one} and {other},"
        " which is how far chance moves it.",
        least=found.cosine(1),
        half=WINDOWS // 2,
        most=found.cosine(WINDOWS // 2),
        of=found,
        tokens=found.scale * SPAN,
        one=one,
        other=other,
    )
    spread, signal, scale = map(number, (found.spread, found.signal, found.scale))
    yield fr.Formula(
        r"B_\text{noise} = \frac{\operatorname{tr} \Sigma}{|G|^2} ="
        rf" \frac{{{spread}}}{{{signal}}} = {scale}\ \text{{windows}}"
    )
    batches, fine = found.sizes(), np.geomspace(1, WINDOWS, 25)
    lengths: fr.Series = {
        "|G|² + tr Σ / B": (fine, found.signal + found.spread / fine),
        "|G|²": (fine, np.full(len(fine), found.signal)),
        "measured": (batches, [found.length(b) for b in batches]),
    }
    cosines = {"measured": (batches, [found.cosine(b) for b in batches])}
    note = _("{run.title}, {n} windows of {span} tokens", run=run, n=WINDOWS, span=SPAN)
    x, title = "windows in a batch", "Squared length by batch"
    yield fr.Beside(
        [
            [fr.curves("noise", title, lengths, x, "squared length", note, log_x=True, log_y=True)],
            [fr.curves("cosine", "Cosine with the rest", cosines, x, "cosine", note, log_x=True)],
        ]
    )
    if run.snapshots:
        yield fr.Controls(["noise_steps"])
    if run.snapshots and noise_steps:
        yield from earlier(run, open_run, noise_seed, found.scale)
    usual = found.scale if math.isfinite(found.scale) else WINDOWS
    batch = int(min(512, max(1, 2 ** round(math.log2(max(1.0, usual))))))
    yield fr.Train({"batch": batch, "span": SPAN}, text=TEXT)
    yield fr.Note(
        "“Small: 8 to 32, large: 64 to 256” is no general rule: the noise scale grows while a model"
        " learns, which is the reason to begin with small batches and to end with large ones. Noise acts by"
        " rate / batch: a batch that grows does what a falling rate does, in fewer steps."
    )


def earlier(run: Run, open_run: Open, seed: int, last: float) -> fr.Blocks:
    """The noise scale at each step that was kept of a training, whose end has the scale `last`."""
    at = dict[int, float]()
    for step in sorted(run.snapshots):
        then = run.at(step)
        at[step] = (yield from measured(then, open_run, key=then.key, seed=seed)).scale
    at.setdefault(int(run.note.get("steps") or max(at)), last)
    yield fr.curves(
        "noise-steps",
        "Noise scale while the run learned",
        {"noise scale": ([*at], [*at.values()])},
        "step",
        "windows",
        run.title,
        log_x=True,
        log_y=True,
    )


BATCH = 24


@fr.once
def parted(model: NeuralLanguageModel[Any], parts: int) -> accumulate.Parts:
    ids = noise_scale.windows(model, stories(), BATCH, SPAN, 0)
    return accumulate.compare(model, ids, parts)


@fr.part("Accumulation")
def accumulation(
    parts: int = fr.slider(_("Parts of a batch of {n}", n=BATCH), 1, BATCH, 5, width=300),
    model: NeuralLanguageModel[Any] | None = fr.shipped(RUN),
    *,
    batches: int = fr.number("Batches in an epoch", 1, 10_000, 10, width=0),
    together: int = fr.number("Batches for one step", 1, 512, 4, width=0),
) -> fr.Blocks:
    if model is None:
        raise ValueError("The shipped runs are not there.")
    yield (
        "A batch that does not fit into memory is read in parts, one after the other. Their gradients"
        " are added up, and only then one step is taken. The loss of each part is divided by what the"
        " **whole** batch has, so that the sum is the gradient of the batch."
    )
    found = parted(model, parts)
    yield _(
        "The gradient in {n} parts differs from that of the batch by at most **{of.away}** in any of its"
        " numbers: rounding. Its length is {of.length}. Without dividing, the sum is {of.undivided} long,"
        " {times} times as much: so many times the learning rate.",
        n=len(found.sizes),
        of=found,
        times=found.undivided / found.length,
    )
    each = zip(found.sizes, found.losses, strict=True)
    terms = [rf"\tfrac{{{size}}}{{{BATCH}}} \cdot {number(loss)}" for size, loss in each]
    terms[6:] = [r"\dots"] * (len(terms) > 6)
    yield fr.Formula(rf"\text{{loss}} = {' + '.join(terms)} = {number(found.loss)}")
    heads = ("part", "windows", "loss", "length of its gradient")
    rows = zip(range(1, BATCH + 1), found.sizes, found.losses, found.lengths, strict=False)
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[2:], "%.6f"), tall=300)
    yield fr.Controls(["batches", "together"])
    over = batches % together
    yield _(
        "{full:,} full groups take {full:,} steps; {over:,} batches are left over. Thrown away, they teach"
        " nothing; taken as a group of their own, which is divided by {by:,}, there are {all:,} steps.",
        full=accumulate.updates(batches, together, False),
        over=over,
        by=over or together,
        all=accumulate.updates(batches, together, True),
    )
    yield fr.Train({"batch": BATCH, "accumulate": parts}, text=TEXT)


LOGITS = (2.0, 1.0, 0.1, 0.0)
ANSWERS = [_("answer {n}", n=n) for n in range(1, 5)]


@fr.part("Label smoothing")
def smoothing(
    epsilon: float = fr.slider("ε, share that is spread", 0.0, 1.0, 0.1, 0.01, width=300),
    right: int = fr.pick("Right answer", (1, 2, 3, 4), 1, few=True),
    *,
    logits: fr.Matrix = fr.cells("", [[x] for x in LOGITS], ANSWERS, ("logit",), 260),
) -> fr.Blocks:
    yield (
        "A target of 1 is never reached: to come nearer the right logit has to grow without end. Label"
        " smoothing asks for a little less, so that there is a best gap between the logits, and a model"
        " that is less sure of itself."
    )
    if not np.isfinite(logits).all():
        yield fr.Beside([[fr.Controls(["logits"])], []])
        raise ValueError(fr.WANTED)
    z, k, at = np.array(logits)[:, 0], len(LOGITS), right - 1
    shared, elsewhere = (smooth.target(k, at, epsilon, on_all) for on_all in (True, False))
    hard = smooth.target(k, at, 0.0)
    targets = {"1 and 0": hard, "ε over all": shared, "ε over the others": elsewhere}
    rows = [
        (name, smooth.loss(z, q), smooth.floor(q), f"{smooth.gap(q, at):.4f}".replace("inf", "∞"))
        for name, q in targets.items()
    ]
    heads = ("target", "loss, nats", "least possible", "best gap")
    summed = fr.table(heads, rows, forms=dict.fromkeys(heads[1:3], "%.4f"))
    gaps = np.linspace(0, 10, 101)
    grown = np.outer(gaps, np.eye(k)[at])
    losses = {
        name.removeprefix("ε "): (gaps, [smooth.loss(one, q) for one in grown])
        for name, q in targets.items()
    }
    note = _("{k} answers, ε {share:g}", k=k, share=epsilon)
    title = "Loss by the gap of the right logit"
    train = fr.Train({"smoothing": min(0.9, epsilon)}, text="stories")
    drawn = fr.curves("smoothing", title, losses, "gap", "nats", note)
    yield fr.Beside([[fr.Controls(["logits"]), summed, train], [drawn]])
    logs = smooth.logarithms(z)
    shares = {"p": np.exp(logs), **targets}
    each = zip(ANSWERS, *(share.tolist() for share in shares.values()), strict=True)
    forms = dict.fromkeys(shares, "%.4f")
    yield fr.table(("answer", *shares), each, forms=forms, bars=[*shares])
    terms = [rf"{number(q)} \cdot {number(-v)}" for q, v in zip(shared, logs, strict=True)]
    yield fr.Formula(
        rf"\text{{loss}} = -\sum_k q_k \log p_k = {' + '.join(terms)} = {number(smooth.loss(z, shared))}"
    )
    as_torch = _(
        "An ε of {share:g} over the others is one of {same} over all answers, the right one too, as torch and"
        " the training room have it.",
        share=epsilon,
        same=smooth.as_torch(epsilon, k),
    )
    yield fr.Note(as_torch)


STEPS = 200
SHARES = (0.0, 0.1, 0.3, 1.0)  # decays that a net is trained with
SPREAD, BINS = 2.0, 80
faded = fr.once(decay.fading)


@fr.part("Weight decay")
def weight_decay(
    d_left: str = fr.pick("On the left", titles, "adam"),
    d_right: str = fr.pick("On the right", titles, "adamw"),
    d_rate: float = fr.slider("Learning rate", 0.001, 0.05, 0.01, 0.001, width=200),
    d_decay: float = fr.slider("Weight decay", 0.0, 1.0, 0.1, 0.01, width=200),
    *,
    decay_train: bool = fr.start("Train it with each decay"),
) -> fr.Blocks:
    yield _(
        "{many:,} weights of each of three kinds begin at 1. Their gradients are pure noise, small, medium or"
        " large, so nothing but the decay moves them on average.",
        many=decay.MANY,
    )
    charts, ends = [], []
    for n, id in enumerate((d_left, d_right)):
        title, means = Message(racers()[id].title), faded(racers()[id], d_rate, d_decay, STEPS)
        sizes = zip(decay.SIZES, means.T, strict=True)
        series = {
            _("gradients of size {size:g}", size=size): (range(STEPS + 1), mean)
            for size, mean in sizes
        }
        heading = _("{title}: mean weight", title=_(title))
        note = _("rate {rate:g}, decay {share:g}", rate=d_rate, share=d_decay)
        axes: dict[str, Any] = {"x": "step", "y": "mean weight", "low": -0.05, "high": 1.15}
        charts.append([fr.curves(f"decay-{n}", heading, series, note=note, **axes)])
        end = _(
            "**{title}**: after {steps} steps the three means lie between {least} and {most}.",
            title=_(title),
            steps=STEPS,
            least=means[-1].min(),
            most=means[-1].max(),
        )
        ends.append(end)
    yield fr.Beside(charts)
    yield from ends
    kept = number((1 - d_rate * d_decay) ** STEPS)
    yield fr.Formula(rf"(1 - {d_rate:g} \cdot {d_decay:g})^{{{STEPS}}} = {kept}")
    yield fr.Note(
        "In Adam the decay is part of the gradient, and is divided by the root of its mean square like all"
        " of it: weights with large gradients hardly decay, those with small ones at the full rate. AdamW"
        " takes the decay out of the gradient. For SGD both are the same."
    )
    right = racers()[d_right]
    yield _("**The weights of a small LSTM** ({title})", title=Message(right.title))
    yield fr.Controls(["decay_train"])
    if decay_train:
        yield from weights(right.optimiser, Message(right.title), d_rate)
    yield fr.Train({"optimiser": right.optimiser, "decay": d_decay}, text="stories")


def weights(optimiser: str, title: Message, rate: float) -> fr.Blocks:
    """A histogram of all weights of a net that was trained with each decay."""
    found, same = {}, {"optimiser": optimiser, "rate": rate, "steps": NET_STEPS}
    for share in SHARES:
        said = _("Training with a decay of {share:g}", share=share)
        one = yield from small_net.trained(said, **same, decay=share)
        if one.weights.size:  # not diverged
            found[share] = one
    edges = np.linspace(-SPREAD, SPREAD, BINS + 1)
    series = {
        f"{share:g}": (
            (edges[:-1] + edges[1:]) / 2,
            100 * np.histogram(np.clip(one.weights, -SPREAD, SPREAD), edges)[0] / one.weights.size,
        )
        for share, one in found.items()
    }
    note = _(
        "{title}, rate {rate:g}, {steps} steps; what is further out is counted at the ends",
        title=_(title),
        rate=rate,
        steps=NET_STEPS,
    )
    axes = {"x": "weight", "y": "% of the weights", "of_series": "weight decay"}
    yield fr.curves("weights", "Weights by their size", series, note=note, **axes)
    heads = ("weight decay", "root mean square of the weights", "loss, last tenth", "held-out loss")
    rows = [
        (share, float(np.sqrt(np.square(one.weights).mean())), one.ends, one.held)
        for share, one in found.items()
    ]
    forms = dict(zip(heads, ("%g", "%.4f", "%.3f", "%.3f"), strict=True))
    yield fr.table(heads, rows, forms=forms)


@fr.once_told
def overfitted(*, patience: int, seed: int) -> fr.Taking[early.Overfitting]:
    yield fr.Progress(0.0, "Training a small network")
    return early.overfit(patience, seed=seed)


@fr.part("Early stopping")
def stopping(
    patience: int = fr.slider("Patience, measurements", 1, 20, 4, width=260),
    early_seed: int = fr.number("Seed", 0, 999, 0, width=120),
) -> fr.Blocks:
    yield _(
        "A network with {of.UNITS} units in two layers learns {of.POINTS} noisy points by heart. Its loss on"
        " {of.OTHERS} others falls first and rises then. Training should end between, and go back to the best"
        " weights.",
        of=early,
    )
    whole = yield from overfitted(patience=0, seed=early_seed)
    found = yield from overfitted(patience=patience, seed=early_seed)
    end = found.stop
    at, until = np.arange(1, len(whole.held) + 1), np.arange(1, end.end + 1)
    series: fr.Series = {
        "in training": (at, whole.train),
        "on others": (at, whole.held),
        "best": ([end.best], [whole.held[end.best - 1]]),
        "ended here": ([end.end], [whole.held[end.end - 1]]),
    }
    note = _("every {n} steps of Adam; patience {patience}", n=early.EVERY, patience=patience)
    title = "Loss at each measurement"
    left: list[fr.Block] = [fr.curves("early", title, series, "measurement", "squared error", note)]
    if judged := fitting((until, whole.train[: end.end]), (until, whole.held[: end.end])):
        left += [verdict.judge_fit(judged, "measurement"), fr.Note(verdict.RULE)]
    right: list[fr.Block] = [
        _(
            "The best is measurement **{of.best}**, with a loss of {best} on others; with a patience of {patience}"
            " the training ends at measurement **{of.end}**, with {last}. The weights of the best are loaded.",
            of=end,
            patience=patience,
            best=found.held[end.best - 1],
            last=found.held[-1],
        ),
        fr.Train({"patience": patience, "held_out_every": early.EVERY}, text="stories"),
    ]
    yield fr.Beside([left, right], (7, 5))


PARTS = (boards.race, boards.schedule, net, noise, accumulation, smoothing, weight_decay, stopping)

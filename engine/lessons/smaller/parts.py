"""What stands below the live pictures: a row of weights there and back, errors by layer, formats and pruning measured,
the bytes of real models, and what computing costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from engine import frame as fr
from engine.core.trace import Field, Kind
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.optimisers import small_net
from engine.lessons.smaller import (
    bytes_and_energy,
    distil,
    experts,
    formats,
    here,
    measured,
    nets,
    taught,
)
from engine.lessons.smaller.bytes_and_energy import REAL, Machines, gigabytes
from engine.lessons.smaller.formats import FORMATS
from engine.lessons.smaller.nets import HEADS, LAYERS, WEIGHTS, Net
from engine.models.abilities import able
from engine.models.base import Model
from engine.models.neural import NeuralLanguageModel
from engine.models.transformer import Transformer
from engine.runs.store import Run
from engine.text import collection
from engine.views import theme

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
ROW = 256  # weights of a row that are drawn at most
WORDS = {WEIGHTS: "weights, the smallest first", HEADS: "heads", LAYERS: "layers"}


def net_of(model: Model[object]) -> Net:
    return able(model, NeuralLanguageModel)


def tables(given: fr.Others) -> list[str]:
    found = given.get("model")
    return nets.tables(found.weights()) if isinstance(found, NeuralLanguageModel) else [""]


def last_row(given: fr.Others) -> int:
    found = given.get("model")
    table = given.get("table")
    if not isinstance(found, NeuralLanguageModel) or not table:
        return 1
    return len(measured.find_table(found, table)) - 1 or 1


@fr.part("A row, there and back", was=("row", "l_row", "l_format"))
def row(
    model: Model[object],
    run: Run,
    table: str = fr.pick("Table", tables, width=300),
    at: int = fr.number("Row", 0, last_row, 0, width=110),
    kind: str = fr.pick("Format", tuple(FORMATS), "NF4", width=170),
) -> fr.Blocks:
    yield (
        "A format has few numbers, and every weight becomes the nearest of them. **absmax** spaces them evenly up to"
        " the largest weight, **affine** formats, with a zero point, between the smallest and the largest. **NF4**"
        " has its 16 where weights are: most lie near 0, as under a bell curve. The steps of **FP8** grow with the"
        " weight. **Q4_0** to **Q8_0** are formats of GGUF files, with a scale for every 32 weights; in the **K**"
        " formats the scales are rounded, too."
    )
    row_N = measured.find_table(net_of(model), table)[at][:ROW]
    if not np.isfinite(row_N).all():
        raise ValueError(
            "This row holds a number that is infinite or none, which no format of few bits has."
        )
    of = FORMATS[kind]
    yield fr.Formula(
        FORMULAS.get(kind.rsplit(maxsplit=1)[-1], FORMULAS["absmax"])
        if of.lay
        else FORMULAS["cast"]
    )
    ends = [float(row_N.min()), float(row_N.max())]
    yield fr.curves(
        "stairs",
        _("What each weight becomes as {kind}", kind=kind),
        {"nothing lost": (ends, ends), kind: stairs(row_N, kind)},
        "weight before",
        "weight after",
        _("{run}, {table}, row {at}, {n} weights", run=run.title, table=table, at=at, n=len(row_N)),
        source=run.id,
    )
    yield fr.Rows([*compare(row_N)], widths={"format": 110, "moved by": 90, "at most": 90})
    yield fr.Note("The steps drawn are those of the first block of the row.")


FORMULAS = {
    "absmax": r"s = \frac{\max |w|}{2^{b-1} - 1}, \quad q = \mathrm{round}(w / s), \quad w' = s\,q",
    "affine": r"s = \frac{\max w - \min w}{2^b - 1}, \quad z = \mathrm{round}(-\min w / s), \quad q ="
    r" \mathrm{round}(w / s) + z, \quad w' = s\,(q - z)",
    "NF4": r"w' = \max |w| \cdot \ell_q, \quad \ell_q \text{ the nearest of 16 quantiles to } w / \max |w|",
    "Q4_0": r"d = w_{\mathrm{max}} / {-8}, \quad q = \lfloor w / d + 8.5 \rfloor, \quad w' = d\,(q - 8)",
    "Q4_1": r"d = \frac{\max w - \min w}{15}, \quad q = \mathrm{round}((w - \min w) / d), \quad w' = d\,q + \min w",
    "Q8_0": r"d = \frac{\max |w|}{127}, \quad q = \mathrm{round}(w / d), \quad w' = d\,q",
    "Q4_K": r"w' = (d\,a)\,q - e\,b, \quad q \in 0 \ldots 15, \; a, b \in 0 \ldots 63 \text{ of 32 weights}, \; d, e"
    r" \text{ of 256}",
    "Q6_K": r"w' = (d\,a)\,q, \quad q \in -32 \ldots 31, \; a \in -128 \ldots 127 \text{ of 16 weights},"
    r" \; d \text{ of 256}",
    "E4M3": r"s = \frac{\max |w|}{448}, \quad w' = s \cdot \mathrm{fp8}(w / s)",
    "E5M2": r"s = \frac{\max |w|}{57{,}344}, \quad w' = s \cdot \mathrm{fp8}(w / s)",
    "cast": r"w' = \text{the nearest number of the format}",
}


def stairs(row_N: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Weights from the smallest to the largest, and what each becomes with the steps of the first block."""
    of = FORMATS[kind]
    before = np.linspace(float(row_N.min()), float(row_N.max()), 600, dtype=np.float32)
    if of.lay is None:
        return before, of.cast(before)
    levels = of.lay(formats.fill_blocks(row_N[None], of.block)[:1])[0][0]
    return before, levels[np.abs(before[:, None] - levels).argmin(1)]


def compare(row_N: np.ndarray) -> list[dict[str, object]]:
    size = float(np.sqrt(np.square(row_N).mean())) or 1.0
    found: list[dict[str, object]] = []
    for kind, of in FORMATS.items():
        off_N = formats.send_back(row_N[None], kind)[0] - row_N
        rms = float(np.sqrt(np.square(off_N).mean()))
        found.append(
            {
                "format": kind,
                "how": _(of.says),
                "bits of a weight, scales included": f"{of.each(len(row_N)):.4g}",
                "moved by": rms,
                "at most": float(np.abs(off_N).max()),
                "of the weights' own size": f"{100 * rms / size:.2f} %",
            }
        )
    return found


def shares(
    name: str,
    title: str,
    values: np.ndarray,
    rows: tuple[str, Iterable[object]],
    columns: tuple[str, Iterable[object]],
    unit: str,
    note: fr.Words = "",
    text: str = "",
    source: str = "",
) -> fr.Chart:
    """A grid of numbers from 0 to 1, whose legend says what they are."""
    made = Field.of(name, Kind.GATE, dict((rows, columns)), values, str(_(title)), unit=unit)
    return fr.Chart(name, title, "heatmap", (made,), note, text, source, fluid=True)


BY = {"table": "Tables", "layer": "Layers", "kind": "Kinds"}


@fr.once
def errors(model: Net) -> tuple[list[str], np.ndarray]:
    return measured.errors(model)


@fr.part("Errors by layer")
def by_layer(
    model: Model[object], run: Run, by: str = fr.pick("Rows", BY, "layer", few=True)
) -> fr.Blocks:
    yield (
        "How far the weights of each layer move, as a share of their own size. A format loses most where a few weights"
        " are far larger than the others of their block, for these set the scale."
    )
    names, off_NF = measured.together(*errors(net_of(model)), by)
    if not np.isfinite(off_NF).all():
        raise ValueError(
            "This net holds a weight that is infinite or none, which no format of few bits has."
        )
    yield shares(
        "errors",
        "What rounding moves, as a share of the weights' own size",
        off_NF.clip(0, 1),
        ("layer", names),
        ("method", FORMATS),
        "share",
        run.title,
        source=run.id,
    )
    worst = int(off_NF[:, [*FORMATS].index("Q4_0")].argmax())
    yield _(
        "As Q4_0 **{name}** moves most, by {off:.1%} of its size; all together by {mean:.1%}, as int8 (absmax) by"
        " {eight:.1%}.",
        name=names[worst],
        off=off_NF[worst, [*FORMATS].index("Q4_0")],
        mean=off_NF[:, [*FORMATS].index("Q4_0")].mean(),
        eight=off_NF[:, [*FORMATS].index("int8 absmax")].mean(),
    )


# ------------------------------------------------------------------ measured


def texts(given: fr.Others) -> dict[str, str]:
    return {corpus.id: corpus.title for corpus in collection.list_all("text")}


@fr.part("Measured", was=("l_numbers", "l_share"))
def measure(
    model: Model[object],
    run: Run,
    of_text: str = fr.pick("Text", texts, "stories", width=260),
    m_text: str = fr.typed("Or a text of yours", "", 4_000, width=300),
    start: bool = fr.start("Measure this net", ("of_text", "m_text")),
) -> fr.Blocks:
    yield (
        "What the net pays on a text: bits per token in every format, and with more and more of its weights, heads or"
        " layers left out, those first that count least. A part counts for as much as the loss would change, to first"
        " order, without it. No step of training repairs anything here; with some, more can go."
    )
    if not start:
        yield fr.Note(
            "A small net takes seconds, one of ten million weights a minute or two, SmolLM2 five minutes or more."
        )
        return
    own = tuple(line for line in m_text.splitlines() if line.strip())
    found = yield from measured.measure(model=net_of(model), lines=own or here.beginning(of_text))
    text = _("your text") if own else _(texts({})[of_text])
    source = _("{run}; {n:,} tokens of {text}", run=run.title, n=found.tokens, text=text)
    yield fr.curves(
        "pruned",
        "Bits per token over the share left out",
        {WORDS[what]: series for what, series in found.pruned.items()},
        "share left out",
        "bits per token",
        source,
        source=run.id,
    )
    half = {what: at_share(series, 0.3) for what, series in found.pruned.items()}
    yield _(
        "The whole net pays **{whole:.3f}** bits per token. With 30 % left out: {costs}.",
        whole=found.whole,
        costs=", ".join(f"{WORDS[what]} {bits:.3f}" for what, bits in half.items()),
    )
    yield fr.Rows(
        [
            {
                "format": kind,
                "size, MB": size / 1e6,
                "bits per token": bits,
                "more than the whole net": bits - found.whole,
            }
            for kind, (size, bits) in found.formats.items()
        ],
        {"size, MB": "%.3f", "bits per token": "%.4f", "more than the whole net": "%+.4f"},
        width=560,
    )


def at_share(series: tuple[list[float], list[float]], share: float) -> float:
    return float(np.interp(share, *series))


# ------------------------------------------------------------------ taught by a larger net

HEATS = np.geomspace(0.25, 100, 60)
CALLED = {
    "teacher": "the teacher",
    distil.TAUGHT: "with its teacher",
    distil.ALONE: "without its teacher",
}
NOT_THERE = "The shipped LSTM, or one of its students, is not here."


def students(teacher: Net | None) -> dict[str, Net]:
    """The teacher and both students.  ValueError where one is missing."""
    if teacher is None:
        raise ValueError(NOT_THERE)
    try:
        return {"teacher": teacher, **{n: distil.student(n) for n in (distil.TAUGHT, distil.ALONE)}}
    except (OSError, ValueError):
        raise ValueError(NOT_THERE) from None


def last_place(given: fr.Others) -> int:
    return max(2, len(str(given.get("d_text", ""))))


def before_last(given: fr.Others) -> int:
    return last_place(given) - 1


SHIPPED = "the novels (shipped)"
SOME_TIME = "Half a minute on a free computer, and it can be stopped. Until then the shipped ones are shown."


def learned_from(given: fr.Others) -> dict[str, str]:
    return {"": SHIPPED, **texts(given)}


def chosen(given: fr.Others) -> bool:
    return bool(given.get("d_of") or given.get("e_of"))


@fr.part("Taught by a larger net")
def taught_live(
    teacher: Net | None = fr.shipped(distil.TEACHER),
    d_text: str = fr.typed(
        "Type a sentence", "She opened the door and looked into the room", 200, width=460, live=True
    ),
    d_heat: float = fr.slider("Temperature T", 0.5, 10.0, distil.HEAT, 0.5, 190),
    d_soft: float = fr.slider(
        "Share of the teacher in the loss, a", 0.0, 1.0, distil.SOFT, 0.1, 230
    ),
    d_of: str = fr.pick("Learned from", learned_from, "", width=260),
    d_start: bool = fr.start("Teach", ("d_of", "d_heat", "d_soft"), chosen),
    *,
    d_at: int = fr.slider("Behind which letter", 1, last_place, before_last, width=460),
) -> fr.Blocks:
    nets_3 = students(teacher)
    yield (
        "A text gives a net one right answer a letter: the one that came, the **hard target**. A teacher gives a"
        " probability for each, the **soft target**: also which wrong ones are nearly right. A higher temperature shows"
        " more of those; T² makes up for the smaller slopes that it leaves."
    )
    score, letters = distil.measured(), distil.CHARACTERS
    if d_of and not d_start:
        yield fr.Note(SOME_TIME)
    elif d_of:
        nets_3, score, letters = yield from here.taught(
            teacher=nets_3["teacher"], text=d_of, heat=d_heat, soft=d_soft
        )
    found = taught.read(nets_3, d_text)
    at = min(d_at, len(found.ids) - 1)
    came = int(found.ids[at + 1]) if at + 1 < len(found.ids) else -1
    yield fr.Controls(["d_at"])
    before = theme.plain("".join(found.labels[1 : at + 1]))
    before = before if len(before) <= 40 else "…" + before[-40:]
    words = nets_3["teacher"].tokenizer.vocab
    yield _("Behind “{before}”, students at T = {t:g} too:", before=escaped(before), t=d_heat)
    yield answers([found.logits[name][at] for name in nets_3], came, d_heat, words)
    for name in (distil.TAUGHT, distil.ALONE):
        yield tell_loss(
            name, found.logits["teacher"][at], found.logits[name][at], came, d_heat, d_soft
        )
    places = np.arange(1, len(found.ids))
    yield fr.curves(
        "cost",
        "Bits of each letter",
        {CALLED[name]: (places, found.cost(name)) for name in nets_3},
        "letter",
        "bits",
        text=d_text,
        source=distil.TEACHER,
        low=0,
        whole=True,
    )
    yield tell_bits(nets_3, score, letters)
    if score[distil.ALONE] < score[distil.TAUGHT]:
        yield "This teacher holds its student back: it knows this kind of text less well than the student soon does."
    yield fr.Link("softmax", "Softmax has the temperature alone, on logits that you drag")


def answers(z_3: Sequence[np.ndarray], came: int, heat: float, words: Sequence[str]) -> fr.Rows:
    """The teacher's likeliest, beside what came, the teacher with this temperature, and both students."""
    plain_V, hot_3 = taught.soften(z_3[0], 1.0), [taught.soften(z_V, heat) for z_V in z_3]
    hot = _("teacher, T = {t:g}", t=heat)
    heads = ("next", "what came", "teacher, T = 1", hot, *[*CALLED.values()][1:])
    rows = (
        (theme.visible(words[v]), float(v == came), plain_V[v], *(p_V[v] for p_V in hot_3))
        for v in np.argsort(-z_3[0])[:8].tolist()
    )
    return fr.table(heads, rows, bars=heads[1:])


def tell_loss(
    name: str, t: np.ndarray, s: np.ndarray, came: int, heat: float, share: float
) -> fr.Words:
    soft = float(taught.soft_loss(t, s, heat))
    if came < 0:
        return _("**{name}**: T² KL = {soft:.4f} nats.", name=_(CALLED[name]), soft=soft)
    hard = float(-np.log(taught.soften(s, 1.0)[came]))
    return _(
        "**{name}**: T² KL = {soft:.4f} nats, −ln p = {hard:.4f}; loss {a:g} × {soft:.4f} + {b:g} × {hard:.4f} ="
        " **{all:.4f}**.",
        name=_(CALLED[name]),
        soft=soft,
        hard=hard,
        a=share,
        b=1 - share,
        all=share * soft + (1 - share) * hard,
    )


def tell_bits(nets_3: Mapping[str, Net], score: Mapping[str, float], letters: int) -> fr.Words:
    return _(
        "On text that the students have not read a letter costs the teacher **{teacher:.3f} bits**, the student that it"
        " taught **{taught:.3f}**, and the same student without it **{alone:.3f}**. Both students have {few:,} weights,"
        " the teacher {many:,}; both began with the same weights and read the same {n:,} letters, in the same order.",
        teacher=score["teacher"],
        taught=score[distil.TAUGHT],
        alone=score[distil.ALONE],
        few=nets.count(nets_3[distil.TAUGHT]),
        many=nets.count(nets_3["teacher"]),
        n=letters,
    )


@fr.part("Distillation by hand")
def by_hand(
    z: fr.Matrix = fr.cells("Logits", ((3.0, 2.0, 1.0), (1.0, 2.0, 3.0)), ("teacher", "student")),
    heat: float = fr.slider("Temperature T", 0.25, 20.0, 2.0, 0.25),
) -> fr.Blocks:
    yield (
        "The same loss at one place, over three possible answers: type both rows of logits. The last row says where"
        " each of the student's logits is pushed: down where it is positive."
    )
    t, s = fr.array(z)
    p, q = taught.soften(t, heat), taught.soften(s, heat)
    soft = float(taught.soft_loss(t, s, heat))
    yield fr.table(
        ("", "1", "2", "3"),
        [
            ("teacher", *p.tolist()),
            ("student", *q.tolist()),
            ("slope of the student's logits", *(heat * (q - p)).tolist()),
        ],
        forms=dict.fromkeys("123", "%.4f"),
        width=520,
    )
    yield fr.Formula(
        rf"T^2 \sum_k p_k \ln \frac{{p_k}}{{q_k}} = {heat:g}^2 \cdot {soft / heat**2:.6f} = {soft:.6f}, \qquad"
        r" \frac{\partial}{\partial s_k} = T\,(q_k - p_k)"
    )
    yield fr.curves(
        "heat",
        "The loss over the temperature, in nats",
        {
            "T² KL": (HEATS, [float(taught.soft_loss(t, s, h)) for h in HEATS]),
            "KL": (HEATS, [float(taught.soft_loss(t, s, h)) / h**2 for h in HEATS]),
        },
        "T",
        "nats",
        log_x=True,
        low=0,
    )
    yield _(
        "Without T² the loss dies out as T grows, and with it what the student learns. With it the loss tends to"
        " **{end:.4f}**, half the mean squared distance of the logits, each set centred: at a high temperature a"
        " student matches logits.",
        end=taught.endless(t, s),
    )


# ------------------------------------------------------------------ a mixture of experts

NOBODY = "none"
FACULTY = tuple(_("expert {n}", n=n + 1) for n in range(experts.EXPERTS))


@fr.part("A mixture of experts")
def mixture(
    base: Net | None = fr.shipped(experts.BASE),
    e_text: str = fr.typed(
        "Type a sentence",
        "The girl looked at the old man and shook her head.",
        200,
        width=460,
        live=True,
    ),
    e_k: int = fr.slider("Experts of a token", 1, experts.EXPERTS, experts.CHOSEN, width=170),
    e_off: str = fr.pick(
        "Switched off", (NOBODY, *map(str, range(1, experts.EXPERTS + 1))), NOBODY, few=True
    ),
    e_of: str = fr.pick("Learned from", learned_from, "", width=260),
    e_even: bool = fr.switch("With the balance in the loss", True),
    e_start: bool = fr.start("Train experts", ("e_of", "e_even"), chosen),
) -> fr.Blocks:
    yield (
        "In place of one feed-forward part a layer has several, the **experts**, and a **router** that gives each token"
        " to a few of them: more weights, of which a token uses as many as before. All of them have to be in memory."
    )
    try:
        if not isinstance(base, Transformer):
            raise ValueError
        found, pair = experts.measured(), experts.once(base)
    except (OSError, ValueError):
        raise ValueError("The shipped Transformer, or its experts, are not here.") from None
    if e_of and not e_start:
        yield fr.Note(SOME_TIME)
    elif e_of:
        pair, found = yield from here.mixed(base=base, text=e_of, even=e_even)
    off = int(e_off) - 1 if e_off != NOBODY else None
    trace, logit_TN = experts.read(pair, e_text, min(e_k, experts.EXPERTS - (off is not None)), off)
    if len(trace.ids) < 2:
        raise ValueError("Type a few words: each token is given to its experts.")
    k = min(e_k, experts.EXPERTS - (off is not None))
    gate_TN = experts.gates(torch.from_numpy(logit_TN), k).numpy()
    yield shares(
        "router",
        "Which experts each token is given to, and with what weight",
        gate_TN.T,
        ("expert", FACULTY),
        ("token", trace.tokens),
        "weight",
        text=e_text,
        source=experts.BASE,
    )
    last_N, top = taught.soften(logit_TN[-1].astype(float), 1.0), gate_TN[-1]
    yield fr.Formula(
        r"\mathrm{softmax}(x R) = ("
        + ", ".join(f"{g:.3f}" for g in last_N)
        + r"), \quad y = "
        + " + ".join(rf"{g:.3f}\, E_{n + 1}(x)" for n, g in enumerate(top) if g > 0)
    )
    p_TV = np.asarray(trace.field("probability").values)
    plain_TV = np.asarray(base.trace(e_text, fields=("probability",)).field("probability").values)
    now, before = (float(nets.cost(of[:-1], trace.ids[1:]).mean()) for of in (p_TV, plain_TV))
    yield _(
        "The formula is of the last token. A token of this text costs **{now:.3f} bits**, in the net with its one"
        " feed-forward part {before:.3f}.",
        now=now,
        before=before,
    )
    yield load((gate_TN > 0).sum(0) / (gate_TN > 0).sum(), found)
    if "one" in found:
        yield _(
            "On novels that it has not read a token costs {even:.3f} bits with the experts, {alone:.3f} with experts"
            " that learned without the balance in their loss, and {one:.3f} with one part that learned as long and is"
            " as wide as two of them:",
            one=found["one"]["bits"],
            even=found["balanced"]["bits"],
            alone=found["alone"]["bits"],
        )
    else:
        yield _(
            "On lines of this text that were kept back a token costs {even:.3f} bits with these experts, in the net"
            " as it was {before:.3f}.",
            even=found["balanced"]["bits"],
            before=found["before"]["bits"],
        )
    yield fr.Formula(
        r"L = -\ln p + 0.02\, n \sum_i f_i P_i, \qquad f_i \text{ the share of choices, } P_i \text{ the mean weight}"
    )
    yield fr.Note(
        "The balance n Σ f P is 1 where all experts get as much, and n where one gets everything. The rest of the"
        " net is the shipped small Transformer and did not learn on; experts of a net this small share out letters"
        " and pieces, not subjects."
    )


def load(used_N: np.ndarray, found: Mapping[str, Any]) -> fr.Rows:
    """How much each expert gets, of the typed text and of unseen novels, and which tokens most."""
    even, alone = found["balanced"], found.get("alone")
    shares = {"of this text": used_N, "of unseen text": even["load"]}
    if alone:
        shares["learned without balance"] = alone["load"]
    rows = [
        {
            "": FACULTY[n],
            **{name: float(of_N[n]) for name, of_N in shares.items()},
            "what it is given most": " ".join(theme.visible(t) for t in even["tokens"][n]),
        }
        for n in range(experts.EXPERTS)
    ]
    return fr.Rows(rows, dict.fromkeys(shares, fr.SHARE), widths={"": 110})


# ------------------------------------------------------------------ one table for both ends

TYING: Mapping[str, Any] = {
    "units": 64,
    "width": 64,
    "tokenizer": "bpe",
    "vocabulary": 1000,
    "steps": 200,
    "rate": 0.01,
}


@fr.part("One table for both ends")
def tying(
    model: Model[object],
    w_words: int = fr.number("Vocabulary V", 16, 500_000, 10_000, 1_000),
    w_wide: int = fr.number("Numbers in a vector, D", 4, 16_384, 512, 8),
    w_start: bool = fr.start("Train an LSTM both ways", ()),
) -> fr.Blocks:
    yield (
        "A net reads each token as a vector, a row of one table, and its output compares what it has made of the text"
        " with a row for each token that may come next. **Weight tying** makes one table of these two: it saves V · D"
        " numbers. The price: what the last layer gives has to be as wide as a vector, and a token has to look the"
        " same at both ends."
    )
    yield _(
        "With V = {v:,} and D = {d:,} it saves **{saved:,}** numbers, {size:.3g} MB in float32. {own}",
        v=w_words,
        d=w_wide,
        saved=w_words * w_wide,
        size=4 * w_words * w_wide / 1e6,
        own=tell_tables(net_of(model)),
    )
    if not w_start:
        yield fr.Note("Two trainings of 200 steps each: half a minute on a free computer.")
        return
    yield from train_both()


def train_both() -> fr.Blocks:
    """The same LSTM with two tables and with one."""
    found = {}
    for tied in (False, True):
        told = _("Training with one table") if tied else _("Training with two tables")
        found[tied] = yield from small_net.trained(told, **TYING, tied=tied)
    two, one = found[False], found[True]
    losses = {
        name: (range(1, len(of.loss) + 1), small_net.smooth(of.loss))
        for name, of in (("two tables", two), ("one table", one))
    }
    yield fr.curves("tying", "Loss in training", losses, "step", "nats a token")
    yield _(
        "LSTM of {units} units: with two tables {many:,} numbers and {loss:.3f} nats a token on text that it has not"
        " read, with one {few:,} and {tied:.3f}.",
        units=TYING["units"],
        many=two.parameters,
        loss=two.held,
        few=one.parameters,
        tied=one.held,
    )
    yield fr.Train({**small_net.SIZES, **TYING, "tied": True}, small_net.MODEL, small_net.TEXT)


def tell_tables(model: Net) -> fr.Words:
    """What tying saves in this net, or would."""
    held = {name: p.numel() for name, p in model.net.named_parameters() if name.endswith(".weight")}
    table, out = (held.get(f"{name}.weight", 0) for name in ("embed", "head"))
    out = out or held.get("output.weight", 0)
    if not table:
        return ""
    told = {"n": table, "all": nets.count(model)}
    if not out:
        return _("This net has one table of {n:,} among its {all:,} numbers.", **told)
    if out != table:
        return _(
            "This net has two, of {n:,} and {out:,} among its {all:,} numbers, and these cannot be one: the vectors are"
            " not as wide as the last layer.",
            out=out,
            **told,
        )
    return _("This net has two of {n:,} among its {all:,} numbers: one of them would go.", **told)


# ------------------------------------------------------------------ real models


@fr.part("Bytes of real models")
def sizes(
    billions: float = fr.number("Weights, in billions", 0.001, 2_000.0, 8.0, 0.5, "%g"),
    kind: str = fr.pick("Format", tuple(FORMATS), "Q4_K", width=170),
    memory: int = fr.slider("Memory of the machine, GB", 4, 640, 24, 4),
) -> fr.Blocks:
    each = FORMATS[kind].each(4096)
    yield _(
        "{n:,.4g} billion weights of {each:.4g} bits take **{size:.3g} GB**; in float32 it would be {whole:.3g} GB.",
        n=billions,
        each=each,
        size=gigabytes(billions * 1e9, each),
        whole=gigabytes(billions * 1e9, 32),
    )
    bits = {"float32": 32.0, "float16": 16.0, "8 bits": 8.0, "4 bits": 4.0, kind: each}
    rows = {**REAL, str(_("yours")): int(billions * 1e9)}
    yield fr.Rows(
        [
            {"model": name, "weights": n, **{as_: gigabytes(n, b) for as_, b in bits.items()}}
            for name, n in rows.items()
        ],
        {"weights": fr.WHOLE, **dict.fromkeys(bits, "%.3f")},
    )
    fitting = [name for name, n in rows.items() if gigabytes(n, each) <= memory]
    yield _(
        "GB of the weights alone. Into {memory} GB fit, as {kind}: {names}. A text needs room besides, and all weights"
        " of a mixture of experts have to be there, though a token uses a few of them.",
        memory=memory,
        kind=kind,
        names=", ".join(fitting) or "—",
    )
    largest = memory * 8 / each
    yield _(
        "The largest model that fits has **{n:.3g} billion** weights, in float32 {m:.3g}.",
        n=largest,
        m=memory / 4,
    )


@fr.part("Energy and cost")
def energy(
    billions: float = fr.number("Weights, in billions", 0.001, 2_000.0, 8.0, 0.5, "%g"),
    tokens: float = fr.number(
        "Tokens learned from, in billions", 0.001, 100_000.0, 15_000.0, 100.0, "%g"
    ),
    devices: int = fr.number("Devices", 1, 100_000, 1_024, 1),
    speed: float = fr.slider("Operations a second, in 10¹² (bfloat16)", 10.0, 2_500.0, 990.0, 10.0),
    used: float = fr.slider("Share of these in use", 0.05, 0.9, 0.4, 0.05),
    watts: int = fr.slider("Watts of a device", 50, 1_500, 700, 10),
    overhead: float = fr.slider("kWh of the building for one of a device", 1.0, 2.5, 1.2, 0.05),
    grams: int = fr.slider("Grams of CO₂ a kWh", 0, 1_000, 350, 10),
    price: float = fr.slider("Price of a device for an hour", 0.1, 10.0, 2.5, 0.1),
    reads: float = fr.number("Tokens read in use, in billions", 0.0, 1e9, 1_000.0, 100.0, "%g"),
) -> fr.Blocks:
    yield (
        "A token costs a net of N weights about 2N operations to read, and 6N to learn from: the way back takes"
        " twice the way forward. All the rest is an assumption that you can move; no first value is a claim about a"
        " model."
    )
    by = Machines(devices, speed * 1e12, used, watts, overhead, grams, price)
    n = billions * 1e9
    learn = bytes_and_energy.spend(6 * n * tokens * 1e9, by)
    read = bytes_and_energy.spend(2 * n * reads * 1e9, by)
    yield fr.Formula(
        r"\text{hours} = \frac{6\,N\,D}{\text{devices} \cdot \text{operations/s} \cdot \text{share} \cdot 3600}, \quad"
        r" \text{kWh} = \frac{\text{devices} \cdot \text{watts} \cdot \text{hours} \cdot \text{overhead}}{1000}, \quad"
        r" \text{kg} = \text{kWh} \cdot \frac{\text{g/kWh}}{1000}"
    )
    yield fr.Rows(
        [
            {
                "": what,
                "operations": power(work),
                "hours": plain(one.hours),
                "kWh": plain(one.energy),
                "CO₂, kg": plain(one.carbon),
                "price": plain(one.money),
            }
            for what, work, one in (
                (_("learning"), 6 * n * tokens * 1e9, learn),
                (_("use"), 2 * n * reads * 1e9, read),
            )
        ]
    )
    thousand = bytes_and_energy.spend(2 * n * 1000, by).energy * 1000
    yield _(
        "A thousand tokens read: **{wh:.3g} Wh**. Use has cost as much as learning after {tokens:,.6g} billion tokens:"
        " three times those learned from. A net half as large halves all of it.",
        wh=thousand,
        tokens=3 * tokens,
    )
    yield fr.Note(
        "Reading one token at a time seldom reaches this share: each weight has to be fetched for every token, so that"
        " fewer bits make it faster, too."
    )


def power(x: float) -> str:
    """As 7.2 × 10²³."""
    digits, ten = f"{x:.2e}".split("e")
    return f"{float(digits):g} × 10{str(int(ten)).translate(RAISED)}"


def plain(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


PARTS = (row, by_layer, measure, taught_live, by_hand, mixture, tying, sizes, energy)

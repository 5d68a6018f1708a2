"""What stands below the live pictures: a row of weights there and back, errors by layer, formats and pruning measured,
the bytes of real models, and what computing costs."""

from __future__ import annotations

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.language.message import _
from engine.lessons.smaller import bytes_and_energy, formats, measured, nets
from engine.lessons.smaller.bytes_and_energy import REAL, Machines, gigabytes
from engine.lessons.smaller.formats import FORMATS
from engine.lessons.smaller.nets import HEADS, LAYERS, WEIGHTS, Net
from engine.models.abilities import able
from engine.models.base import Model
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Run
from engine.text import collection

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
    yield fr.Rows([*compare(row_N)], widths={"format": 130})
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
    yield fr.grid(
        "errors",
        "What rounding moves, as a share of the weights' own size",
        off_NF.clip(0, 1),
        ("layer", names),
        ("method", FORMATS),
        Kind.GATE,
        run.title,
        symbol="share moved",
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


@fr.once
def beginning(id: str) -> tuple[str, ...]:
    return tuple(
        line for line in str(collection.find(id).text())[:60_000].splitlines() if line.strip()
    )


@fr.part("Measured", was=("l_numbers", "l_share"))
def measure(
    model: Model[object],
    run: Run,
    of_text: str = fr.pick("Text", texts, "stories", width=260),
    start: bool = fr.start("Measure this net", ("of_text",)),
) -> fr.Blocks:
    yield (
        "What the net pays on a text: bits per token in every format, and with more and more of its weights, heads or"
        " layers left out, those first that count least. A part counts for as much as the loss would change, to first"
        " order, without it. No step of training repairs anything here; with some, more can go."
    )
    if not start:
        yield fr.Note(
            "A small net takes seconds, one of ten million weights a minute or two, SmolLM2 many minutes."
        )
        return
    found = yield from measured.measure(model=net_of(model), lines=beginning(of_text))
    source = _(
        "{run}; {n:,} tokens of {text}", run=run.title, n=found.tokens, text=_(texts({})[of_text])
    )
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


# ------------------------------------------------------------------ real models


@fr.part("Bytes of real models")
def sizes(
    billions: float = fr.number("Weights, in billions", 0.001, 2_000.0, 8.0, 0.5, "%.3f"),
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
    billions: float = fr.number("Weights, in billions", 0.001, 2_000.0, 8.0, 0.5, "%.3f"),
    tokens: float = fr.number(
        "Tokens learned from, in billions", 0.001, 100_000.0, 15_000.0, 100.0, "%.3f"
    ),
    devices: int = fr.number("Devices", 1, 100_000, 1_024, 1),
    speed: float = fr.slider("Operations a second, in 10¹² (bfloat16)", 10.0, 2_500.0, 990.0, 10.0),
    used: float = fr.slider("Share of these in use", 0.05, 0.9, 0.4, 0.05),
    watts: int = fr.slider("Watts of a device", 50, 1_500, 700, 10),
    overhead: float = fr.slider("kWh of the building for one of a device", 1.0, 2.5, 1.2, 0.05),
    grams: int = fr.slider("Grams of CO₂ a kWh", 0, 1_000, 350, 10),
    price: float = fr.slider("Price of a device for an hour", 0.1, 10.0, 2.5, 0.1),
    reads: float = fr.number("Tokens read in use, in billions", 0.0, 1e9, 1_000.0, 100.0, "%.1f"),
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
                "operations": f"{work:.3g}",
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


def plain(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


PARTS = (row, by_layer, measure, sizes, energy)

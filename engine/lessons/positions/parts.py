"""What stands below the live pictures: the words in another order, sinusoidal codes, rotations, biases, texts longer
than those of the training, and all kinds of position in one table.

Shapes    T = places, D = width of a code, K = width of a head, N = heads
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.registry import positions
from engine.core.trace import Kind
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.positions import encodings, extrapolate, orders
from engine.lessons.positions.extrapolate import Curve
from engine.lessons.positions.shown import find_alike
from engine.models.abilities import Attends
from engine.models.transformer import Transformer
from engine.runs.store import Run
from engine.views.base import number as rounded

LONGEST = 60  # tokens that are shuffled: the smallest context of the models, less some
BASES = (2, 10, 100, 1_000, 10_000, 100_000, 500_000)
MOST = 128  # places of a rotation
NEAR = 9  # neighbours whose mean is drawn
EXAMPLE = "The dog bites the man and the man bites the dog"
BIAS = "tokens back", "added to the score"


def begins(given: fr.Others) -> str:
    return str(given["mine"] or EXAMPLE)


def base(first: int = 10_000, **more: Any) -> Any:
    return fr.pick("Base", BASES, first, "{:,}".format, slide=True, **more)


@fr.part("Shuffle the words", was=("shuffle",))
def shuffle(
    runs: Sequence[Run],
    open_run: Callable[[Run], Transformer],
    mine: str,
    text: str = fr.typed("Words", begins, 400, along=True, width=520),
    again: int = fr.again("Shuffle again"),
) -> fr.Blocks:
    yield (
        "Attention is a sum over words, and a sum has no order. Here the words are shuffled, and each"
        " word's result is compared with the original one. **Without positions and without a mask"
        " nothing changes**: the rows only trade places, and their mean stays the same."
    )
    rows, none = list[tuple[str, ...]](), None
    for kind, run in find_alike(runs).items():
        model = open_run(run)
        tokens = model.tokens(text)[: min(LONGEST, model.context or LONGEST)]
        order_T = orders.shuffled(tokens, again)
        if len(tokens) < 3 or (order_T == np.arange(len(order_T))).all():
            raise ValueError("Type two different words or more: there is nothing to shuffle yet.")
        if not rows:
            yield _(
                "In order: **{before}**  \nShuffled: **{after}**",
                before=escaped(orders.spelled(tokens, np.arange(len(order_T)))),
                after=escaped(orders.spelled(tokens, order_T)),
            )
        told = orders.compare(model, text, tokens, order_T)
        none = told if kind == "none" else none
        shares = map(share, (told.moved, told.pooled, told.masked))
        rows.append((positions.get(kind).title, *shares, f"{100 * told.next:.3g} %"))
    yield fr.table(("positions", "words", "their mean", "as it is", "next token"), rows)
    yield fr.Note(
        "Length of the difference as a share of the length of the numbers. Words, their mean: what the"
        " heads of layer 1 read when every token may look at every other. As it is: what the whole"
        " decoder, with its mask, holds at its top; next token: how much of its answer goes elsewhere."
    )
    if none:
        yield _(
            "“Dog bites man” and “man bites dog” would be the same *bag* for a model without positions."
            " But a decoder has a mask, and a mask reveals order: a token that can look back at three"
            " others differs from one that can look back at five. So even without positions {top} changes"
            " at the top of this decoder, and {next:.3g} % of its probability for the next token moves"
            " elsewhere.",
            top=share(none.masked),
            next=100 * none.next,
        )


def share(value: float) -> str:
    return "0 (rounding)" if value < 1e-5 else f"{100 * value:.3g} %"


@fr.part("Waves and clocks", was=("part-same-code", "wave_width", "base", "length", "k"))
def waves(
    wave_width: int = fr.slider("Width D", 2, 128, 32, 2),
    base: int = base(),
    length: int = fr.slider("Places", 8, 256, 64, 8),
    k: int = fr.slider("k, from one place to another", 1, 64, 3),
) -> fr.Blocks:
    width = wave_width + wave_width % 2  # a link may ask for an odd one
    yield fr.Formula(
        r"\mathrm{PE}(p,\,2i)=\sin\!\left(p / \text{base}^{2i/D}\right)\qquad"
        r" \mathrm{PE}(p,\,2i{+}1)=\cos\!\left(p / \text{base}^{2i/D}\right)"
    )
    pe_TD, far = encodings.waves(length, width, base), np.arange(1 - length, length)
    says = "The encoding: one column per position, one row per dimension"
    axes = ("dim", range(width)), ("token", range(length))
    grid = fr.grid("waves", says, pe_TD.T, *axes, Kind.STATE, fluid=True, domain=(-1.0, 1.0))
    says = "Dot product of two positions, by how far apart they are"
    series = {"PE(p) · PE(p + k)": (far, width / 2 * encodings.mean_cosine(far, width, base))}
    yield fr.Beside([[grid], [fr.curves("distance", says, series, "k", "dot product")]])
    angle_TI = np.arange(length + k)[:, None] * encodings.speeds(width, base)
    exact_TD = np.stack([np.sin(angle_TI), np.cos(angle_TI)], -1).reshape(-1, width)
    off = exact_TD[:length] @ encodings.shift(k, width, base).T - exact_TD[k:]
    told = {"k": k, "count": length, "off": rounded(float(np.abs(off).max()))}
    yield _(
        "**From place p to p + {k}** the same matrix works for every p: PE(p + k) = M_k PE(p), where M_k"
        " rotates pair i by the angle k ω_i. Over these {count} positions both sides differ by at most"
        " {off}. So PE(p) · PE(p + {k}) = **{product:.6g}** for any p: the sum of cos(k ω_i) over the"
        " pairs.",
        product=width / 2 * float(encodings.mean_cosine(np.array(k), width, base)),
        **told,
    )
    yield (
        "**No two places have the same code**, however many there are: the first wave turns by 1 radian a place,"
        " and as π is irrational no number of places makes whole turns. In a number format with few digits they"
        " may: in float16, with two numbers in a code, places 5 and 715 are equal."
    )


CASES = {
    "q = (1, 0)(1, 0), k = (0, 1)(1, 1)": ([1, 0, 1, 0], [0, 1, 1, 1]),
    "q = k = (1, 0)(1, 0)": ([1, 0, 1, 0], [1, 0, 1, 0]),
    "q = k, 12 pairs as in the model above": ([1, 0] * 12, [1, 0] * 12),
    "q = k, 64 pairs as in Llama": ([1, 0] * 64, [1, 0] * 64),
}


@fr.part("Rotations", was=("qk", "pq", "pk", "by", "rbase"))
def rotate(
    qk: str = fr.pick("Query and key, pair by pair", [*CASES], width=320),
    pq: int = fr.slider("Place of the query", 0, MOST, 5),
    pk: int = fr.slider("Place of the key", 0, MOST, 3),
    by: int = fr.slider("Shift both by", 0, MOST, 7),
    rbase: int = base(help="Llama 3 takes 500,000: slower hands for longer texts."),
) -> fr.Blocks:
    q, k = (np.array(x, float) for x in CASES[qk])
    yield fr.Formula(
        r"\begin{pmatrix} a' \\ b' \end{pmatrix} = \begin{pmatrix} \cos p\,\theta_i & -\sin p\,\theta_i"
        r" \\ \sin p\,\theta_i & \cos p\,\theta_i \end{pmatrix}"
        r"\begin{pmatrix} a \\ b \end{pmatrix}\qquad \theta_i = \text{base}^{-2i/K}"
    )
    turned = [rotate_pairs(x, at, rbase) for x, at in ((q, pq), (k, pk))]
    score = float((turned[0] * turned[1]).sum())
    moved = float((rotate_pairs(q, pq + by, rbase) * rotate_pairs(k, pk + by, rbase)).sum())
    speeds = encodings.speeds(len(q), rbase)
    rows = [
        (i, *(f"{np.degrees(at * w):.4g}°" for at in (pq, pk)), *map(pair, (a, b)), float(a @ b))
        for i, (w, a, b) in enumerate(zip(speeds, *turned, strict=True))
    ]
    heads = "pair", "query turns", "key turns", "query", "key", "adds"
    of = {"at_q": pq, "at_k": pk, "by": by, "score": score, "moved": moved, "plain": float(q @ k)}
    said = _(
        "Score at places {at_q} and {at_k}: **{score:.6f}**. Both {by} later: **{moved:.6f}**, the same up"
        " to {off}. Without turning: {plain:g}. A rotation leaves all lengths unchanged.",
        off=rounded(max(abs(score - moved), 1e-16)),
        **of,
    )
    far = range(MOST + 1)
    at_far = [float((rotate_pairs(q, d, rbase) * rotate_pairs(k, 0, rbase)).sum()) for d in far]
    title = "Score against the distance, the same at every place"
    chart = fr.curves("turned", title, {"score": (far, at_far)}, "distance", "score")
    table = fr.table(heads, rows, tall=330, forms={"adds": "%.4f"})
    yield fr.Beside([[table, said], [chart]], (6, 5))
    yield (
        "RoPE rotates **queries and keys, in every layer, before they are compared**. It does not touch"
        " the token embeddings or the values, so the values carry no position. In the paper a pair is"
        " two neighbouring dimensions, as written here; in Llama, and in the model above, dimension i"
        " goes with i + K/2. With the weights in matching order both give the same scores."
    )


def rotate_pairs(x_K: np.ndarray, place: float, base: float) -> np.ndarray:
    """(K/2, 2): the pairs of a vector, neighbouring dimensions, turned by their place."""
    half = np.concatenate([x_K[0::2], x_K[1::2]])[None]
    return encodings.turned(half, np.array([place]), base).reshape(2, -1).T


def pair(x_2: np.ndarray) -> str:
    return f"({x_2[0]:.3f}, {x_2[1]:.3f})"


@fr.part("Biases and tables", was=("bias_heads", "bias_tokens", "buckets", "reach", "stokens"))
def biases(
    t5: Transformer | None = fr.shipped("transformer_t5"),
    small: Transformer | None = fr.shipped("transformer_learned"),
    bert: Attends[Any] | None = fr.shipped("bert"),
    *,
    bias_heads: int = fr.slider("Heads", 1, 16, 8),
    buckets: int = fr.slider("Buckets", 8, 64, 32, 4),
    farthest: int = fr.slider("Last bucket from", 64, 256, 128, 16),
) -> fr.Blocks:
    if t5 is None or small is None:
        raise ValueError("The small models of these positions are not here. `make zoo` makes them.")
    yield "**ALiBi**: each head loses a fixed amount per token of distance. Nothing is learned."
    yield fr.Formula(r"s(q,k) - m_h\,|q-k| \qquad m_h = 2^{-8h/H}")
    yield fr.Controls(("bias_heads",))
    m_N, back = encodings.slopes(bias_heads), np.arange(33)
    series = {_("head {h}", h=h): (back, -m * back) for h, m in enumerate(m_N, 1)}
    yield fr.curves("alibi", "What ALiBi adds to the score", series, *BIAS)
    yield _(
        "Slopes of the heads: {slopes}. A token that costs 8 gets e⁻⁸ = 0.03 % of the weight it would have"
        " next door.",
        slopes=", ".join(f"{m:.4g}" for m in m_N),
    )
    yield (
        "**T5**: one learned number per head and *bucket* of distances. Near distances have a bucket"
        " each, far ones share."
    )
    yield fr.Controls(("buckets", "farthest"))
    says = "The bucket of each distance: a staircase with ever wider steps"
    steps_T = encodings.buckets(-np.arange(181), False, buckets, farthest)
    stairs = fr.curves("buckets", says, {"bucket": (range(181), steps_T)}, BIAS[0], "bucket")
    bias_NT, title = encodings.by_distance(t5, 129), "The T5 bias that the small model has learned"
    assert bias_NT is not None
    series = {_("head {h}", h=h): (np.arange(129), of) for h, of in enumerate(bias_NT, 1)}
    learned = fr.curves("t5", title, series, *BIAS, source="transformer_t5")
    yield fr.Beside([[stairs], [learned]])
    used, span = encodings.buckets(-np.arange(129), False), int(t5.config.span)
    yield _(
        "Distances from {new} on fall into buckets that no training text of {span} tokens reaches: their"
        " numbers are nearly what they were before training, close to 0.",
        new=int(np.argmax(used > used[span - 1])),
        span=span,
    )
    yield (
        "**Shaw**: a learned vector for each distance, cut off at a reach; the query is compared with"
        " it. Near distances are exact, far ones are just “far”: all beyond the reach share one vector."
        " Our model has a reach of 16."
    )
    yield fr.Formula(
        r"s(q,k) = \frac{x_q W^Q \cdot (x_k W^K + a_{\mathrm{clip}(k-q)})}{\sqrt{d_k}}"
    )
    yield (
        "**Learned**: a table with a row per place. BERT's has 512 rows of 768 numbers, 393,216"
        " parameters, and no row 513."
    )
    tables = {"small model": cosines(small)} | ({"BERT": cosines(bert)} if bert else {})
    n = len(tables["small model"])
    far = np.arange(1, n - 4)
    series = {of: (far, [float(np.diagonal(x, d).mean()) for d in far]) for of, x in tables.items()}
    series["sinusoidal"] = far, encodings.mean_cosine(far, small.config.width)
    title, source = "Cosine of every two rows of the small model's table", "transformer_learned"
    axes = ("query", range(n)), ("key", range(n))
    more: dict[str, Any] = {"source": source, "fluid": True}
    grid = fr.grid("table", title, tables["small model"], *axes, Kind.COSINE, **more)
    title = "Mean cosine of two places, by how far apart they are"
    curves = fr.curves("learned_by", title, series, "places apart", "cosine", source=source)
    yield fr.Beside([[grid], [curves]])
    yield _(
        "The model was never told that position 7 is next to position 8. Neighbouring rows have a cosine"
        " of {near:.2f} on average, rows 20 apart {far:.2f}. A learned table is not the same along a"
        " diagonal: it knows single places, and distances only as far as the text taught them.",
        near=float(np.diagonal(tables["small model"], 1).mean()),
        far=float(np.diagonal(tables["small model"], 20).mean()),
    )


def cosines(model: Attends[Any]) -> np.ndarray:
    """(T, T) of the rows of a learned table."""
    rows_TD = encodings.added(model, 10**6)
    assert rows_TD is not None
    unit_TD = rows_TD / np.linalg.norm(rows_TD, axis=1, keepdims=True)
    return np.clip(unit_TD @ unit_TD.T, -1, 1)


def kinds(given: fr.Others) -> dict[str, str]:
    return {kind: positions.get(kind).title for kind in positions.listed()}


@fr.part("Longer than trained", was=("kinds",))
def beyond(kinds: Sequence[str] = fr.several("Positions", kinds, kinds)) -> fr.Blocks:
    if (found := extrapolate.shipped()) is None:
        raise ValueError(
            "The measurements are not here. Make them with `python -m engine extrapolate --text FILE"
            " --out assets/positions.json`."
        )
    t, length = found.trained, extrapolate.LENGTH
    of: dict[str, Any] = {"trained": t, "length": length, "place": 2 * t + 1}
    yield _(
        "Seven small decoders differ only in their kind of position: same text, same seed, {steps:,} steps,"
        " never more than **{trained} tokens** at once. Here each reads {n:,} held-out stretches of"
        " {length} tokens. Lower is better; watch what happens after position {trained}.",
        steps=found.steps,
        n=found.stretches,
        **of,
    )
    picked = [curve for kind in kinds if (curve := found.find(kind))]
    if not picked:
        raise ValueError("Choose a kind of position above.")
    heads = (
        _("{t} to {t_2}", t=t // 2 + 1, t_2=t),
        _("{t} to {t_2}", t=t + 1, t_2=2 * t),
        _("{t} to {length}", t=2 * t + 1, length=length),
    )
    rows = [(named(c), *map(bits, found.means(c))) for c in picked]
    note = fr.Note(
        "Mean bits per token. The curve shows the mean of 9 neighbouring places. Each was trained once;"
        " small differences may change with another seed."
    )
    chart = lines("beyond", "Surprisal at each place, and where the training ended", picked, t)
    yield fr.Beside([[chart], [fr.table(("positions", *heads), rows), note]], (3, 2))
    yield verdict(found)
    yield _(
        "**Position interpolation**: compress the longer text into the positions that the model knows."
        " p′ = p · L_train / L_new; then every place lies within the trained length. × {by:g}: places times"
        " {trained} / {length}.",
        by=t / length,
        **of,
    )
    pressed = [c for c in found.curves if c.stretch != 1 or c.kind == "rope"]
    yield lines("stretched", "With compressed positions", pressed, t)
    whole, flat, again = (found.find("rope", *how) for how in ((), (True,), (True, True)))
    if whole and flat and again:
        (inside, _next, far), (_in, _next, pressed_far) = found.means(whole), found.means(flat)
        yield _(
            "RoPE as trained has {inside:.2f} bits in the second half of its trained places and {far:.2f} from"
            " place {place} on. Interpolated, without more training, it has {flat:.2f} there: neighbours are"
            " now a quarter of a place apart, which the model has never seen. After {more} more steps on"
            " stretches of {length} tokens it has {again:.2f}. That is how context windows of large models"
            " are made longer.",
            **{**of, "inside": inside, "far": far, "flat": pressed_far, "more": again.more},
            again=found.means(again)[2],
        )


def verdict(found: extrapolate.Results) -> str:
    """Who stays within 0.1 bits of its trained places, who does not, and who can't be asked."""
    groups: dict[str, list[str]] = {"stay": [], "lose": [], "none": []}
    for c in found.curves:
        if c.stretch == 1:
            inside, _next, far = found.means(c)
            kind = "none" if np.isnan(far) else "stay" if far < inside + 0.1 else "lose"
            groups[kind].append(f"{named(c)} ({signed(far - inside)})" if far == far else named(c))
    return _(
        "From place {place} on, against the second half of the trained places, in bits: **within 0.1 bits or"
        " better** are {stay}; **worse** {lose}. {none}: the table has {trained} rows and none for the next"
        " position. Sinusoidal positions and RoPE *exist* at every place, but the weights were never"
        " trained on the new ones, and neither were T5's far buckets.",
        place=2 * found.trained + 1,
        trained=found.trained,
        **{kind: ", ".join(names) or "none" for kind, names in groups.items()},
    )


def bits(value: float) -> str:
    return "no row" if np.isnan(value) else f"{value:.2f}"


def named(c: Curve) -> str:
    more = _(", {more} more steps", more=c.more) if c.more else ""
    return positions.get(c.kind).title + (f" × {c.stretch:g}" if c.stretch != 1 else "") + more


def signed(bits: float) -> str:
    return f"{bits:+.2f}".replace("-", "−")


def lines(name: str, says: str, picked: Sequence[Curve], trained: int) -> fr.Chart:
    smooth = {named(c): extrapolate.smooth(np.array(c.bits), NEAR) for c in picked}
    every = np.concatenate([*smooth.values()])
    series = {of: (np.arange(1.0, len(bits) + 1), bits) for of, bits in smooth.items()}
    series["end of training"] = np.full(2, trained + 0.5), np.array([every.min(), every.max()])
    return fr.curves(name, says, series, "place in the text", "bits per token")


@fr.part("Side by side")
def side_by_side() -> fr.Blocks:
    yield fr.Rows(facts())
    yield fr.Note(
        "Numbers to learn: of our models with width 96, 4 heads and 64 learned places. Bits beyond: mean"
        " bits per token from twice the trained length on, less those of the second half of the trained"
        " length; small models, one training each."
    )
    yield (
        "- **Fixed or learned?** The paper of 2017 found sinusoidal and learned positions “nearly"
        " identical” in quality. A table needs data for each of its rows.\n- **Added or in the scores?** A"
        " position that is added enters once, and travels through all layers mixed with the word. A"
        " position in the scores enters in every layer and leaves the values free of it.\n- **Cost.** Added"
        " vectors cost one sum. RoPE turns two vectors a head and layer. A bias needs a number for each"
        " pair of tokens, as scores do.\n- **Order from a mask.** A decoder without positions is not blind:"
        " see *Shuffle the words*. An encoder is."
    )


def facts() -> list[dict[str, str]]:
    found, table = extrapolate.shipped(), []
    for kind in positions.listed():
        told, curve = positions.get(kind), found and found.find(kind)
        gone = ""
        if found and curve:
            inside, _far, beyond = found.means(curve)
            gone = "no row" if np.isnan(beyond) else signed(beyond - inside)
        learned = told.learned + (f" = {curve.placed:,}" if curve and curve.placed else "")
        table.append(
            {
                "positions": told.title,
                "where": told.where,
                "tells": told.tells,
                "numbers to learn": learned,
                "at any place": told.anywhere,
                "bits beyond": gone,
                "used by": told.used_by,
            }
        )
    return table


PARTS = (shuffle, waves, rotate, biases, beyond, side_by_side)

"""What stands below the live pictures: norms, what length and size cost, who mixes tokens, a dialogue in a window.

Shapes    L = layers, T = tokens, D = width, F = inner width
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.tap import Edit, How
from engine.core.trace import Kind
from engine.language.markdown import escaped
from engine.language.message import _
from engine.language.numbers import figures
from engine.lessons.transformer import depth, dialogue, scale
from engine.lessons.transformer import sizes as formulas
from engine.models.abilities import Attends
from engine.models.base import Model
from engine.runs.store import Run

LONGEST = 300
LENGTHS = (128, 512, 1024, 2048, 4096)
WIDTHS = (64, 128, 256, 512, 768, 1024, 2048, 4096)
WORDS = 5  # that the two schedules read
SIZES = 10 ** np.linspace(6, 13, 29)
OWN = "my own sizes"
TEXT = """You are a friendly assistant at a doctor's. Keep your answers short.
I have a cough, and I would like to see a doctor on Monday morning.
Doctor Brown is free on Monday at nine.
Good. Should I bring anything?
Please bring your card.
What about next Tuesday instead?"""
WAYS: dict[dialogue.Way, str] = {
    "tokens": "oldest tokens",
    "turns": "oldest turns",
    "first": "oldest turns but the first",
}


def begins(given: fr.Others) -> str:
    """What the reader has typed on another page, or the lesson's example."""
    return str(given["mine"] or given["lesson"].example)


gradients = fr.once(depth.gradients)


@fr.part("Norm and depth")
def norms(
    blocks: int = fr.slider("Blocks", 2, 48, 24),
    draw: int = fr.number("Seed of the random weights", 0, 9999, 0),
) -> fr.Blocks:
    yield (
        "Training sends the error back through all blocks. Below, stacks of feed-forward blocks"
        " with fresh random weights (width 64, 32 random inputs): how large is the gradient of"
        " each block's weights? Nothing is trained; torch computes the gradients when you move"
        " the slider."
    )
    found = {kind: gradients(kind, blocks, seed=draw) for kind in depth.KINDS}
    yield fr.curves(
        "gradients",
        "Gradient of each block's weights, first block at the left",
        {depth.KINDS[kind]: (range(1, len(g) + 1), g) for kind, g in found.items()},
        "block",
        "norm of the gradient",
        "Random feed-forward blocks of width 64",
        log_y=True,
        whole=True,
        every=True,
    )
    reaches = {kind: float(g[0] / g[-1]) for kind, g in found.items()}
    yield _(
        "With neither, block 1 gets **{bare}** of the gradient of the last block. With norm and"
        " residual connection it is **{before}** times that of the last block where the norm comes"
        " first, and **{after}** times where it comes after.",
        **reaches,
    )
    yield (
        "The 2017 paper put the norm after each block. Norm first has since proved more stable:"
        " it needs no learning-rate warm-up, and a stack with the norm after each block can"
        " fail to train without one (Xiong et al., 2020). Norm first needs one more norm at the"
        " end, before the output weights."
    )
    yield fr.Link("cures", "A norm by hand", {"panel": "part-layer-norm-and-batch-norm"})


@fr.part("Time and memory", was=("cost_tokens", "cost_width"))
def costs(
    cost_tokens: int = fr.slider("Tokens n", 16, 32_768, 1024, 16),
    cost_width: int = fr.pick("Width d", WIDTHS, 512, slide=True),
    cost_heads: int = fr.slider("Heads", 1, 96, 12),
) -> fr.Blocks:
    yield (
        "Scores and readings grow with n², 4n²d; projections 8nd² and feed-forward 16nd² with n. If"
        " all weights are stored, twice the text needs four times the memory; kernels that never"
        " store them (FlashAttention) need memory that grows with n."
    )
    yield fr.Rows(
        [
            {
                "tokens n": f"{n:,}",
                **{
                    part: f"{ops / 1e9:.3f}"
                    for part, ops in formulas.operations(n, cost_width).items()
                },
                "weights of one layer": size(formulas.weights_bytes(n, cost_heads)),
            }
            for n in sorted({*LENGTHS, cost_tokens})
        ]
    )
    yield fr.Note(
        _(
            "Billions of multiplications and additions in one layer, and its weights in 16 bits."
            " The parts are equal at n = 2d = {two:,} and n = 4d = {four:,}: for shorter texts the"
            " quadratic part is not the largest cost.",
            two=2 * cost_width,
            four=4 * cost_width,
        )
    )


def size(count: int) -> str:
    mib = count / formulas.MIB
    return f"{mib / 1024:,.1f} GiB" if mib >= 100 * 1024 else f"{figures(mib)} MiB"


@fr.part("Paths", was=("path_tokens", "width", "ready", "ticks", "layers"))
def paths(
    hops: int = fr.slider("Words from one to the other", 1, 120, 16),
    path_tokens: int = fr.slider("Tokens n", 8, 8192, 512, 8),
    width: int = fr.slider("Width d", 32, 4096, 512, 32),
    k: int = fr.slider("Width of the convolution k", 2, 15, 3),
    *,
    layers: int = fr.slider("Layers", 1, 12, 2),
    workers: int = fr.slider(
        "Processors in parallel", lambda o: o["layers"], 64, lambda o: max(o["layers"], 16)
    ),
) -> fr.Blocks:
    yield (
        "“The woman who bought the red car that was parked near the old building on Main Street"
        " drove to work”: from “woman” to “drove” it is 16 words. A recurrent net hands the first"
        " on, a step a word; attention looks there at once, though the softmax divides a weight of"
        " 1 among all words; a convolution needs a stack of layers."
    )
    yield fr.Rows(
        [
            {
                "layer": way.name,
                "operations": _(
                    "{operations:,.3f} billion", operations=way.operations / 1000000000.0
                ),
                "steps that wait for each other": f"{way.steps:,}",
                f"layers or steps across {hops} words": f"{way.hops:,}",
            }
            for way in formulas.ways(path_tokens, width, k, hops)
        ]
    )
    n_X = np.geomspace(8, 8192, 21)
    yield fr.curves(
        "operations",
        "Operations of one layer: the lines cross where n = d",
        {
            "recurrent, 4nd²": (n_X, 4 * n_X * width**2),
            "attention over pairs, 4n²d": (n_X, 4 * n_X**2 * width),
        },
        "tokens n",
        "operations",
        _("Width d = {width:,}", width=width),
        log_x=True,
        log_y=True,
        tight=False,
    )
    yield "##### One word after the other, or all at once"
    yield fr.Controls(["layers", "workers"])
    yield from ready(layers, workers)


def ready(layers: int, workers: int) -> fr.Blocks:
    """When each word is done: recurrent, and with attention."""
    recurrent, attention = scale.steps(WORDS, layers, workers)
    ticks = range(max(recurrent, attention) + 1)
    done_K2 = np.stack([scale.find_ready(WORDS, tick, layers, workers) for tick in ticks]).sum(2)
    yield fr.curves(
        "ready",
        "Words that have passed all layers, tick by tick",
        {
            "recurrent, one after the other": (ticks, done_K2[:, 0]),
            "attention, all at once": (ticks, done_K2[:, 1]),
        },
        "ticks",
        "words done",
        _(
            "{words} words, {layers} layers, {workers} processors; a tick is one layer's"
            " work on one word",
            words=WORDS,
            layers=layers,
            workers=workers,
        ),
        whole=True,
    )
    yield _(
        "A recurrent net needs the state of the word before: **{recurrent} ticks** for {n} words in"
        " {layers} {layers|layer|layers}, however many processors there are. Attention has no such"
        " wait inside a layer: **{attention} ticks** with {workers} processors. The same holds in"
        " training, where the whole text is known. When a model *writes*, both go word by word, as"
        " each new word has to be chosen first.",
        recurrent=recurrent,
        n=WORDS,
        layers=layers,
        attention=attention,
        workers=workers,
    )


@fr.part("Who mixes tokens", was=("part-similar-tokens",))
def mixing(
    model: Attends[Any],
    lesson: Any,
    mine: str,
    mix: str = fr.typed("Text", begins, LONGEST, live=True),
    mix_layer: int = fr.slider("Layer", 1, lambda o: o["model"].tower.design.layers, 1),
    token: int = fr.slider("Token", 1, 60, 4),
) -> fr.Blocks:
    yield (
        "Attention lets a token read others; the feed-forward block sees one token at a time."
        " Try it: set half of one token's numbers to 0 at the input of a block, and see which"
        " outputs move."
    )
    # of a long text its end, as much as the model looks back over
    trace = model.trace(mix, fields=("feed_forward.activation",))
    if len(trace.tokens) < 2:
        raise ValueError("Type at least one word.")
    at = min(token, len(trace.tokens) - 1)
    moves_2T = moved(model, mix, mix_layer - 1, at)
    yield fr.grid(
        "moved",
        "How far each output moves, relative to its length, when half of one token's numbers are"
        " set to 0",
        moves_2T.astype(np.float32),
        ("label", ("attention", "feed-forward")),
        ("token", trace.tokens),
        Kind.STATE,
        _("layer {mix_layer}; disturbed: token {at}", mix_layer=mix_layer, at=at),
        mix,
    )
    others_2T = np.delete(moves_2T, at, 1) > 0
    yield _(
        "Feed-forward: of the other {n} tokens **{alone}** move. Attention: **{many}** of them"
        " move: {who}.",
        n=others_2T.shape[1],
        alone=int(others_2T[1].sum()),
        many=int(others_2T[0].sum()),
        who=_(
            "those after it, which can look back at it" if model.causal else "all that look at it"
        ),
    )
    yield "##### How many feed-forward units are active?"
    yield fr.Rows(
        [
            active(n, act_TF)
            for n, act_TF in enumerate(trace.field("feed_forward.activation").values)
        ]
    )
    yield (
        "ReLU would make every negative number 0. GELU leaves a little of small negative numbers, so"
        " hardly any is exactly 0; SwiGLU multiplies by a smooth gate and has no zeros either."
    )
    yield _(
        "Without these non-linearities, do the layers collapse to one linear map? They do not:"
        " softmax and norm are not linear. With the feed-forward parts switched off, doubling"
        " all embeddings should double the stream if the rest were linear; here it misses that"
        " by **{bent} %** of its length.",
        bent=100 * bent(model, mix),
    )


def moved(model: Attends[Any], text: str, layer: int, token: int) -> np.ndarray:
    """Relative change (2, T) of the attention and the feed-forward output of a layer when half of
    what it reads of one token shown is 0."""
    names = ("attention.output", "feed_forward.output")
    design = model.tower.design
    reads = ("residual.before", "residual.before" if design.parallel else "residual.middle")
    plain = model.trace(text, fields=names)
    moves = []
    for name, source in zip(names, reads, strict=True):
        half = Edit(
            source, {"layer": layer, "token": plain.offset + token, "unit": (0, design.width // 2)}
        )
        edited = model.trace(text, (half,), fields=names)
        a, b = (t.field(name).values[layer].astype(float) for t in (plain, edited))
        moves.append(np.linalg.norm(b - a, axis=-1) / np.maximum(np.linalg.norm(a, axis=-1), 1e-12))
    return np.stack(moves)


def active(layer: int, act_TF: np.ndarray) -> dict[str, Any]:
    """Of one layer: how many units are silent, and what the strongest carry."""
    squares = np.sort(act_TF.astype(float) ** 2, axis=-1)[:, ::-1]
    tenth = squares[:, : max(1, squares.shape[1] // 10)].sum() / max(squares.sum(), 1e-12)
    shares = {
        "above 0": (act_TF > 0).mean(),
        "within ±0.01": (np.abs(act_TF) < 0.01).mean(),
        "exactly 0": (act_TF == 0).mean(),
        "the strongest tenth carries": tenth,
    }
    return {"layer": layer + 1} | {name: f"{100 * one:.0f} %" for name, one in shares.items()}


def bent(model: Attends[Any], text: str) -> float:
    """How far the stream without feed-forward parts is from doubling when its start is doubled,
    relative to the doubled one."""
    off = Edit("feed_forward.output", {})
    twice = (off, Edit("residual.before", {"layer": 0}, 2.0, How.SCALE))
    a, b = (
        model.trace(text, edits, fields=("residual",)).field("residual").values[-1].astype(float)
        for edits in ((off,), twice)
    )
    return float(np.linalg.norm(b - 2 * a) / np.linalg.norm(2 * a))


@fr.part("Parameters", was=("sizes", "tied"))
def parameters(
    model: Attends[Any],
    run: Run,
    sizes: str = fr.pick("Sizes of", [*scale.NAMED, OWN], "GPT-2 small", few=True),
    tied: bool = fr.switch(
        "Output tied to the embedding", True, "The output weights are the embedding table itself."
    ),
    *,
    own_layers: int = fr.number("Layers", 1, 200, 4),
    own_width: int = fr.number("Width", 8, 20_000, 192),
    own_vocabulary: int = fr.number("Vocabulary", 16, 300_000, 4096),
    own_places: int = fr.number("Places", 0, 131_072, 256),
) -> fr.Blocks:
    yield (
        "Counted from layers L, width d, vocabulary V and places P: Vd + Pd + L(12d² + 13d) + 2d,"
        " and Vd more where the output is not tied to the embeddings (GPT-1 has no last norm)."
    )
    of = scale.NAMED.get(sizes) or scale.Size(
        OWN, own_layers, own_width, own_vocabulary, own_places
    )
    if sizes == OWN:
        yield fr.Controls(["own_layers", "own_width", "own_vocabulary", "own_places"])
    found = of.parts(tied)
    whole = sum(found.values())
    yield fr.table(
        ("part", "parameters", "share"),
        [(part, f"{count:,}", f"{100 * count / whole:.1f} %") for part, count in found.items()]
        + [("together", f"{whole:,}", "")],
    )
    yield _(
        "Tying saves V·d = {saved:,}. {run}, the model above, has {mine:,} parameters.",
        saved=of.vocabulary * of.width,
        run=run.title,
        mine=sum(p.numel() for p in model.net.parameters()),
    )
    yield fr.Section("The GPT series", [fr.Rows(scale.series())])
    yield fr.Note(
        "The size of GPT-4 (2023) was never published, so it is not in the table. GPT-3 alternates"
        " dense layers with layers that look at near words only; its count stays the same."
    )


@fr.part("What size buys", was=("power", "in_a_row", "laws", "skills", "sizes"))
def laws(
    power: float = fr.slider("Parameters, as a power of ten", 6.0, 13.0, 9.0, 0.1),
    in_a_row: int = fr.slider("Tokens that must all be right", 1, 64, 16),
) -> fr.Blocks:
    loss, double = (scale.loss_by_parameters(n * 10**power) for n in (1, 2))
    yield _(
        "With {size:,.0f} parameters the law predicts **{loss:.2f} nats** per token (perplexity"
        " {perplexity:.1f}). With twice as many it predicts {double:.2f}: always **{times:.3f}**"
        " times the loss. Halving the loss takes {half:,.0f} times the parameters. The laws were"
        " fitted to one family of models; outside the measured range they are a guess.",
        size=10**power,
        loss=loss,
        perplexity=math.exp(loss),
        double=double,
        times=double / loss,
        half=2 ** (1 / 0.076),
    )
    kaplan = fr.curves(
        "laws",
        "Loss by size, as Kaplan et al. fitted it in 2020",
        {
            "by parameters N": (SIZES, map(scale.loss_by_parameters, SIZES)),
            "by training tokens D": (SIZES, map(scale.loss_by_tokens, SIZES)),
        },
        "parameters N, or training tokens D",
        "nats per token",
        "L(N) = (8.8e13 / N)^0.076, L(D) = (5.4e13 / D)^0.095",
        log_x=True,
        log_y=True,
        tight=False,
    )
    one = np.array([np.exp(-scale.loss_by_parameters(n)) for n in SIZES])
    row = one**in_a_row
    right = fr.curves(
        "skills",
        "The same smooth law, scored in two ways",
        {
            "one token": (SIZES, one / one[-1] * 100),
            f"{in_a_row} in a row": (SIZES, row / row[-1] * 100),
        },
        "parameters N",
        "chance to be right, with 10¹³ parameters = 100",
        "Chance of a right token: e to the power of minus the loss",
        log_x=True,
        tight=False,
    )
    yield fr.Beside([[kaplan], [right]])
    yield _(
        "Some skills seem to appear suddenly as models grow. Part of this comes from how they"
        " are scored: if an answer is right only when every token is, a chance that grows"
        " smoothly for one token stays near nothing for {n} in a row and then seems to"
        " jump. Whether anything else is sudden is disputed.",
        n=in_a_row,
    )


@fr.part("A dialogue in a window", was=("turns", "dialogue", "fits", "so_far", "goes"))
def window(
    model: Model[Any],
    turns: str = fr.typed("Turns, one a line", TEXT, 4_000, tall=170),
    *,
    fits: int = fr.slider("Tokens that fit", 8, 256, 48),
    goes: dialogue.Way = fr.pick("What goes first", WAYS, few=True),
) -> fr.Blocks:
    yield (
        "A chatbot remembers nothing between two answers. All turns so far are sent again each time,"
        " and what does not fit in the window is not read. Move the window, and read what “instead”"
        " can still refer to."
    )
    lines = [turn.strip() for turn in turns.splitlines() if turn.strip()]
    if not lines:
        raise ValueError("Type a few turns.")
    yield fr.Controls(["fits", "goes"])
    tokens = model.tokens("\n".join(lines))
    own = dialogue.places(tokens, lines)
    read = dialogue.count_kept([len(one) for one in own], fits, goes)
    yield _(
        "**{read:,} of {whole:,} tokens** are read. Turns that have fallen out: {lost:,} of {n:,}.",
        read=sum(read),
        whole=sum(map(len, own)),
        lost=read.count(0),
        n=len(lines),
    )
    parts = dialogue.parts(tokens, lines, own, read)
    struck = [f":red-background[~~{escaped(gone)}~~] " if gone else "" for gone, __ in parts]
    yield "\n".join(
        f"{n}. {old}{escaped(here)}"
        for n, (old, (__, here)) in enumerate(zip(struck, parts, strict=True), 1)
    )


PARTS = (norms, costs, paths, mixing, parameters, laws, window)

"""The live pictures of the feed-forward language model: the window with the vectors in it, the hidden layer, what
comes next beside other models of the same words, and in a moment of rest what another word in each place would
change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.core.round_numbers import reach
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.lessons.before import carried
from engine.lessons.feedforward import beside, windowed
from engine.lessons.feedforward.swaps import swaps
from engine.live import cache
from engine.live.drawing import picked, shortlists
from engine.live.reader import Reader, describe_field
from engine.live.reply import Extra
from engine.live.request import LONGEST_WORD, Asks, Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage
from engine.models.abilities import able
from engine.models.base import Model
from engine.models.feedforward import FeedForward
from engine.models.ngram import Ngram
from engine.runs.store import Run

SHOWN, LONGEST = 240, 48  # characters and tokens at once
MOST, FEW = 8, 5  # words of a list: in the picture, and of several models below each other
WITHIN = 0.95  # share of the numbers that a colour scale must hold
OTHER = "he"  # stands in each place until another word is chosen
PUSH = FieldSpec(
    "push",
    Kind.LOSS,
    ("token", "step"),
    "How much each place of the window adds to the sums of the hidden layer: the length of H_i x_i.",
    "‖H_i x_i‖",
)


def stage(run: Run) -> Stage:
    """Beside the run others that cut a text into the same tokens."""
    model = cache.model(run, FeedForward)
    reader = lead(run, model)
    readers = [(reader, run)]
    for n, (other, title) in enumerate(beside.choose(run), 1):
        of = cache.model(other)
        sees = {"sees": of.config.order - 1} if isinstance(of, Ngram) else {}
        made = Reader(f"m{n}", title, of, other.id, "tokens", most=MOST, colour=n, more=sees)
        readers.append((made, other))
    titles = {made.id: made.title for made, _ in readers}
    output = "U h + W x + b" if model.config.direct else "U h + b"
    panels = (
        Panel(
            "window",
            "windowed",
            "What the net sees",
            "The vectors of the words in the window stand side by side: x. Hidden layer:"
            f" h = tanh(H x + d). Next word: softmax({output}). A band is as wide as what a place adds"
            " to the sums of the hidden layer. Point at a word to move the window.",
            {"reader": "net", "most": MOST},
            picked("net", "heatmap", ["window"], ["token"]),
        ),
        Panel(
            "swaps",
            "swaps",
            "What each word changes",
            "Each word is replaced, one at a time, and every model reads the whole text again. A bar is"
            " the share of the probability of the next word that moves; shaded: the window.",
            {"column": "left", "reader": "net"},
        ),
        Panel(
            "tops",
            "tops",
            "What comes next",
            "",
            {"column": "right", "most": FEW},
            shortlists(titles, FEW),
        ),
    )
    return Stage(
        tuple(readers),
        panels,
        most=SHOWN,
        longest=LONGEST,
        selection={"with": OTHER},
        extras=answer,
    )


def lead(run: Run, model: FeedForward) -> Reader:
    """The reader whose window is drawn."""
    far = reach(model.weights()["embed.weight"], WITHIN)
    block_NHD = windowed.blocks(model)
    n = model.config.window

    def derive(trace: Trace) -> tuple[Field, ...]:
        push_TN = windowed.pushes(block_NHD, trace.field("window").values)
        axes = (Axis("token", trace.tokens), Axis("step", tuple(map(str, range(n)))))
        return (Field(PUSH, push_TN, axes),)

    def scale(name: str, domain: tuple[float, float]) -> Any:
        spec = model.promise(name)
        assert spec is not None
        return describe_field(replace(spec, domain=domain))["scale"]

    about = {
        "sees": n,
        "width": model.config.width,
        "units": model.config.units,
        "direct": model.config.direct,
        "scales": {"window": scale("window", (-far, far)), "hidden": scale("hidden", (-1.0, 1.0))},
    }
    return Reader(
        "net",
        "window net",
        model,
        run.id,
        "tokens",
        ("window", "hidden"),
        most=MOST,
        derive=derive,
        derived=(PUSH,),
        more=about,
    )


def answer(shown: Shown, request: Request) -> Extra:
    """What is asked for in a moment of rest."""
    wish = request.asks.part("swaps")
    return Extra({} if wish is None else {"swaps": swapped(shown, wish)})


def swapped(shown: Shown, wish: Asks) -> dict[str, Any]:
    """Of each token up to the one looked at, without a start mark: its label, and how much its being
    another word changes what comes after that one, [moved, largest, next, before, after]; None where
    that word stands already.

    wish  `stop`, the character behind the token looked at; `with`, the other word
    """
    model, part = able(shown.reader.model, Model), shown.part
    stop, vocab = wish.whole("stop") or 0, model.tokenizer.vocab
    last = next((t for t, (_, end) in enumerate(part.spans) if end >= stop), len(part) - 1)
    read = part[: last + 1]
    places = [t for t, (_, end) in enumerate(read.spans) if end]
    ids = model.tokenizer.encode(wish.words("with")[:LONGEST_WORD].strip() or OTHER).ids
    if not len(ids) or not places:
        return {"word": "", "labels": [], "changes": []}
    other = int(ids[0])
    changes = [
        swap and [swap.moved, swap.largest, vocab[swap.next], swap.before, swap.after]
        for swap in swaps(model, read, places, other, carried(shown))
    ]
    labels = [read.labels[t] for t in places]
    return {"word": vocab[other], "labels": labels, "changes": changes}


LIVE = stage

"""Feed-forward language model: the window over the typed text, the vectors in it, the hidden layer, and what
comes next; beside it models of the same words that see more."""

from engine.lessons.feedforward import beside, panels
from engine.live import cache
from engine.models.feedforward import FeedForward
from pages.ui import closer, live, shell
from pages.ui.feedforward import features, feedback, gains, hybrid, limits, places, wider

lesson, run = shell.enter("feedforward")
others = beside.choose(run)
live.show(
    shell.opening(lesson, run, *(other.id for other, _ in others)),
    lambda: panels.opened(run, others),
    cache.is_open(run, *(other for other, _ in others)),
)
closer.show(
    run,
    FeedForward,
    {
        "The same word in another place": lambda model: places.show(run, model),
        "Limits of counting": lambda model: limits.show(run, model),
        "With counts and a cache": lambda model: hybrid.show(run, model),
        "A wider window": lambda model: wider.show(run, model),
        "The output fed back": lambda _: feedback.show(),
        "Features by hand": lambda _: features.show(),
        "What a state gains": lambda model: gains.show(run, model),
    },
    key="part",
)
shell.sources(lesson, run)

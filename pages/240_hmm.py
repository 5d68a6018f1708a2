"""Hidden Markov models: the typed text as a trellis of hidden states, filtered, smoothed and decoded,
with the tables behind it; then how they are learned, what they write and what they need."""

from engine.live import cache
from engine.models.markov import Markov
from engine.stages.hmm import panels
from pages.ui import closer, live, shell
from pages.ui.hmm import dice, learning, sizes, tagging, textbook

lesson, run = shell.enter("hmm", ("hmm",))
live.show(shell.opening(lesson, run), lambda: panels.stage(run), cache.is_open(run))
closer.show(
    run,
    Markov,
    {
        "Write with dice": dice.show,
        "Learning without tags": lambda model: learning.show(),
        "How many numbers": lambda model: sizes.show(),
        "Two states by hand": lambda model: textbook.show(),
        "How good a tagger": tagging.show,
    },
    key="part",
)
shell.sources(lesson, run)

"""Hidden Markov models: the typed text as a trellis of hidden states, filtered, smoothed and decoded,
with the tables behind it."""

from engine.live import cache
from engine.stages.hmm import panels
from pages.ui import live, shell

lesson, run = shell.enter("hmm", ("hmm",))
live.show(shell.opening(lesson, run), lambda: panels.stage(run), cache.is_open(run))
shell.sources(lesson, run)

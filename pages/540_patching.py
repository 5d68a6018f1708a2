"""Surgery on a Transformer: heads, parts and single weights switched off or scaled, and where two
sentences are told apart."""

from engine.models.abilities import Attends
from pages.ui import cache, closer, live, shell
from pages.ui.patching import pair, panels

lesson, run = shell.enter("patching", ("bert",))
live.show(
    shell.opening(lesson, run),
    lambda: panels.stage(run, cache.model(run, Attends)),
    cache.is_open(run),
)
closer.show(run, {"Two sentences": lambda model: pair.show(run, model)}, key="patching_part")
shell.sources(lesson, run)

"""Surgery on a Transformer: heads, parts and single weights switched off or scaled, and where two
sentences are told apart."""

from engine.lessons.patching import panels
from engine.live import cache
from engine.models.abilities import Attends
from pages.ui import closer, live, shell
from pages.ui.patching import pair

lesson, run = shell.enter("patching", ("bert",))
live.show(
    shell.opening(lesson, run),
    lambda: panels.stage(run, cache.model(run, Attends)),
    cache.is_open(run),
)
closer.show(
    run, Attends, {"Two sentences": lambda model: pair.show(run, model)}, key="patching_part"
)
shell.sources(lesson, run)

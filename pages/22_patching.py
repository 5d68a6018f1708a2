"""Surgery on a Transformer: heads, parts and single weights switched off or scaled, and where two sentences are told apart."""

from pages.ui import cache, closer, live, shell
from pages.ui.attention import patching, patching_pair

lesson, run = shell.enter("patching", ("bert",))
live.show(shell.opening(lesson, run), lambda: patching.stage(run, cache.model(run)), cache.is_open(run))
closer.show(run, {"Two sentences": lambda model: patching_pair.show(run, model)}, key="patching_part")
shell.sources(lesson, run)

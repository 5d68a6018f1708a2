"""Compare: any models on any text; bits where all of them cut, who saw it coming, held-out lines
with intervals, calibration, speed and size."""

from engine.live import cache
from pages.ui import live, several, shell
from pages.ui.compare import panels
from pages.ui.compare import table as compare_table
from pages.ui.fragment import fragment

lesson = shell.head("compare")
runs = several.choose()
opening = shell.opening(lesson, None, *(run.id for run in runs))
live.show(opening, lambda: panels.stage(runs), cache.is_open(*runs))


@fragment
def table() -> None:
    compare_table.show(runs)


table()
shell.sources(lesson)

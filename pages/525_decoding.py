"""Generation: from the distribution of the next token to text: what the rules cut, futures, beams,
and what reading its own text costs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.core.cell_card import listed
from engine.core.trace import Trace
from engine.lessons.decoding import panels
from engine.live import cache
from pages.ui import live, shell
from pages.ui.decoding import exposure
from pages.ui.decoding import latency as decoding_latency
from pages.ui.fragment import fragment

lesson, run = shell.enter("decoding", also=(*listed(), "ngram"))


def settled(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> None:
    exposure.forced(run, next(iter(traces.values())).text)


live.show(
    shell.opening(lesson, run),
    lambda: replace(panels.stage(run, cache.model(run)), settled=settled, settled_for_text=True),
    cache.is_open(run),
)


@fragment
def forcing() -> None:
    exposure.part(run)


@fragment
def latency() -> None:
    decoding_latency.part(run)


forcing()
latency()
shell.sources(lesson, run)

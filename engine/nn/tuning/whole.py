"""Whole: every weight learns, as from the beginning.

Source    Howard & Ruder, Universal Language Model Fine-tuning for Text Classification, 2018, sec. 3.2
Differs   Nothing.
"""

from __future__ import annotations

from engine.nn.tuning.base import Tuning

TUNING = Tuning("Every weight learns.", 0, lambda net, plan: dict(net.named_parameters()))

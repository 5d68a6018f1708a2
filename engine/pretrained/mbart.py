"""mBART: BART for many languages, with the norm before each part and one more behind the last.

Source    Liu et al., Multilingual Denoising Pre-training for Neural Machine Translation, 2020, sec. 2
Shapes    as in BART
Differs   As in BART.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.pretrained import bart
from engine.pretrained.base import Names


def settings(c: Any, names: Names) -> dict[str, Any]:
    return bart.settings(c, names) | {"norm_first": True}


FAMILY = replace(bart.FAMILY, settings=settings)

"""Numbers as people read them: three significant digits."""

from __future__ import annotations

import math


def number(value: float, share: bool = False) -> str:
    """Three significant digits; per cent for shares; a sign for what is not finite."""
    if math.isnan(value):
        return "?"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if share:
        return f"{figures(100 * value)} %" if not 0 < value < 1e-5 else "< 0.001 %"
    return figures(value)


SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def figures(value: float) -> str:
    if value and not 1e-3 <= abs(value) < 1e6:
        written, _, power = f"{value:.2e}".partition("e")
        return f"{written} × 10{str(int(power)).translate(SUPERSCRIPT)}".replace("-", "−")
    digits = 0 if not value else max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{digits}f}"
    return (
        text.rstrip("0").rstrip(".") if "." in text and float(value).is_integer() else text
    ).replace("-", "−")

"""The equations of a recurrent cell as templates for the formula panel
(assets/live/panels/formula.js).

{name} is a number of the layer, unit and token looked at, {name@-1} the one a token before, {~name}
one minus it,
{a*b} a product, {logit name}, {atanh name} and {tanh name} a function of it, {$name} the symbol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.language.message import _

if TYPE_CHECKING:
    from engine.nn.cells.anatomy import Anatomy

HERE = "layer {#layer}, unit {#unit}, at “{#token}”"
SUM = (
    "a is the input of the unit from the token and the previous state: W [h_t−1, x_t] + b. It"
    " is recovered from the gate, a = ln(g / (1 − g)), or from the candidate."
)


def lines(fields: Sequence[str], memories: Sequence[Any], cell: Anatomy) -> list[str]:
    """Every equation of one step, first in symbols, then with numbers."""
    found = [HERE]
    for name in fields:
        if name == "gate.input" and cell.coupled:
            found.append("{$gate.input} = 1 − {$gate.forget} = 1 − {gate.forget} = {gate.input}")
        elif name.startswith("gate."):
            found.append(_("{{${name}}} = σ(a) = σ({{logit {name}}}) = {{{name}}}", name=_(name)))
        elif name == "candidate":
            found.append("{$candidate} = tanh(a) = tanh({atanh candidate}) = {candidate}")
    for part in memories:
        found += memory(part)
    if cell.terms:
        numbers = " + ".join(
            f"{weight:g} · {{{name}}}" if weight != 1 else f"{{{name}}}"
            for name, weight in cell.terms
        )
        found.append(
            _(
                "{{$hidden}} = {{$gate.output}} · tanh({shown}) = {{gate.output}} ·"
                " tanh({numbers}) = {{hidden}}",
                shown=cell.shown,
                numbers=numbers,
            )
        )
    elif cell.shown:
        found += [
            _("{{$hidden}} = {{$gate.output}} · tanh({shown}) = {{hidden}}", shown=cell.shown)
        ]
    if "preactivation" in fields:
        found.append("{$preactivation} = W x_t + U {$hidden@-1} + b = {preactivation}")
        form = "tanh({})" if cell.squeeze == "tanh" else "max(0, {})"
        found.append(
            f"{{$hidden}} = {form.format('{$preactivation}')} = {form.format('{preactivation}')} ="
            " {hidden}"
        )
    return found


def memory(part: Any) -> list[str]:
    """state_t = keep_t · state_t-1 + the product of what is written."""
    before, written = f"{part.state}@-1", " · ".join(f"{{${name}}}" for name in part.write)
    symbols, numbers = [f"{{${before}}}"], [f"{{{before}}}"]
    if part.keep:
        symbols.insert(0, f"(1 − {{${part.keep}}})" if part.complement else f"{{${part.keep}}}")
        numbers.insert(0, f"{{~{part.keep}}}" if part.complement else f"{{{part.keep}}}")
    with_numbers = " · ".join(f"{{{name}}}" for name in part.write)
    return [
        f"{{${part.state}}} = {' · '.join(symbols)} + {written}",
        f"    = {' · '.join(numbers)} + {with_numbers} = {{{part.state}}}",
    ]

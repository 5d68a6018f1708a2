"""Steps: sums that a model writes at once or column by column, and equations that are checked.

What      a chain is right where each of its steps is: what stands on both sides of each = is equal, and,
          of a sum, the step adds the digits of its column and what was carried
Source    Nye et al., Show Your Work: Scratchpads for Intermediate Computation with Language Models,
          2021; Wei et al., Chain-of-Thought Prompting Elicits Reasoning in Large Language Models, 2022
Shapes    B = sums, T = tokens
Differs   Fractions are computed with, so that nothing is rounded.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import torch

from engine.language.message import Message, _, refusal
from engine.models.neural import NeuralLanguageModel
from engine.text.corpora.sums import drawn
from engine.text.corpora.sums_in_steps import worked

MOST = 70  # tokens that are written
LARGEST = 10**12
ENDS = {"at once": "=", "in steps": ":"}  # what stands behind a sum that is asked for
SUM = re.compile(r"\s*(\d{1,5})\s*\+\s*(\d{1,5})\s*")
DOES: Mapping[type, Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True, slots=True)
class Step:
    written: str
    right: bool
    says: str | Message = ""  # what is wrong with it


def asked(text: str) -> tuple[int, int]:
    """The two numbers of a sum.  ValueError where they are none of one length."""
    found = SUM.fullmatch(text)
    if found is None or len(found[1]) != len(found[2]):
        raise ValueError(
            "Type a sum of two numbers with as many digits, at most five, such as 478+367."
        )
    return int(found[1]), int(found[2])


@torch.inference_mode()
def write(model: NeuralLanguageModel, prompts: Sequence[str]) -> list[str]:  # type: ignore[type-arg]
    """What it writes behind each of some prompts of one length, up to the line end: always the likeliest."""
    ids_BT = torch.from_numpy(np.stack([model.tokens(prompt).ids for prompt in prompts]))
    start, end = ids_BT.shape[1], model.tokenizer.boundary
    ended_B = torch.zeros(len(prompts), dtype=torch.bool)
    for _n in range(MOST):
        next_B = model.net(ids_BT)[:, -1].argmax(-1)
        ids_BT = torch.cat((ids_BT, next_B[:, None]), 1)
        ended_B |= next_B == end
        if ended_B.all():
            break
    made = (row[start:] for row in ids_BT.tolist())
    return [model.tokenizer.decode(row[: row.index(end)] if end in row else row) for row in made]


def sums(digits: int, count: int, seed: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng((seed, digits))
    return [drawn(rng, digits) for _n in range(count)]


def prompts(pairs: Sequence[tuple[int, int]], way: str) -> list[str]:
    return [f"{a}+{b}{ENDS[way]}" for a, b in pairs]


def answer(text: str) -> str:
    """The last of what was written."""
    return text.rsplit(maxsplit=1)[-1] if text.split() else ""


def checked(first: int, second: int, text: str) -> list[Step]:
    """Each step that a model wrote for a sum, and then its answer."""
    *steps, said = text.split() or [""]
    *wanted, whole = worked(first, second).split()
    found = []
    for n, step in enumerate(steps):
        sides = step.split("=")
        try:
            values = [evaluate(side, {}) for side in sides]
        except ValueError:
            found.append(Step(step, False, _("This is no equation.")))
            continue
        right = len(values) == 2 and values[0] == values[1]
        if not right:
            says = _("{left} is {value}.", left=sides[0], value=f"{values[0]}")
        elif n >= len(wanted) or step != wanted[n]:
            here = wanted[n] if n < len(wanted) else _("none")
            says = _("True, and not the step of this column: {wanted}.", wanted=here)
        else:
            says = ""
        found.append(Step(step, not says, says))
    says = "" if said == whole else _("The sum is {whole}.", whole=whole)
    return [*found, Step(said, not says, says)]


def evaluate(text: str, known: Mapping[str, Fraction]) -> Fraction:
    """Of + - * / and brackets over numbers and known names.  ValueError with a sentence for all else."""
    try:
        found = _value(ast.parse(text.strip(), mode="eval").body, known)
    except (SyntaxError, RecursionError, MemoryError):
        raise refusal("“{text}” is no sum of numbers and names.", text=text.strip()[:40]) from None
    except ZeroDivisionError:
        raise refusal("“{text}” divides by 0.", text=text.strip()[:40]) from None
    return found


def _value(node: ast.expr, known: Mapping[str, Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as value) if abs(value) < LARGEST:
            return Fraction(str(value))
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Name(id=name):
            raise refusal("“{name}” has no value yet.")
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, known)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in DOES:
            return DOES[type(op)](_value(left, known), _value(right, known))
    raise SyntaxError


def check(lines: Sequence[str]) -> list[Step]:
    """Lines such as "l = 2 * w = 10": a name that is new takes the value of the other sides, and those
    have to be equal."""
    known: dict[str, Fraction] = {}
    return [_checked(line, known) for line in lines]


def _checked(line: str, known: dict[str, Fraction]) -> Step:
    sides = [side.strip() for side in line.split("=")]
    new = [side for side in sides if side.isidentifier() and side not in known]
    others = [side for side in sides if side not in new]
    if len(sides) < 2 or not others:
        return Step(line, False, _("This is no equation."))
    try:
        values = [evaluate(side, known) for side in others]
    except ValueError as problem:
        return Step(line, False, problem.args[0])
    known |= dict.fromkeys(new, values[0])
    for side, value in zip(others, values, strict=True):
        if value != values[0]:
            left, is_ = others[0], f"{values[0]}"
            says = (
                _("{left} is {value}, not {right}.", left=left, value=is_, right=side)
                if side == f"{value}"
                else _(
                    "{left} is {value}, and {right} is {other}.",
                    left=left,
                    value=is_,
                    right=side,
                    other=f"{value}",
                )
            )
            return Step(line, False, says)
    return Step(line, True)

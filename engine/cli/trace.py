"""`trace`: every number that a run computes on a text."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.cli.console import Command, Parser, Wrong, open_run, say, table, tell

if TYPE_CHECKING:
    from engine.core.trace import Field, Table, Trace
    from engine.models.base import Model

HELP = """\
Read a text and show, or save, every number that the model computes.

--out FILE.npz: one float32 array per field under its name and, under `trace`, a JSON text with
         text, tokens, run and per field its axes, labels, kind, symbol and sentence.  Read it with
         numpy.load(..., allow_pickle=False).
--json: {"run", "model", "text", "tokens", "offset", "total", "out", "fields": {name: {"kind",
         "symbol", "says", "axes", "shape", "labels", "min", "mean", "max"}}, "tables": {name:
         {"says", "columns", "rows"}}}; min, mean and max are over the finite numbers; the numbers
         themselves go into --out.
--gradients-of: fields `gradient.<field>` besides, how much a loss changes with each number: the
         surprisal in nats of all tokens together (loss), or of the prediction made at one token (its
         number, from 0).  Of neural networks that predict the next token of a text.
"""


def options(command: Parser) -> None:
    command.takes_run()
    command.add_argument("text")
    command.add_argument("--out", type=Path, metavar="FILE.npz", help="write the numbers to a file")
    command.add_argument(
        "--gradients-of", metavar="LOSS", help="loss, or the number of a token: its gradients too"
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.core.trace import Field, Table

    run, model = open_run(args.id)
    if args.out and args.out.is_dir():
        raise Wrong(f"{args.out} is a folder; give --out a file name that ends in .npz")
    trace = model.trace(args.text)
    if args.gradients_of:
        trace = _with_gradients(model, trace, args.gradients_of)
    if trace.offset:
        say(
            f"the model sees at most {model.context} tokens: the last {len(trace.tokens)} of"
            f" {trace.total} are traced"
        )
    if args.out:
        from engine.saving.export import write_trace
        from engine.storage.files import write_bytes

        write_bytes(args.out, write_trace(trace, run.id))
    fields: dict[str, Any] = {
        str(name): described(f) for name, f in trace.items() if isinstance(f, Field)
    }
    tables: dict[str, Any] = {
        name: _table(found) for name, found in trace.items() if isinstance(found, Table)
    }
    if args.json:
        return {
            "run": run.id,
            "model": run.model,
            "text": trace.text,
            "tokens": trace.tokens,
            "offset": trace.offset,
            "total": trace.total,
            "out": args.out,
            "fields": fields,
            "tables": tables,
        }
    if args.out:
        tell(f"{len(fields)} fields on {len(trace.tokens)} tokens: {args.out}")
        return None
    tell(
        table(
            rows(fields), ("field", "kind", "axes", "min", "mean", "max", "says"), right=(3, 4, 5)
        )
    )
    for name, found in tables.items():
        tell(f"{name}: {found['rows']} rows of {', '.join(found['columns'])}. {found['says']}")
    return None


def _with_gradients(model: Model[Any], trace: Trace, loss: str) -> Trace:
    """The trace and the gradients of a loss.  Wrong where the model or the text has none."""
    from engine.core.trace import Trace
    from engine.models import gradients

    if loss != "loss" and not loss.isdecimal():
        raise Wrong(f"--gradients-of takes loss or the number of a token, not {loss}")
    try:
        found = gradients.trace(
            gradients.learner(model), trace.text, loss if loss == "loss" else int(loss)
        )
    except ValueError as problem:
        raise Wrong(str(problem)) from None
    return Trace(
        trace.text,
        trace.tokens,
        (*trace.values(), *found.values()),
        ids=trace.ids,
        spans=trace.spans,
        unknown=trace.unknown,
        offset=trace.offset,
        total=trace.total,
    )


def rows(fields: dict[str, Any]) -> list[tuple[str, ...]]:
    """One row of a table for each field."""
    return [
        (name, f["kind"], _axes(f), *(_short(f[k]) for k in ("min", "mean", "max")), f["says"])
        for name, f in fields.items()
    ]


def described(field: Field) -> dict[str, Any]:
    """What is said of a field besides its numbers."""
    v = field.values[np.isfinite(field.values)].astype(np.float64)
    spec = field.spec
    facts: dict[str, Any] = {
        "kind": str(spec.kind),
        "symbol": spec.symbol,
        "says": spec.says,
        "axes": spec.axes,
        "shape": field.values.shape,
    }
    facts["labels"] = {axis.name: axis.labels for axis in field.axes}
    return facts | (
        {"min": v.min(), "mean": v.mean(), "max": v.max()}
        if v.size
        else dict.fromkeys(("min", "mean", "max"))
    )


def _table(found: Table) -> dict[str, Any]:
    rows = len(next(iter(found.columns.values()), ()))
    return {"says": found.spec.says, "columns": found.spec.columns, "rows": rows}


def _axes(field: dict[str, Any]) -> str:
    return " x ".join(
        f"{name} {size}" for name, size in zip(field["axes"], field["shape"], strict=True)
    )


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


COMMAND = Command(40, "show or save every number computed on a text", HELP, options, run)

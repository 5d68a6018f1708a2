"""A worker that runs commands for pages: arguments as JSON -> what the command prints with --json.

python -m engine.cli.worker
"""

from __future__ import annotations

import contextlib
import io
import json

from engine.jobs.worker import Report, serve


def answer(request: bytes, report: Report) -> bytes:
    from engine.__main__ import main

    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            failed = main(json.loads(request), (ValueError, LookupError))
        except SystemExit as ended:  # the arguments were not understood
            failed = 1 if ended.code else 0
    if failed:
        said = errors.getvalue().strip().splitlines() or ["it ended without a word"]
        raise ValueError(said[-1].removeprefix("error: "))
    return out.getvalue().encode()


if __name__ == "__main__":
    serve(answer)

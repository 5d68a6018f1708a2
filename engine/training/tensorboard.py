"""TensorBoard: the numbers of a training, and how its weights lie, as event files in the folder's
`tensorboard`.

What      each metric of a step is a scalar; at each measurement on held-out text, and at the end,
          each array of weights a histogram
Source    event files of TensorFlow's summary format, written by tensorboardX; look at them with
          `tensorboard --logdir DIR`
Differs   What an earlier process wrote of steps that are taken again is marked as gone, as
          TensorBoard reads it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

PLACE = "tensorboard"


def written(folder: Path, reports: Generator[Any, None, None]) -> Iterator[Any]:
    """The same reports, each written down first."""
    from tensorboardX import SummaryWriter

    writer = None
    try:
        for report in reports:
            if writer is None:
                writer = SummaryWriter(str(folder / PLACE), purge_step=report.step, flush_secs=10)
            for name, value in report.metrics.items():
                if np.isfinite(value):
                    writer.add_scalar(name, value, report.step)
            if report.now is not None and (
                report.model is not None or "held_out_nats" in report.metrics
            ):
                for name, values in report.now().weights().items():
                    if values.dtype.kind == "f" and np.isfinite(values).all():
                        writer.add_histogram(f"weights/{name}", values, report.step)
            yield report
    finally:
        if writer is not None:
            writer.close()
        reports.close()  # a training that nobody asks for its next step says that it was broken off

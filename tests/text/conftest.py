"""Of hundreds of drawn tables each is read in this process: one of its own would take half a second.
tests/text/test_parquet.py reads them as the program does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.jobs.worker import Failed, sentence
from engine.text.documents import parquet


class Here:
    """A `Worker` whose work is done here."""

    def __init__(self, module: str) -> None:
        assert module == parquet.__name__

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ask(self, request: bytes, seconds: float, report: Callable[[bytes], Any] = print) -> bytes:
        try:
            return parquet.answer(request, report)
        except Exception as error:
            raise Failed(sentence(error)) from error


@pytest.fixture(autouse=True)
def tables_are_read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.module.__name__.endswith("test_parquet"):
        monkeypatch.setattr(parquet, "Worker", Here)
        monkeypatch.setattr(parquet.process, "limit_memory", lambda *_, **__: None)

"""Unfinished: folders of corpora that are not there yet, or not there any more."""

from __future__ import annotations

from pathlib import Path

from engine.storage import files

# being made, being deleted, holds an upload that is read (job.py)
NEW, GONE, READ = ".new", ".gone", ".read"
WHERE = "the folder of the corpora"  # in what is said of a disk that refuses


def sweep(root: Path) -> None:
    """The folder of the corpora is there, and what was abandoned in it is not."""
    root.mkdir(parents=True, exist_ok=True)
    files.sweep(root, *(f"{name}-*" for name in (NEW, GONE, READ)))

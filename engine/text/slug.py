"""A name that a person gave, as part of the name of a folder or of an id."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 40


def slug(name: str) -> str:
    """Small letters, digits and hyphens, at most LONGEST; empty where nothing is left of it."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", plain)[:LONGEST].strip("-")

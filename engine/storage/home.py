"""Home: where this person's own runs, corpora and whatever was worked out for them live."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """UNROLLED_HOME, else the system's place for user data."""
    if "UNROLLED_HOME" in os.environ:
        return Path(os.environ["UNROLLED_HOME"])
    import platformdirs

    return Path(platformdirs.user_data_dir("unrolled", appauthor=False))

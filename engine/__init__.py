"""Sequence models, from counting to attention, with every number they compute in reach.

Nothing under `engine` knows Streamlit.  ARCHITECTURE.md has the packages in order, lowest first.
"""

from __future__ import annotations

from pathlib import Path

__version__ = "0.2.0"
ROOT = Path(__file__).parents[1]
"""The checkout: `assets/`, `pages/` and `tests/` lie beside `engine/`."""

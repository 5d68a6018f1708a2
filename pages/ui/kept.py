"""What is computed of a run is kept as long as the run is the same."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

import streamlit as st

from engine.runs.store import Run

# `st.cache_data` and `st.cache_resource` for functions that take runs
data = partial(st.cache_data, show_spinner=False, hash_funcs={Run: attrgetter("key")})
resource = partial(st.cache_resource, show_spinner=False, hash_funcs={Run: attrgetter("key")})

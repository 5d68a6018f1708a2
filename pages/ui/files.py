"""Where the browser finds this app's own files and its socket: below `server.baseUrlPath`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from engine.live import assets

_base = str(st.get_option("server.baseUrlPath") or "").strip("/")
PREFIX = f"/{_base}" if _base else ""
ADDRESS = assets.address(PREFIX)
STATIC = Path(st.__file__).parent / "static"
_KINDS = ("BidiComponent", "PageLink", "Html")


def streamlit_modules() -> list[str]:
    """Addresses of the parts of Streamlit's own front end that every page of ours needs, and that it
    loads when the first element of a kind comes; none where a release names them in another way."""
    chunks, page = STATIC / "static" / "js", (STATIC / "index.html").read_text("utf-8")

    def read(name: str) -> str:
        """What the page itself names is there already."""
        return "" if name in page else (chunks / name).read_text("utf-8")

    first = [path.name for kind in _KINDS for path in chunks.glob(f"{kind}.*.js")]
    found = assets.modules(*first, read=read)
    return [f"{PREFIX}/static/js/{name}" for name in found if name not in page]

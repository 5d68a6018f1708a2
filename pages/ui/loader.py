"""Components of ours: the few lines of JavaScript that load a module and its style sheets from
assets/live, once for all pages, in the language of the visit; what is sent to it is said in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import streamlit as st

from engine.language.catalogue import tell
from engine.live import assets
from pages.ui import language
from pages.ui.files import ADDRESS


class Component:
    """`script`: what is sent to the browser, with the addresses of English files in it."""

    def __init__(self, name: str, script: str) -> None:
        self._name, self._script = name, script
        self._in(language.ENGLISH)  # Streamlit knows it as soon as the page's module is there

    def __call__(self, data: Mapping[str, Any] | bytes, **more: Any) -> Any:
        id = language.current()
        said = data if isinstance(data, bytes) else tell(data, id)
        return self._in(id)(data=said, **more)

    @cache  # noqa: B019 - there are eight of them, for as long as the server runs
    def _in(self, id: str) -> Any:
        name = self._name if id == language.ENGLISH else f"{self._name}_{id}"
        script = self._script.replace(assets.VERSION, assets.version(id))
        return st.components.v2.component(name, js=script, isolate_styles=False)


def import_script(script: str, *sheets: str) -> str:
    """For a module that exports `mount`; `live.css` comes first."""
    listed = ", ".join(f'sheet("{name}")' for name in ("live.css", *sheets))
    return f"""
const sheet = (name) => new Promise((done) => {{
  const href = `{ADDRESS}/${{name}}`, link = document.createElement("link");
  document.head.append(Object.assign(link, {{ rel: "stylesheet", href, onload: done, onerror: done }}));
}});
const ready = Promise.all([{listed}]);
export default async function (component) {{
  const script = `${{location.origin}}{ADDRESS}/{script}`;
  const [{{ mount }}] = await Promise.all([import(script), ready]);
  return mount(component);
}}
"""

"""The few lines of JavaScript that a component sends: they load its module and its style sheets from
assets/live, once for all pages."""

from __future__ import annotations

from pages.ui.files import ADDRESS


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

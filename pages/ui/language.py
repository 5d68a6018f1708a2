"""The language of a visit: chosen at the foot of the menu or in the address (`?lang=de`), and every
sentence that goes to the browser said in it.

Streamlit writes all that a page shows as messages to the browser; `install` has the sentences in
them replaced on their way, so that no page knows of languages.  In English nothing is looked at.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.language.catalogue import (
    ENGLISH,
    FOLDER,
    GROUPS,
    THIN,
    WORD,
    Catalogue,
    catalogue,
    grouped,
    languages,
)
from engine.language.message import Message
from engine.live import assets
from engine.live.assets import LANGUAGE, VERSION

KEY, CHOSEN = "language", "language.chosen"
TRANSLATORS = "UNROLLED_LANGUAGES"  # "all": those that lack sentences, too
# fields of Streamlit's messages that hold words; what is typed and chosen is in others
WORDS = frozenset("label help body placeholder captions title text delta caption".split())
CHARTS = frozenset({"title", "text", "subtitle", "name", "description"})  # of Vega and Plotly
# figures of a chart: those of Vega, and of Plotly
LOCALE = {"decimal": ".", "thousands": THIN, "grouping": [3], "currency": ["", ""]}
SEPARATORS = f".{THIN}"
COUNT = re.compile(r"\d[\d,.]* of \d")
LABELS = re.compile(r'split\(("(?:[^"\\]|\\.)*"), "\\u0001"\)')  # in `labelExpr`: marks.said
IN_FORMULA = re.compile(r"\\text\{[^{}]+\}")
BETWEEN = "\1"
NOT_WORDS = frozenset({"Html", "Code", "Json", "TextInput", "TextArea"})
# methods of Streamlit whose options come back as they are written
TABLES = ("dataframe", "table")
CHOICES = ("_selectbox", "_multiselect", "_radio", "_internal_button_group", "_select_slider")


def offered() -> dict[str, str]:
    """Id -> name of the languages of the switch."""
    found = dict(languages())
    if os.environ.get(TRANSLATORS) == "all":
        found |= {path.stem: path.stem for path in FOLDER.glob("*.po") if path.stem not in found}
    return found


def current() -> str:
    """The id of this visit's language."""
    return str(st.session_state.get(CHOSEN, ENGLISH))


def say(text: str) -> str:
    """The text in the language of this visit."""
    id = current()
    return text if id == ENGLISH else catalogue(id).say(text)


def word(text: str) -> str:
    """The same for what may be one small word, such as the head of a column."""
    id = current()
    return text if id == ENGLISH else catalogue(id).word(text)


def told(words: str | Message) -> str:
    """A sentence in the language of this visit: looked up as a template, then filled."""
    id = current()
    if isinstance(words, str):
        return words if id == ENGLISH else catalogue(id).word(words)
    if id == ENGLISH:
        return str(words)
    known = catalogue(id)
    return known.keep(words.said(known.word, grouped))


def meanings(label: str) -> Iterator[str]:
    """The label in every language."""
    yield label
    for id in languages():
        if id != ENGLISH:
            yield catalogue(id).word(label)


def follow() -> None:
    """Take the language that the address asks for; the address always says which it is."""
    install()
    asked = str(st.query_params.get(LANGUAGE, ""))
    if asked in offered():
        st.session_state[CHOSEN] = asked
    if (here := current()) != ENGLISH and asked != here:
        st.query_params[LANGUAGE] = here


def switch() -> None:
    """Draw the choice, where there is one."""
    found = offered()
    if len(found) < 2:
        return
    st.session_state[KEY] = current()

    def choose() -> None:
        st.session_state[CHOSEN] = st.query_params[LANGUAGE] = st.session_state[KEY]

    st.selectbox("Language", list(found), key=KEY, format_func=found.__getitem__, on_change=choose)


@functools.cache
def install() -> None:
    """Have every message of Streamlit looked through, once for the whole server."""
    enqueue, block = DeltaGenerator._enqueue, DeltaGenerator._block
    transient = DeltaGenerator._transient  # what turns while one waits

    @functools.wraps(enqueue)
    def told(self: Any, delta_type: str, element_proto: Any, *more: Any, **named: Any) -> Any:
        if (id := current()) != ENGLISH:
            translate(element_proto, id)
        return enqueue(self, delta_type, element_proto, *more, **named)

    @functools.wraps(block)
    def held(self: Any, block_proto: Any = None, *more: Any, **named: Any) -> Any:
        if block_proto is not None and (id := current()) != ENGLISH:
            translate(block_proto, id)
        return block(self, block_proto, *more, **named)

    @functools.wraps(transient)
    def turning(self: Any, element_proto: Any, *more: Any, **named: Any) -> Any:
        if (id := current()) != ENGLISH:
            translate(element_proto, id)
        return transient(self, element_proto, *more, **named)

    for name, method in (("_enqueue", told), ("_block", held), ("_transient", turning)):
        setattr(DeltaGenerator, name, method)
    for name in TABLES:
        owner = next(kind for kind in DeltaGenerator.__mro__ if name in vars(kind))
        setattr(owner, name, _tabled(getattr(owner, name)))
        setattr(st, name, getattr(st._main, name))
    for name in CHOICES:
        owner = next(kind for kind in DeltaGenerator.__mro__ if name in vars(kind))
        setattr(owner, name, _chosen(getattr(owner, name)))


def _tabled(method: Callable[..., Any]) -> Callable[..., Any]:
    """A table, its heads and what is said in its cells in the language of the visit."""

    @functools.wraps(method)
    def shown(self: Any, data: Any = None, *more: Any, **named: Any) -> Any:
        if (id := current()) != ENGLISH:
            data, heads = _rows(data, catalogue(id))
            if isinstance(config := named.get("column_config"), Mapping):
                named["column_config"] = {heads.get(k, k): v for k, v in config.items()}
            if order := named.get("column_order"):
                named["column_order"] = [heads.get(name, name) for name in order]
        return method(self, data, *more, **named)

    return shown


def _rows(data: Any, words: Catalogue) -> tuple[Any, dict[Any, Any]]:
    """A table as lists of columns or of rows, and what its heads are called now; any other kind
    stays."""

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return words.say(value) if " " in value or GROUPS.fullmatch(value) else value

    def called(names: Iterable[Any]) -> dict[Any, Any]:
        found = {name: words.word(name) if isinstance(name, str) else name for name in names}
        return found if len({*found.values()}) == len(found) else {name: name for name in found}

    def told(part: Any) -> Any:
        return [cell(v) for v in part] if isinstance(part, list | tuple) else part

    if isinstance(data, Mapping) and all(isinstance(name, str) for name in data):
        heads = called(data)
        return {heads[name]: told(part) for name, part in data.items()}, heads
    if type(data).__name__ == "DataFrame":  # pandas is slow to import, so it is not asked
        heads = called(data.columns)
        return data.rename(columns=heads), heads
    if isinstance(data, list) and data and all(isinstance(row, Mapping) for row in data):
        heads = called(dict.fromkeys(k for row in data for k in row))
        return [{heads[k]: cell(v) for k, v in row.items()} for row in data], heads
    return data, {}


def _chosen(method: Callable[..., Any]) -> Callable[..., Any]:
    """A widget of options, each of which is written in the language of the visit; buttons may bear
    one small word."""
    takes, small = inspect.signature(method), "button" in method.__name__

    def words(label: str, id: str) -> str:
        found = catalogue(id)
        return found.word(label) if small else found.say(label)

    @functools.wraps(method)
    def asked(*given: Any, **named: Any) -> Any:
        written = named.get("format_func") or str
        id = current()
        key = str(named.get("key"))
        if named.get("bind") and key in st.query_params and key not in st.session_state:
            asks = takes.bind_partial(*given, **named).arguments
            options = {str(written(option)): option for option in asks.get("options", ())}
            several = "multi" in (method.__name__[1:6], asks.get("selection_mode"))
            if found := _understood(key, options, id, words):
                st.session_state[key] = found if several else found[0]
        if id != ENGLISH and key != KEY:
            named["format_func"] = lambda option: words(str(written(option)), id)
        return method(*given, **named)

    return asked


def _understood(
    key: str, options: Mapping[str, Any], id: str, words: Callable[[str, str], str]
) -> list[Any]:
    """The options that the address names in another language than that of the visit, in which a
    link was made; none where the widget knows them itself."""
    known = {
        label if other == ENGLISH else words(label, other): option
        for other in languages()
        if other != id
        for label, option in options.items()
    }
    here = {label if id == ENGLISH else words(label, id) for label in options}
    asked = st.query_params.get_all(key)
    if all(label in here for label in asked):
        return []
    return [known[label] for label in asked if label in known]


def translate(message: Any, id: str) -> None:
    """Replace the sentences in a message to the browser."""
    words, kind = catalogue(id), message.DESCRIPTOR.name
    if kind == "BidiComponent":
        _component(message, id)
        return
    for field, value in message.ListFields():
        repeated = field.is_repeated
        if field.type == field.TYPE_MESSAGE:
            if field.message_type.GetOptions().map_entry:
                continue
            for part in value if repeated else (value,):
                translate(part, id)
        elif field.type != field.TYPE_STRING:
            continue
        elif field.name == "columns" and kind == "Dataframe":
            setattr(message, field.name, _columns(value, words))
        elif field.name == "spec":
            setattr(message, field.name, _chart(value, words))
        elif field.name in WORDS and (kind not in NOT_WORDS or field.name != "body"):
            if repeated:
                value[:] = [words.say(text) for text in value]
            else:
                found = words.say(value)
                if kind == "Markdown" and field.name == "body":
                    found = IN_FORMULA.sub(lambda part: words.say(part[0]), found)
                setattr(message, field.name, found)


def _columns(settings: str, words: Catalogue) -> str:
    """What the columns of a table are called, and what explains them."""
    found = json.loads(settings or "{}")
    for column in found.values():
        for name in {"label", "help"} & {*column}:
            column[name] = words.word(str(column[name] or ""))
    return json.dumps(found, ensure_ascii=False)


def _component(message: Any, id: str) -> None:
    """One of ours: its module is that of the language, and what is told it in JSON is said in it."""
    message.js_content = message.js_content.replace(VERSION, assets.version(id))
    if message.json:
        found = catalogue(id).tell(json.loads(message.json))
        message.json = json.dumps(found, ensure_ascii=False)


def _chart(spec: str, words: Catalogue) -> str:
    """A chart with its titles, the names on its axes and those of its series said; a name of one
    small word may be a token, but in a legend all of whose names are known."""
    series = dict[str, str]()

    def labels(found: re.Match[str], legend: bool) -> str:
        names = json.loads(found[1]).split(BETWEEN)
        if not WORD.search("".join(names)):
            return f'split({json.dumps(grouped(BETWEEN.join(names)))}, "\\u0001")'
        small = legend and len([name for name in names if name]) > 1 and all(map(known, names))
        said = [
            (words.word if small else words.say)(name)
            if small or " " in name or name[:1].isupper()
            else name
            for name in names
        ]
        if legend:
            series.update((one, two) for one, two in zip(names, said, strict=True) if one != two)
        return f'split({json.dumps(BETWEEN.join(said))}, "\\u0001")'

    def known(name: str) -> bool:
        return not name or words.word(name) != name

    def walk(value: Any, key: str = "", legend: bool = False) -> Any:
        if key == "values":
            return value
        if isinstance(value, str):
            if key == "labelExpr":
                return LABELS.sub(lambda found: labels(found, legend), value)
            return words.word(value) if key in CHARTS else value
        if isinstance(value, Mapping):
            return {
                name: walk(part, name, legend or name == "legend") for name, part in value.items()
            }
        return [walk(part, key, legend) for part in value] if isinstance(value, list) else value

    def told(value: Any, row: bool = False) -> Any:
        """What the rows of a chart tell at the pointer: names of series, and sentences."""
        if isinstance(value, Mapping):
            return {
                name: series.get(part)
                or (
                    words.say(part)
                    if (name in CHARTS and " " in part) or COUNT.match(part)
                    else part
                )
                if row and isinstance(part, str)
                else told(part, name == "values")
                for name, part in value.items()
            }
        return [told(part, row) for part in value] if isinstance(value, list) else value

    try:
        found = told(walk(json.loads(spec)))
    except ValueError:
        return spec
    if "$schema" in found:
        config = found.setdefault("config", {})
        config["locale"] = {"number": LOCALE}
        # Vega describes these in English only; the chart's own words stay
        for guide in ("axis", "legend"):
            config[guide] = config.get(guide, {}) | {"aria": False}
    elif "layout" in found:
        found["layout"]["separators"] = SEPARATORS
    return json.dumps(found, ensure_ascii=False)

"""Source: all sentences of the app, as they stand in its source.

What      string literals of Python, with named places, strings and templates of JavaScript, with
          places {0}, {1} ..., that a reader can see
Source    Python's own grammar (`ast`); script.py
Differs   Told from names and model texts by where they stand and how they look: what is no sentence
          and listed all the same does no harm, it is looked up by the whole string.  The command
          line, the benches and the built-in texts stay English, and so do the titles of papers.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from engine import ROOT
from engine.language import script
from engine.language.entries import entries
from engine.language.words import ANSWERS, WORDS

# calls whose strings are names or patterns, arguments that are, and names of texts that models read
CALLS = frozenset(
    "compile getLogger warn debug get pop setdefault getattr Path glob rglob encode decode startswith"
    " endswith removeprefix removesuffix split replace import_module TypeVar find strip lstrip rstrip"
    " dtype astype einsum cast sub match search fullmatch findall finditer index tap execute".split()
)
ARGUMENTS = frozenset(
    "key kind id text example dtype mode encoding errors type display css pattern args on_change bind"
    " layout align border method axis icon media_type textposition device how model page run panel field code"
    " listing width height column orient position scale interpolate cwd env target formula link was".split()
)
NAMES = frozenset(
    "STYLE CSS HTML PATTERN TEXT TEXTS SOURCE CODE LISTING LINES WORDS GRAMMAR EXAMPLE HELP LETTERS"
    " STOPWORDS SENTENCES CORPUS SAMPLE __all__ id".split()
)
TRIED = frozenset({"Try", "Valve", "Opinion", "Readout", "Story"})  # the text comes first
LEFT_OUT = (
    "engine/cli/",
    "engine/bench/",
    "engine/text/preparation/stopwords",
    "engine/nn/ranks",
    "engine/language/",
    "pages/ui/language",
    "engine/shipped/highlights",
    "engine/shipped/scoreboard",
    "engine/shipped/judging",
    "engine/shipped/sources",
    "engine/training/check",
)
GRAMMARS = ("engine/text/corpora/", "engine/text/tasks/")  # of which only these are said:
ABOUT = frozenset({"title", "says", "licence"})
WORD = re.compile(r"[A-Za-z]{2,}")
FIELD = re.compile(r"\{[^{}|\s]+\}")  # a named place of a template
CAPITAL = re.compile(r"(?:On|[A-Z][a-z]{2,})[.:?!]?|[A-Z][a-z]*-[a-z]{2,}")
FILLED = re.compile(
    r"\W*[a-z]{2,}\W*|\W*[a-z]{2,} [a-z]+\W*"
)  # a word that fills a place of a sentence
COUNTED = re.compile(r"\W*[a-z]{2,}\W*")  # "{0} bits"
TOLD = re.compile(r"[a-z]\. [A-Z][a-z]+,? [a-z]+ ")  # sentences, though a paper is named in one
CODE = re.compile(
    r"</?(?:div|style|span|svg|script|p|section|header|article|h\d|[uo]l|li|figure|a|!doctype)\b"
    r"|^#[0-9a-f]{6}|^&\w"
    r"|^\s*(?:import|def|class|for|while|SELECT) |var\(--|^data:|^--|^\.[a-z]|\x1b|<(?:meta|image|!--)"
    r"|unsafe-inline|\w\(\S+, \w+[.,]|\\begin\{|datum\.|^python -m "
)
# of the drawing: selectors, fonts, paths, colours
DRAWN = re.compile(
    r"^[.#\[]|^[a-z-]+(?:\s+un-[\w-]+)+$|un-|^\s*[\d.]+px|^(?:bold |italic )?\d+ ?px|sans-serif|^M ?\{"
    r"|^rgb|^translate|^rotate|^matrix|:scope|^var\(|: ?\{0\}px|<[a-z]"
)
# "Somebody et al., Title, year" and the rows of a specification
CITED = re.compile(
    r"(?:et al\.|&| and )[^.?!]*, (?:19|20)\d\d|^[A-Z][\w-]+(?: [A-Z][\w.-]+)*, .*(?:19|20)\d\d"
    r"|^[a-z_]+(?: [A-Z]{1,2}\d+)+(?:;|$)"
)


def sentences() -> dict[str, str]:
    """English sentence -> the file and line where it stands first."""
    found: dict[str, str] = {}
    words = ((word, "engine/language/words.py") for word in (*WORDS, *ANSWERS))
    for text, place in (*_python(), *_javascript(), *_runs(), *words):
        found.setdefault(text, place)
    return found


def is_sentence(text: str, alone: bool = True) -> bool:
    """Whether it reads like something said to a reader.

    alone  whether a single word with a capital counts
    """
    bare = FIELD.sub("", text).strip()
    if not WORD.search(bare) or CODE.search(text):
        return False
    if CITED.search(text) and not TOLD.search(text):
        return False
    if text.count("\n") > 2 and re.search(r"\n\s+\w+.*[=(:]", text):
        return False
    if " " not in bare:
        counted = bare != text and " " in text.strip() and COUNTED.fullmatch(bare)
        return bool(counted or (alone and CAPITAL.fullmatch(bare.strip("*"))))
    return bool(re.search(r"[a-z]{2,}", bare))


def in_python(source: str, about: frozenset[str] | None = None) -> list[tuple[str, int]]:
    """(sentence, line) of a Python file; only its errors and what is assigned to such names in a
    class, where some are given."""
    walk, tree = _Walk(), ast.parse(source)
    if about is None:
        walk.visit(tree)
        return walk.found
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):
            walk.visit(node)
        for part in node.body if isinstance(node, ast.ClassDef) else ():
            if (
                isinstance(part, ast.Assign)
                and {target.id for target in part.targets if isinstance(target, ast.Name)} & about
            ):
                walk.visit(part.value)
    return walk.found


def filled_in(source: str) -> list[tuple[str, int]]:
    """(sentence, line) of what a Python file fills before anybody can look it up."""
    walk = _Walk()
    walk.visit(ast.parse(source))
    return walk.filled


def in_javascript(source: str) -> list[tuple[str, int]]:
    """(sentence, line) of a JavaScript file."""
    found = list[tuple[str, int]]()

    def walk(literals: tuple[script.Literal, ...], within: bool) -> None:
        for literal in literals:
            text = literal.text
            said = is_sentence(text) and not DRAWN.search(text)
            word = within and FILLED.fullmatch(text) and script.fills(source, literal)
            if (said or word) and not script.names(source, literal):
                found.append((text, source.count("\n", 0, literal.start) + 1))
            for _, _, inner in literal.places:
                walk(inner, within=said)

    walk(script.literals(source), within=False)
    return found


def _python() -> Iterator[tuple[str, str]]:
    files = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
    for file in [*files, *sorted((ROOT / "engine").rglob("*.py"))]:
        name = file.relative_to(ROOT).as_posix()
        if not name.startswith(LEFT_OUT):
            about = ABOUT if name.startswith(GRAMMARS) else None
            for text, line in in_python(file.read_text(encoding="utf-8"), about):
                yield text, f"{name}:{line}"


def _javascript() -> Iterator[tuple[str, str]]:
    for file in sorted((ROOT / "assets" / "live").rglob("*.js")):
        for text, line in in_javascript(file.read_text(encoding="utf-8")):
            yield text, f"{file.relative_to(ROOT).as_posix()}:{line}"


def _runs() -> Iterator[tuple[str, str]]:
    """The titles of the shipped ones."""
    for file in sorted((ROOT / "assets" / "runs").glob("*/run.json")):
        yield str(json.loads(file.read_bytes())["title"]), file.relative_to(ROOT).as_posix()


class _Walk(ast.NodeVisitor):
    """Collects the sentences of a module."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int]] = []
        self.filled: list[tuple[str, int]] = []  # f-strings, which nobody can look up

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # else a docstring
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._assigned([node.target], node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._assigned(node.targets, node.value)

    def _assigned(self, targets: list[ast.expr], value: ast.expr | None) -> None:
        if value is None:
            return
        for target in targets:  # the name of a curve: drawn["the commonest"] = ...
            match target:
                case ast.Subscript(value=ast.Name(), slice=ast.Constant() as curve):
                    self._add(curve, alone=False)
        named = any(isinstance(target, ast.Name) and target.id in NAMES for target in targets)
        if not named or any(isinstance(part, ast.Call) for part in ast.walk(value)):
            self.visit(value)

    def visit_arg(self, node: ast.arg) -> None:
        """No annotations."""

    def visit_Compare(self, node: ast.Compare) -> None:
        """What something is compared with is a name."""

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        if isinstance(node.slice, ast.Call):  # what a widget gives: runs[ask.pick("Model", ...)]
            self.visit(node.slice)

    def visit_match_case(self, node: ast.match_case) -> None:
        for part in node.body:
            self.visit(part)

    def visit_Dict(self, node: ast.Dict) -> None:
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant):
                self._add(key, alone=False)
            self.visit(value)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if isinstance(called, ast.Attribute):
            self.visit(called.value)
        if name in CALLS and not (name == "replace" and isinstance(called, ast.Name)):
            return  # `replace` alone is that of dataclasses
        if name == "table" and len(node.args) == 2 and isinstance(node.args[1], ast.Constant):
            for column in str(node.args[1].value).split(" | "):  # engine.frame.picture.table
                for text in column.partition(": ")[::2]:
                    self._add(ast.copy_location(ast.Constant(text), node), alone=False)
            return
        for part in node.args[:1] if name == "typed" else node.args[name in TRIED :]:
            self.visit(part)  # of `engine.frame.part.typed` the label alone
        for named in node.keywords:
            if named.arg == "topics" and isinstance(named.value, ast.Constant):
                self._topics(named.value)
            elif named.arg not in ARGUMENTS:
                self.visit(named.value)

    def _topics(self, node: ast.Constant) -> None:
        for (_, title, *_), says, also in entries(str(node.value)):
            for text in (title, says, *also):
                if is_sentence(text):
                    self.found.append((text, node.lineno))

    def visit_Constant(self, node: ast.Constant) -> None:
        self._add(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        text = ""
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += str(part.value)
            elif isinstance(part, ast.FormattedValue):
                text += "{0}"
                self.visit(part.value)
        if "\\" not in text and is_sentence(text):
            self.filled.append((text, node.lineno))

    def _add(self, node: ast.Constant, alone: bool = True) -> None:
        if isinstance(node.value, str) and is_sentence(node.value, alone):
            self.found.append((node.value, node.lineno))

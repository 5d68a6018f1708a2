"""Constrained decoding: before each token is chosen, all that cannot lead to a text of the wanted form are cut.

What      a list of words, a regular expression or a JSON schema becomes a grammar, and that in each of its states a
          mask over the tokens; the probabilities of those that are left are divided by their sum
Source    Willard & Louf, Efficient Guided Generation for Large Language Models, 2023; masks by `llguidance`
Shapes    V = vocabulary
Differs   A form is met by the whole text that is written, from its first character to its last; a space may come
          before it where the prompt has none at its end.  JSON is written with at most one space between its tokens.
          States are made as they are come to; LIMITS bounds their number and what each step may take.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from llguidance import LLMatcher, LLParserLimits, LLTokenizer, TokenizerWrapper, regex_to_lark

from engine import frame as fr
from engine.analysis.decode.place import read, take_step
from engine.core.cache import remembered
from engine.language.message import _, refusal
from engine.models.base import Model
from engine.text.tokenizers.base import Tokenizer

WORDS, REGEX, SCHEMA = "words", "regex", "schema"
FORMS = {WORDS: "one of these words", REGEX: "a regular expression", SCHEMA: "a JSON schema"}
EXAMPLE = {
    WORDS: "be glad, go home, never speak of it, not marry her",
    REGEX: r"(the|a) \w+ (of|in) (the|a) \w+\.",
    SCHEMA: '{"type": "object", "required": ["name", "age"], "additionalProperties": false, "properties":'
    ' {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "minimum": 0, "maximum": 120}}}',
}
CUT = 3  # as many of the tokens that were cut are named
LIMITS = LLParserLimits(
    initial_lexer_fuel=1_000_000,
    step_lexer_fuel=200_000,
    step_max_items=50_000,
    max_lexer_states=20_000,
    max_grammar_size=50_000,
    precompute_large_lexemes=False,
    verbose_errors=False,
)
# no token is singled out where only one text can follow; @ is the form itself
GRAMMAR = {
    "text": '%llguidance {"no_forcing": true}\nstart: WHOLE\nWHOLE: SPACE? BODY\nBODY: @\nSPACE: " "\n',
    "json": '%llguidance {"no_forcing": true}\nstart: SPACE? json\njson: %json @\nSPACE: " "\n',
}
LINE = {"whitespace_pattern": " ?"}
PLACE = re.compile(r"^at \d+\(\d+\): |failed to (compile JSON schema|parse \"%json\"): ")


class Step(NamedTuple):
    """
    p        of the token that was written, before anything was cut; the last may be the end
    allowed  how many tokens were left
    kept     their mass
    cut      the likeliest of those that were cut, with their probabilities
    """

    id: int
    p: float
    allowed: int
    kept: float
    cut: tuple[tuple[int, float], ...]


def grammar_of(form: str, written: str, spaced: bool) -> str:
    """What the text has to be, for `llguidance`; `spaced`: a space may come before it.  ValueError with a sentence for
    the reader."""
    if not written.strip():
        raise refusal("Type the form that the text shall have.")
    kind = "text"
    if form == SCHEMA:
        try:
            found = json.loads(written)
        except RecursionError as problem:
            raise refusal("This JSON schema is nested too deeply.") from problem
        except ValueError as problem:
            raise refusal("This is no JSON schema: {said}.", said=str(problem)) from problem
        if not isinstance(found, dict):
            raise refusal("A JSON schema is an object in braces.")
        kind, body = "json", json.dumps(found | {"x-guidance": LINE})
    elif form == REGEX:
        body = f"/{regex_to_lark(written, '')}/"
    else:
        words = [word for part in re.split(r"[,\n]", written) if (word := part.strip())]
        if not words:
            raise refusal("Type words with commas between them.")
        body = " | ".join(json.dumps(word, ensure_ascii=False) for word in words)
    grammar = GRAMMAR[kind] if spaced else GRAMMAR[kind].replace("SPACE? ", "")
    return grammar.replace("@", body)


def short(said: str) -> str:
    """Of what the library says, the sentence that is about the form itself."""
    if said.startswith("NoExtension"):
        return _("no text that this model's tokens can write has it")
    if said.startswith(("lexer error", "LexerTooComplex", "ParserTooComplex")):
        return _("it needs more states than there is room for")
    if re.search("lookarounds not supported|look-around, including", said):
        return _("it looks ahead or back (look-around), and a mask knows only what is written")
    if "error: backreferences" in said:
        return _("it refers back to a group, and no automaton remembers what that held")
    told = re.search(r"^error: (.+)", said, re.MULTILINE)
    line = told[1] if told else PLACE.sub("", said.split("\n", 1)[0])
    return " ".join(line.split())[:200].rstrip(".")


class Pieces:
    """The bytes of each token, as `llguidance` asks for them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        size = len(tokenizer.vocab)
        self.eos_token_id, self.bos_token_id = tokenizer.boundary, None
        self.tokens = [tokenizer.raw(id) for id in range(size)]
        self.tokens[tokenizer.boundary] = b"<end>"
        self.special_token_ids = [tokenizer.boundary]

    def __call__(self, text: bytes) -> list[int]:
        return []  # nothing is tokenized: masks are all that is asked for


@remembered(4)
def vocabulary(model: Model[Any]) -> LLTokenizer:
    """ValueError for a tokenizer that puts spaces between its tokens."""
    tokenizer = model.tokenizer  # type: ignore[attr-defined]
    pieces = Pieces(tokenizer)
    two = [id for id, raw in enumerate(pieces.tokens) if raw and id != tokenizer.boundary][-2:]
    if tokenizer.decode(two) != "".join(tokenizer.decode([id]) for id in two):
        raise refusal(
            "This model's tokens are whole words, and spaces come between them; a form needs tokens that are pieces"
            " of the text itself. Choose a model with pieces or characters."
        )
    return LLTokenizer(TokenizerWrapper(pieces), slices=[])


def begin(model: Model[Any], grammar: str) -> LLMatcher:
    found = LLMatcher(vocabulary(model), grammar, log_level=0, limits=LIMITS)
    check(found)
    return found


def check(matcher: LLMatcher) -> None:
    """ValueError where the form is none, or too large."""
    if matcher.is_error():
        raise refusal("This form cannot be used: {said}.", said=short(matcher.get_error()))


def mask_of(matcher: LLMatcher, size: int) -> np.ndarray:
    """Whether each token is allowed (V,)."""
    bits = np.frombuffer(matcher.compute_bitmask(), np.uint8)
    check(matcher)
    return np.unpackbits(bits, bitorder="little")[:size].astype(bool)


class Written(NamedTuple):
    """
    whole    it ends as the form wants: then the last step is the end
    stopped  why the form could not be followed any further
    """

    steps: Sequence[Step]
    whole: bool
    stopped: str = ""


@fr.once_told
def written(
    *,
    model: Model[Any],
    text: str,
    form: str,
    wanted: str,
    temperature: float,
    seed: int,
    most: int,
) -> fr.Taking[Written]:
    """At most so many tokens.  A temperature of 0 takes the likeliest."""
    spaced = bool(text) and not text[-1].isspace()
    matcher = begin(model, grammar_of(form, wanted, spaced))
    place = read(model, model.tokens(text))
    rng, end, steps = np.random.default_rng(seed), model.tokenizer.boundary, list[Step]()
    while len(steps) < most:
        try:
            allowed_V = mask_of(matcher, len(place.logit_V))
        except ValueError as problem:
            if not steps:
                raise
            return Written(steps, False, str(problem))
        p_V = np.exp(place.logit_V - place.logit_V.max())
        p_V /= p_V.sum()
        allowed = np.flatnonzero(allowed_V)
        left = p_V[allowed]
        if not left.sum():
            raise refusal(
                "The model gives a probability of 0 to all that the form allows after “{text}”.",
                text=model.tokenizer.decode([step.id for step in steps]),
            )
        if temperature:
            with np.errstate(divide="ignore"):
                power = np.exp((np.log(left) - np.log(left.max())) / temperature)
            id = int(rng.choice(allowed, p=power / power.sum()))
        else:
            id = int(allowed[left.argmax()])
        first = likeliest(np.where(allowed_V, 0, p_V))
        steps.append(Step(id, float(p_V[id]), len(allowed), min(1.0, float(left.sum())), first))
        yield fr.Progress(len(steps) / most, _("{n} tokens written", n=len(steps)))
        if id == end:
            return Written(steps, True)
        matcher.consume_token(id)
        place = take_step(place, id)
    return Written(steps, False)


def likeliest(p_V: np.ndarray) -> tuple[tuple[int, float], ...]:
    best = np.argsort(-p_V, kind="stable")[:CUT]
    return tuple((int(id), float(p_V[id])) for id in best if p_V[id] > 0)

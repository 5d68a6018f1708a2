"""Examples for models that learned one planted rule from a built-in text: a sentence of English means nothing to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.lessons import cells
from engine.lessons.base import Try

DIGESTS = {"a93bfc2f932eabc2": "brackets", "dc724ca5e6e5a591": "copying", "7bb8bbde8e5da6a0": "lag", "34166c542b516162": "agreement"}  # their beginnings

# By the text: what any model that has learned it can be asked.
TEXTS: Mapping[str, tuple[Try, ...]] = {
    "brackets": (
        Try("([a]{b", "The curly bracket was opened last. Of the three that close only } can come now; the round one waits."),
        Try("([a]{b})", "Now the first bracket is closed, and with it the line: only the line end can come."),
        Try("{[(a)b]c(", "Two brackets wait here, and c stands between them. Which one has to close first?"),
    ),
    "copying": (
        Try("kqzr=kq", "After the mark the letters come once more: z has to follow, as it followed q before."),
        Try("kqzr=kqzr", "All four are copied: the line has to end."),
        Try("abcdefgh=ab", "In the alphabet c comes after b, and so it does here. Now write abxdefgh=ab: does x come?"),
    ),
    "lag": (
        Try("abacdbabac", "Six letters back stands d, and d has to come. Type on: abacdb goes round and round."),
        Try("aaaaabaaaa", "After many an a another a comes, but not after the next one: then it is six letters since b."),
        Try("abcdab", "Only six letters so far, and all six were free. From the next one on nothing is."),
    ),
    "agreement": (
        Try("The keys to the old cabinet", "Keys, so are: the cabinet stands nearer, and does not count."),
        Try("The key to the old cabinets", "One key, so is, though many cabinets come between."),
        Try("The books near the lamp behind the chair", "Two nouns stand between, each of them one, and are comes all the same?"),
    ),
}  # fmt: skip

# By shipped run and lesson: what is seen in this very model.
COUNTER, NUMBER = "layer=0&unit=27", "layer=0&unit=13"
COPYIST, BACK, SUBJECT, OPEN = "layer=1&head=3", "layer=0&head=2", "layer=1&head=1", "layer=1&head=1"
RUNS: Mapping[str, Mapping[str, tuple[Try, ...]]] = {
    "lstm_brackets": {
        "lstm": (
            Try("{[([a])b](c)}", "Nobody told unit 27 to count. Its memory falls by about 0.9 with each bracket that opens, and rises again as they close.", f"{COUNTER}&field=cell"),
            *TEXTS["brackets"],
        ),
        "memory": (
            Try("{[([a])b](c)}", "Unit 27 forgets next to nothing: what each bracket wrote is still there, +0.9 or −0.9, and the sum is the depth.", COUNTER),
            *TEXTS["brackets"],
        ),
        "surgery": (
            Try("([a]{b})", "All brackets are closed, so the line has to end, nearly 100 %. Here the memory of unit 27 is held at −2, as if four were open: under 1 %.",
                f"{COUNTER}&field=cell&edits=cell:0:27:1-:set:-2"),
            Try("([a]{b}", "One bracket is open. Unit 27, held at 1.7, says that none is: now the line end comes with 98 %.", f"{COUNTER}&field=cell&edits=cell:0:27:1-:set:1.7"),
            Try("([a]{b", "The same lie, one bracket deeper. } is still the likeliest of the three that close: which kind is open, other units keep.",
                f"{COUNTER}&field=cell&edits=cell:0:27:1-:set:1.7"),
        ),
    },
    "lstm_agreement": {
        "lstm": (
            Try("The keys to the old cabinet", "Unit 13: its memory is −2.1 at cabinet, where the verb can come. Write key for keys: then it is above 1, whatever stands between.",
                f"{NUMBER}&field=cell"),
            Try("The key to the old cabinets", "One key: the memory of unit 13 is 1.5 at cabinets, though these are many. Its forget gate is above 0.9 from to on: it does not let go.",
                f"{NUMBER}&field=cell"),
            TEXTS["agreement"][2],
        ),
        "memory": (
            Try("The keys to the old cabinet", "Unit 13 forgets little. After keys the, old and cabinet each write between −0.5 and −1; compare them with the next example.", NUMBER),
            Try("The key to the old cabinets", "One key: the same words write next to nothing, so the memory stays where key and to have put it, above 1.", NUMBER),
        ),
        "surgery": (
            Try("The keys to the old cabinet", "Are, 40 %. Here unit 13 is held at 1.2 from to on, as after one key: are falls to 3 %, and is comes with 4 %.",
                f"{NUMBER}&field=cell&edits=cell:0:13:3-:set:1.2"),
            Try("The books near the lamp", "It is not alone: with units 19, 37 and 17 held from near on as after one book, too, is comes with 32 %, and are, 46 % before, with 0.8 %.",
                f"{NUMBER}&field=cell&edits=cell:0:13:3-:set:1.2,cell:0:19:3-:set:1,cell:0:37:3-:set:0.7,cell:0:17:3-:set:-0.5"),
            Try("The key to the old cabinets", "And the other way round: one key, and are.",
                f"{NUMBER}&field=cell&edits=cell:0:13:3-:set:-2.1,cell:0:19:3-:set:-1.4,cell:0:37:3-:set:-1.2,cell:0:17:3-:set:1.3"),
        ),
    },
    "transformer_brackets": {
        "heads": (
            Try("{[(a)b]c(", "Head 2 of layer 2, row by row: the largest weight lies on the bracket that has to close next. So it is before 86 % of all closing brackets.", OPEN),
            Try("([a]{b", "The same head, row b: 99 % come from the curly bracket.", OPEN),
        ),
        "attention": (Try("([a]{b", "Head 2 of layer 2, row b: the weight lies on the curly bracket. Open that cell: what did b ask for?", OPEN), *TEXTS["brackets"][1:]),
    },
    "transformer_lag": {
        "heads": (
            Try("abacdbabac", "Head 3 of layer 1: a line of cells five below the diagonal. Five back from c is six back from what comes next.", BACK),
            Try("aaaaabaaaaa", "What followed an a before does not help: the head goes by distance, and finds b.", BACK),
        ),
        "attention": (
            Try("abacdbabac", "Head 3 of layer 1, last row: the largest weight is five back, on d. The angle of RoPE makes it so, whatever the letters.", BACK),
            Try("aaaaabaaaaa", "Five back stands b, among a alone.", BACK),
        ),
        "patching": (
            Try("abacdbabac", "d has to come, and nearly always does. Head 3 of layer 1 is off: d falls below 1 %, and a comes instead.", f"{BACK}&edits=reading:0:2:*:scale:0"),
            Try("abcdab", "Six letters: the next one is the first, a. Without the head a is one among several.", f"{BACK}&edits=reading:0:2:*:scale:0"),
        ),
    },
    "transformer_agreement": {
        "heads": (
            Try("The keys to the old cabinet", "Head 2 of layer 2, last row: nearly all of its reading comes from keys.", SUBJECT),
            Try("The books near the lamp behind the chair", "Two nouns between, and the head still looks at books.", SUBJECT),
            Try("The key to the old cabinets", "And at key.", SUBJECT),
        ),
        "attention": (
            Try("The keys to the old cabinet", "Head 2 of layer 2, row cabinet: nearly all of the weight lies on keys. Open that cell.", SUBJECT),
            Try("The books near the lamp behind the chair", "The same head at chair: it looks past the lamp at books.", SUBJECT),
        ),
        "patching": (
            Try("The keys to the old cabinet", "Are, 48 %. Head 2 of layer 2, which looked at keys, is off: is comes before are now, as after cabinet alone.",
                f"{SUBJECT}&edits=reading:1:1:*:scale:0"),
            Try("The key to the old cabinets", "The same head off: are comes before is, for the cabinets that stand nearer.", f"{SUBJECT}&edits=reading:1:1:*:scale:0"),
        ),
    },
    "transformer_copying": {
        "heads": (
            Try("kqzr=kq", "Head 4 of layer 2, row q at the bottom: three quarters of its reading come from z, which followed q before. An induction head.", COPYIST),
            Try("abxdefgh=ab", "The same head finds x, though in the alphabet c would come.", COPYIST),
            Try("ucrkf=ucr", "Head 1 of layer 1, last row: two thirds come from the mark. That is how the model knows that the copy has begun.", "layer=0&head=0"),
        ),
        "attention": (
            Try("kqzr=kq", "Head 4 of layer 2, row q: three quarters of the weight lie on z. Open that cell: which query met which key?", COPYIST),
            Try("abxdefgh=ab", "Row b looks at x, what followed b before, and not at c.", COPYIST),
        ),
        "patching": (
            Try("kqzr=kq", "Head 4 of layer 2 is off, and z falls from 99.8 % to almost nothing. Put it back and switch off the others of its layer.", f"{COPYIST}&edits=reading:1:3:*:scale:0"),
            Try("ucrkf=ucr", "Head 1 of layer 1 is off: it looks at the mark. Without it k is lost, and the line end comes first.", "layer=0&head=0&edits=reading:0:0:*:scale:0"),
            Try("abxdefgh=ab", "x has to come. Head 4 of layer 2 off: u. The other parts know that letters come, not which.", f"{COPYIST}&edits=reading:1:3:*:scale:0"),
        ),
    },
}  # fmt: skip


# Two texts that the answer tells apart, for patching.
PAIRS: Mapping[str, tuple[str, str]] = {
    "brackets": ("([a]{b", "([a][b"),
    "copying": ("kqzr=kq", "kqxr=kq"),
    "lag": ("abacdbabac", "abaccbabac"),
    "agreement": ("The keys to the old cabinet", "The key to the old cabinet"),
}


def text(note: Mapping[str, Any]) -> str:
    """The planted text that a run has learned, by the digest in its run.json; empty for any other."""
    corpus = note.get("corpus")
    found = corpus.get("digest") if isinstance(corpus, Mapping) else None
    return DIGESTS.get(str(found)[:16], "")


def tries(lesson: str, note: Mapping[str, Any], run: str = "") -> tuple[Try, ...]:
    """The examples for a run with a planted text, or for a shipped one, `run`, that has some of its own; none for any other."""
    if run in cells.RUNS:
        return cells.RUNS[run].get(lesson, ())
    learned = text(note)
    return RUNS.get(run, {}).get(lesson, TEXTS[learned]) if learned else ()

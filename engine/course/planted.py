"""Examples for models that learned one planted rule from a built-in text: a sentence of English
means nothing to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.course import other_runs
from engine.course.base import Try

DIGESTS = {
    "a93bfc2f932eabc2": "brackets",
    "dc724ca5e6e5a591": "copying",
    "7bb8bbde8e5da6a0": "lag",
    "34166c542b516162": "agreement",
    "f97d76d76185e333": "remembered",
    "78f3c6eb7a82cd97": "tunes",
}  # their beginnings

# By the text: what any model that has learned it can be asked.
TEXTS: Mapping[str, tuple[Try, ...]] = {
    "brackets": (
        Try(
            "([a]{b",
            "The curly bracket was opened last. Of the three closing brackets, only } is"
            " possible now; the round one has to wait.",
        ),
        Try(
            "([a]{b})",
            "The first bracket is closed now, and with it the line: only the line end is possible.",
        ),
        Try(
            "{[(a)b]c(",
            "Two brackets are open here, and c stands between them. Which has to close first?",
        ),
    ),
    "copying": (
        Try(
            "kqzr=kq",
            "After the mark the letters are repeated: z has to follow q, as it did before.",
        ),
        Try("kqzr=kqzr", "All four letters are copied: the line has to end."),
        Try(
            "abcdefgh=ab",
            "Here c comes after b, as in the alphabet. Now type abxdefgh=ab: does the model"
            " expect x?",
        ),
    ),
    "lag": (
        Try(
            "abacdbabac",
            (
                "The letter six places back is d, so d has to come next. Type on: abacdb goes"
                " round and round."
            ),
        ),
        Try(
            "aaaaabaaaa",
            "So far an a usually follows an a, and one more comes next. After that one b has"
            " to come: it is then six places back.",
        ),
        Try(
            "abcdab",
            (
                "Only six letters so far, and all six were free. From the next one on, every"
                " letter is determined."
            ),
        ),
    ),
    "agreement": (
        Try(
            "The keys to the old cabinet",
            "“Keys” needs “are”: the cabinet is nearer but does not count.",
        ),
        Try(
            "The key to the old cabinets",
            ("One key needs “is”, though several cabinets come in between."),
        ),
        Try(
            "The books near the lamp behind the chair",
            "Two singular nouns come in between. Does the model still expect “are”?",
        ),
    ),
    "remembered": (
        Try(
            "I grew up in France. Later the red clock hung by the station. I speak fluent",
            "“France” decides: French has to come. Change the country, and the language changes.",
        ),
        Try(
            "The cats (which had been away and had seen the small table near the garden)",
            "Several cats, and one table and garden since: were has to come.",
        ),
        Try(
            "Mary was born in Ireland but moved to Canada as a child. She speaks with a slight",
            "Who moved as a child has the accent of the new country: Canadian. Change “child” to “teenager”.",
        ),
    ),
    "tunes": (
        Try(
            "M:6/8 d | g f e d2 B | c B A G2 D | E G A B A G",
            "Notes of a jig. The last bar has six eighths: only a bar line is expected.",
        ),
        Try("C D E F G A B", "A scale, without a key: it expects the next c."),
    ),
}

# Of a translator that learned real sentences.
REAL = (
    Try(
        "The king of Israel said to the people",
        "A short sentence of words that its book is full of. Press Write on, then point at"
        " a word of the Spanish to see where that step looked.",
    ),
    Try(
        "He went out of the city, and she wept.",
        "Who is “he”, who is “she”? Spanish can leave both out. Watch where the steps look"
        " that write the two verbs.",
    ),
    Try(
        "The old king gave the queen a small red book",
        "Common words, but the book tells of few queens and of no red books. Which of them"
        " come out, and what stands in place of the others?",
    ),
    Try(
        "The train was late, so we took a taxi.",
        "Nothing of this is in a book of antiquity. Each word is read in pieces, none is"
        " unknown, and yet nothing right can come out.",
    ),
    Try(
        "She paid 42 € for a cup of tea ☕",
        "The digits, the € and the cup are underlined: none of its pieces has them. It hardly ever"
        " met such signs, and reads them byte by byte.",
    ),
)

# Of the one that translates back.
BACK_AGAIN = (
    Try(
        "No temas, porque yo soy contigo.",
        "“Don't be afraid, for I am with you.” Its book says so often, and it comes out whole. Point at"
        " a word of the English to see where that step looked.",
    ),
    Try(
        "Los hijos de Israel hicieron lo malo.",
        "Who did it comes out. What they did, evil, does not.",
    ),
    Try(
        "El tren llegó tarde, y tomamos un taxi.",
        "Nothing of this is in a book of antiquity: it is read in pieces, and nothing right comes out.",
    ),
)

# By shipped run and lesson: what is seen in this very model.
COUNTER, NUMBER = "layer=0&unit=27", "layer=0&unit=13"
COPYIST, BACK, SUBJECT, OPEN = (
    "layer=1&head=3",
    "layer=0&head=2",
    "layer=1&head=1",
    "layer=1&head=1",
)
RUNS: Mapping[str, Mapping[str, tuple[Try, ...]]] = {
    "lstm_brackets": {
        "lstm": (
            Try(
                "{[([a])b](c)}",
                "Nobody told unit 27 to count. Behind the first bracket its memory falls by 0.8 to 1"
                " with each that opens and rises as much with each that closes.",
                f"{COUNTER}&field=cell",
            ),
            *TEXTS["brackets"],
        ),
        "memory": (
            Try(
                "{[([a])b](c)}",
                "Unit 27 forgets little: behind the first, each bracket wrote between 0.7 and 1, down"
                " or up, and over 80 % of that is still there at the end. The sum follows the depth.",
                COUNTER,
            ),
            *TEXTS["brackets"],
        ),
        "surgery": (
            Try(
                "([a]{b})",
                "All brackets are closed, so the line has to end: nearly 100 %. Here the"
                " memory of unit 27 is held at −2, as if four were open: under 1 %.",
                f"{COUNTER}&field=cell&edits=cell:0:27:1-:set:-2",
            ),
            Try(
                "([a]{b}",
                "One bracket is open. Unit 27, held at 1.7, signals that none is: the line end"
                " now gets 98 %.",
                f"{COUNTER}&field=cell&edits=cell:0:27:1-:set:1.7",
            ),
            Try(
                "([a]{b",
                "The same edit, one bracket deeper. } is still the likeliest closing bracket:"
                " other units keep track of which kind is open.",
                f"{COUNTER}&field=cell&edits=cell:0:27:1-:set:1.7",
            ),
        ),
    },
    "lstm_agreement": {
        "lstm": (
            Try(
                "The keys to the old cabinet",
                "Unit 13: its memory is −2.1 at “cabinet”, where the verb can come. Change “keys” to"
                " “key”, and it is 1.5. In sentences it never saw it was above 0.6 after one subject"
                " and below −1 after several.",
                f"{NUMBER}&field=cell",
            ),
            Try(
                "The key to the old cabinets",
                "One key: the memory of unit 13 is 1.5 at “cabinets”, though that noun is"
                " plural. Its forget gate stays above 0.9 from “to” on: it does not let go.",
                f"{NUMBER}&field=cell",
            ),
            TEXTS["agreement"][2],
        ),
        "memory": (
            Try(
                "The keys to the old cabinet",
                "Unit 13 forgets little. After “keys”, the words “the”, “old” and “cabinet”"
                " each write between −0.5 and −1; compare the next example.",
                NUMBER,
            ),
            Try(
                "The key to the old cabinets",
                "One key: the same words write between 0 and −0.16 each, so the memory that “key” and"
                " “to” have made stays above 1.",
                NUMBER,
            ),
        ),
        "surgery": (
            Try(
                "The keys to the old cabinet",
                "“are” has 40 %. Here unit 13 is held at 1.2 from “to” on, as after one key:"
                " “are” falls to 3 %, and “is” gets 4 %.",
                f"{NUMBER}&field=cell&edits=cell:0:13:3-:set:1.2",
            ),
            Try(
                "The books near the lamp",
                "Unit 13 does not work alone. With units 19, 37 and 17 also held from “near”"
                " on, as after one book, “is” gets 32 %, and “are” falls from 46 % to 0.8 %.",
                f"{NUMBER}&field=cell&edits=cell:0:13:3-:set:1.2,cell:0:19:3-:set:1,"
                "cell:0:37:3-:set:0.7,cell:0:17:3-:set:-0.5",
            ),
            Try(
                "The key to the old cabinets",
                "The other way round: one key, and yet “are”.",
                f"{NUMBER}&field=cell&edits=cell:0:13:3-:set:-2.1,cell:0:19:3-:set:-1.4,"
                "cell:0:37:3-:set:-1.2,cell:0:17:3-:set:1.3",
            ),
        ),
    },
    "transformer_brackets": {
        "heads": (
            Try(
                "{[(a)b]c(",
                "Head 2 of layer 2: from the second bracket on, the largest weight of a row lies on"
                " the bracket that has to close next. This holds before 86 % of all closing brackets.",
                OPEN,
            ),
            Try(
                "([a]{b",
                ("The same head, row b: 99 % of its attention goes to the curly bracket."),
                OPEN,
            ),
        ),
        "attention": (
            Try(
                "([a]{b",
                "Head 2 of layer 2, row b: the weight lies on the curly bracket. Open that"
                " cell: what was the query of b?",
                OPEN,
            ),
            *TEXTS["brackets"][1:],
        ),
    },
    "transformer_lag": {
        "heads": (
            Try(
                "abacdbabac",
                "Head 3 of layer 1: a line of cells five below the diagonal. Five places back"
                " from c is six places back from the next letter.",
                BACK,
            ),
            Try(
                "aaaaabaaaaa",
                "What followed an earlier a does not help: the head goes by distance and finds b.",
                BACK,
            ),
        ),
        "attention": (
            Try(
                "abacdbabac",
                "Head 3 of layer 1, last row: the largest weight is five back, on d. The"
                " rotation of RoPE causes this, whatever the letters are.",
                BACK,
            ),
            Try("aaaaabaaaaa", "Five places back is b, the only letter that is not an a.", BACK),
        ),
        "surgery": (
            Try(
                "abacdbabac",
                "d has to come, and nearly always does. Head 3 of layer 1 is switched off"
                " here: d falls below 1 %, and a comes instead.",
                f"{BACK}&edits=reading:0:2:*:scale:0",
            ),
            Try(
                "abcdab",
                "Six letters: the next one is the first, a. Without the head, a is only one of"
                " several candidates.",
                f"{BACK}&edits=reading:0:2:*:scale:0",
            ),
        ),
    },
    "transformer_agreement": {
        "heads": (
            Try(
                "The keys to the old cabinet",
                "Head 2 of layer 2, last row: nearly all of its attention goes to “keys”.",
                SUBJECT,
            ),
            Try(
                "The books near the lamp behind the chair",
                "Two nouns in between, and the head still attends to “books”.",
                SUBJECT,
            ),
            Try("The key to the old cabinets", "And here to “key”.", SUBJECT),
        ),
        "attention": (
            Try(
                "The keys to the old cabinet",
                "Head 2 of layer 2, row cabinet: nearly all of the weight lies on “keys”. Open"
                " that cell.",
                SUBJECT,
            ),
            Try(
                "The books near the lamp behind the chair",
                "The same head at “chair”: it looks past the lamp at “books”.",
                SUBJECT,
            ),
        ),
        "surgery": (
            Try(
                "The keys to the old cabinet",
                "“are” has 48 %. Head 2 of layer 2, which looked at “keys”, is switched off"
                " here: now “is” ranks above “are”, as after “cabinet” alone.",
                f"{SUBJECT}&edits=reading:1:1:*:scale:0",
            ),
            Try(
                "The key to the old cabinets",
                (
                    "The same head switched off: “are” ranks above “is”, because the cabinets are"
                    " nearer."
                ),
                f"{SUBJECT}&edits=reading:1:1:*:scale:0",
            ),
        ),
    },
    "translator_spanish": {"translation": REAL, "scores": REAL},
    "translator_english": {"translation": BACK_AGAIN, "scores": BACK_AGAIN},
    "transformer_copying": {
        "heads": (
            Try(
                "kqzr=kq",
                "Head 4 of layer 2, row q at the bottom: three quarters of its attention goes"
                " to z, which followed q before. This is an induction head.",
                COPYIST,
            ),
            Try(
                "abxdefgh=ab",
                "The same head finds x, though c comes next in the alphabet.",
                COPYIST,
            ),
            Try(
                "ucrkf=ucr",
                "Head 1 of layer 1, last row: two thirds of its attention goes to the mark."
                " That is how the model knows that the copy has begun.",
                "layer=0&head=0",
            ),
        ),
        "attention": (
            Try(
                "kqzr=kq",
                "Head 4 of layer 2, row q: three quarters of the weight lies on z. Open that"
                " cell: which query met which key?",
                COPYIST,
            ),
            Try("abxdefgh=ab", "Row b looks at x, which followed b before, and not at c.", COPYIST),
        ),
        "surgery": (
            Try(
                "kqzr=kq",
                "Head 4 of layer 2 is switched off here, and z falls from 99.8 % to almost"
                " nothing. Restore it and switch off the other heads of its layer.",
                f"{COPYIST}&edits=reading:1:3:*:scale:0",
            ),
            Try(
                "ucrkf=ucr",
                "Head 1 of layer 1, which looks at the mark, is switched off here. Without it"
                " k is lost, and the line end comes first.",
                "layer=0&head=0&edits=reading:0:0:*:scale:0",
            ),
            Try(
                "abxdefgh=ab",
                "x has to come. With head 4 of layer 2 off, u comes instead. The other parts"
                " know that a letter comes, but not which.",
                f"{COPYIST}&edits=reading:1:3:*:scale:0",
            ),
        ),
    },
}


# Two texts that the answer tells apart, for patching.
PAIRS: Mapping[str, tuple[str, str]] = {
    "brackets": ("([a]{b", "([a][b"),
    "copying": ("kqzr=kq", "kqxr=kq"),
    "lag": ("abacdbabac", "abaccbabac"),
    "agreement": ("The keys to the old cabinet", "The key to the old cabinet"),
}


def text(note: Mapping[str, Any]) -> str:
    """The planted text that a run has learned, by the digest in its run.json; empty for any
    other."""
    corpus = note.get("corpus")
    found = corpus.get("digest") if isinstance(corpus, Mapping) else None
    return DIGESTS.get(str(found)[:16], "")


def tries(lesson: str, note: Mapping[str, Any], run: str = "") -> tuple[Try, ...]:
    """The examples for a run with a planted text, or for a shipped one, `run`, that has some of its
    own; none for any other."""
    if run in other_runs.RUNS:
        return other_runs.RUNS[run].get(lesson, ())
    return RUNS.get(run, {}).get(lesson, TEXTS.get(text(note), ()))

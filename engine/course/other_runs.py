"""Examples for shipped runs that a lesson shows beside its own model: the GRU and the Elman network
that are as large as the shipped LSTM, and learned from the same novels; the hidden Markov model of
letters."""

from __future__ import annotations

from collections.abc import Mapping

from engine.course.base import Try

ASKED, SAID, FINE = (
    'He asked "why not?',
    '"I do not know," said she, "and I never shall." Then he went out.',
    "It was a very fine day.",
)
GATED, PLAIN = "layer=0&unit=213&field=hidden", "layer=0&unit=410&field=hidden"

# By shipped run and lesson.
RUNS: Mapping[str, Mapping[str, tuple[Try, ...]]] = {
    "gru_large": {
        "lstm": (
            Try(
                'He asked "why not?" and left.',
                "Unit 213 of layer 1 of this GRU: above 0.5 inside the quotation, below −0.2"
                " outside it. Its update gate is above 0.98 at both marks and nearly shut"
                " inside: under 0.05 from h on. The LSTM has such a unit too: choose lstm"
                " above, unit 69 of layer 2.",
                GATED,
            ),
            Try(
                SAID,
                "Two quotations: the same unit rises, falls and rises again, and holds its"
                " value in between.",
                GATED,
            ),
            Try(
                "The keys to the old cabinet w",
                "After “keys”, does it expect “were”? 55 % for “a” (was) and 12 % for “e”"
                " (were): like the LSTM, it follows the nearest noun.",
            ),
        ),
        "surgery": (
            Try(
                ASKED,
                "From the first quoted letter on, unit 213 of layer 1 is held at −0.8, as if no"
                " quotation were open: the closing mark falls from 65 % to 28 %.",
                f"{GATED}&edits=hidden:0:213:11-:set:-0.8",
            ),
            Try(
                FINE,
                "Nothing is quoted here. Unit 213 is held at 0.8, as inside a quotation: the"
                " closing mark gets 31 % instead of 6.4 %.",
                f"{GATED}&edits=hidden:0:213:1-:set:0.8",
            ),
        ),
    },
    "rnn_large": {
        "rnn": (
            Try(
                ASKED,
                "Unit 410 of layer 1 signals an open quotation. One step shows how it manages"
                " without a gate: it reads its own state with weight 0.811, and unit 551,"
                " which signals the opposite, with −0.654.",
                "layer=0&unit=410",
            ),
            Try(
                "The bank by the river is steep",
                "Press Fold, then Unfold. The same three matrices sit on the arrows of every"
                " step: 768 units read 768.",
            ),
        ),
        "lstm": (
            Try(
                'He asked "why not?" and left.',
                "Unit 410 of layer 1 of this Elman network turns from −1 to 1 where a"
                " quotation opens, and back after it closes.",
                PLAIN,
            ),
            Try(
                SAID,
                "It slips: at “ow,” the same unit signals that nothing is quoted. Without a"
                " gate, each character rewrites the whole state. Choose gru_large above: its"
                " unit 213 of layer 1 holds on.",
                PLAIN,
            ),
            Try(
                "The keys to the old cabinet w",
                "After “keys”, does it expect “were”? 6.1 % for “e” (were) and 25 % for “a”"
                " (was): it follows the nearest noun, less surely than the LSTM.",
            ),
        ),
        "surgery": (
            Try(
                FINE,
                "Nothing is quoted here. Unit 410 of layer 1 is held at 1, as inside a"
                " quotation: the closing mark gets 28 % instead of 7.5 %.",
                f"{PLAIN}&edits=hidden:0:410:1-:set:1",
            ),
            Try(
                ASKED,
                "From the first quoted letter on, the same unit is held at −1, as if no quotation"
                " were open: the closing mark keeps 65 % of its 66 %. Other units carry the"
                " same information.",
                f"{PLAIN}&edits=hidden:0:410:11-:set:-1",
            ),
        ),
    },
    "transformer": {
        "surgery": (
            Try(
                "The girl looked at the old man and shook",
                "Head 4 of layer 3 of the shipped model looks back at “girl”. Without it, “her” "
                "falls from 53 % to 32 %, and “his” becomes the likeliest.",
                link="layer=2&head=3&edits=reading:2:3:*:scale:0",
            ),
            Try(
                "The boy looked at the old woman and shook",
                "A boy, and yet “her”: head 3 of layer 5 puts 96 % of its weight on “woman”. "
                "Without that one weight, “her” falls from 83 % to 54 %.",
                link="layer=4&head=2&token=9&other=7&edits=attention:4:2:9:7:set:0",
            ),
            Try(
                "The dog was called Llanfair. We all liked L",
                "Head 3 of layer 5 looks for what followed the earlier “L”. Without it, “l” "
                "falls from 82 % to 3.4 %. Switch it on again and switch off head 1 of layer 2, "
                "which tells each token what came before it: 0.5 %. The two work together.",
                link="layer=4&head=2&edits=reading:4:2:*:scale:0",
            ),
            Try(
                "The president of the United",
                "“United” is two tokens, “Un” and “ited”. Without head 2 of layer 1, which "
                "looks at the previous token, “St” (for States) falls from 97 % to 11 %.",
                link="layer=0&head=1&edits=reading:0:1:*:scale:0",
            ),
        )
    },
    "hmm": {
        "hmm": (
            Try(
                "the old house",
                "Nobody told it of vowels. State 2 writes e, o, a and i, and after state 3 it comes"
                " in 97 % of all cases: one writes the vowels, the other what stands before them.",
                "by=smooth",
            ),
            Try(
                "banana",
                "Three answers. Letter by letter the likeliest states are 1 2 1 2 1 2, with the"
                " whole word 3 2 3 2 3 2, and the likeliest path is 3 2 1 1 3 2.",
                "token=3&by=smooth",
            ),
            Try(
                "mississippi",
                "A vowel every third letter: 3 2 1, 3 2 1. The states know where they are between"
                " two vowels, not which letters came.",
            ),
        )
    },
}

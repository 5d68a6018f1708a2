"""Examples for the GRU and the Elman network that are as large as the shipped LSTM, and learned from the same novels."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Try

ASKED, SAID, FINE = 'He asked "why not?', '"I do not know," said she, "and I never shall." Then he went out.', "It was a very fine day."
GATED, PLAIN = "layer=0&unit=213&field=hidden", "layer=0&unit=410&field=hidden"

# By shipped run and lesson.
RUNS: Mapping[str, Mapping[str, tuple[Try, ...]]] = {
    "gru_large": {
        "lstm": (
            Try('He asked "why not?" and left.', "Unit 213 of layer 1 of this GRU: above 0.5 inside the quotation, below −0.2 outside it. Its update gate is above 0.98 at both "
                "marks and shut inside, under 0.05 from h on. The LSTM found such a unit too: choose lstm above, unit 69 of layer 2.", GATED),
            Try(SAID, "Two quotations: the same unit rises, falls, and rises again, and holds what it says in between.", GATED),
            Try("The keys to the old cabinet w", "Keys, so were? 55 % for a, was, 12 % for e, were: like the LSTM it goes by the noun that stands next."),
        ),
        "surgery": (
            Try(ASKED, "From the opening mark on unit 213 of layer 1 is held at −0.8, as if none were open: the closing mark falls from 65 % to 28 %.",
                f"{GATED}&edits=hidden:0:213:11-:set:-0.8"),
            Try(FINE, "Nothing was quoted. Unit 213 is held at 0.8, as inside a quotation: the closing mark comes with 31 % instead of 6.4 %.",
                f"{GATED}&edits=hidden:0:213:1-:set:0.8"),
        ),
    },
    "rnn_large": {
        "rnn": (
            Try(ASKED, "Unit 410 of layer 1 says that a quotation is open. One step shows how it can without a gate: it hears itself with weight 0.811, and unit 551, "
                "which says the opposite, with −0.654.", "layer=0&unit=410"),
            Try("The bank by the river is steep", "Press Fold, then Unfold. The same three matrices stand on the arrows of every step: 768 units hear 768."),
        ),
        "lstm": (
            Try('He asked "why not?" and left.', "Unit 410 of layer 1 of this Elman network turns from −1 to 1 where a quotation opens, and back behind it.", PLAIN),
            Try(SAID, "It slips: at “ow,” the same unit says that nothing is quoted. Without a gate each character writes the whole state anew. Choose gru_large above: "
                "its unit 213 of layer 1 holds.", PLAIN),
            Try("The keys to the old cabinet w", "Keys, so were? 6.1 % for e, were, and 25 % for a, was: it goes by the noun that stands next, and less surely than the LSTM."),
        ),
        "surgery": (
            Try(FINE, "Nothing was quoted. Unit 410 of layer 1 is held at 1, as inside a quotation: the closing mark comes with 28 % instead of 7.5 %.",
                f"{PLAIN}&edits=hidden:0:410:1-:set:1"),
            Try(ASKED, "From the opening mark on the same unit is held at −1, as if none were open: the closing mark keeps 65 % of its 66 %. Other units say the same.",
                f"{PLAIN}&edits=hidden:0:410:11-:set:-1"),
        ),
    },
}  # fmt: skip

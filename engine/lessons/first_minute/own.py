"""First minutes: a reader's own texts and models."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

BACK = "layer=0&head=2&token=6"  # a head that looks back by one token, and the gap

OWN: Mapping[str, tuple[Step, ...]] = {
    "compare": (
        Step(
            "The n-gram model: “sailed” costs it 7 bits, the Transformer 11. It has counted what ships"
            " do.",
            text="The captain went on board, and the ship sailed for",
            link="reader=m2&token=10",
            panel="surprise",
            asks="The ship … Which of these models finds “sailed” least surprising?",
            choices=("LSTM", "Transformer", "n-gram"),
            covers=("race", "tops"),
        ),
        Step(
            "The Transformer pays 29 bits instead of 65 for the names: it looks back and copies. The"
            " LSTM pays nearly as much as before.",
            text="The Snark was a Boojum, you see. The Snark was a Boojum",
            panel="surprise",
            asks="Two unknown names, twice. Who pays less the second time?",
            choices=("LSTM", "Transformer", "nobody"),
            covers=("race", "tops"),
        ),
        Step(
            "No model knows “flurble”. The n-gram model pays 5 bits for “some unknown word”; the others"
            " have to spell it, which is another task.",
            text="The flurble zyxgrobbed his hat.",
            link="reader=m2&token=2",
            panel="race",
        ),
    ),
    "inspect": (
        Step(
            "One square per head. The marked one, head 3 of layer 1, looks back by one token: at the gap,"
            " 99 % of its weight is on “the”.",
            text="She put money in the [MASK].",
            link=f"{BACK}&shows=attention,fill",
            panel="field:attention",
        ),
        Step(
            "36 % instead of 95 %: “shop” and “market” come close. One head of 16 made BERT that sure.",
            text="She put money in the [MASK].",
            link=f"{BACK}&shows=attention,fill&edits=attention:0:2:*:*:set:0",
            panel="field:fill",
            asks="That head is now switched off. “bank” had 95 %, and now?",
            choices=("95 %", "36 %", "0 %"),
            covers=("tamper",),
        ),
        Step(
            "Yes, with 34 % instead of 99.5 %. It sees which words there are, but no longer where, and"
            " so “is” comes second.",
            text="The [MASK] by the river is muddy.",
            link="token=2&shows=embedding.position,fill&edits=embedding.position:set:0",
            panel="field:fill",
            asks="All positions are set to 0. Does BERT still put “bank” in the gap?",
            choices=("yes", "no"),
            covers=("tamper",),
        ),
    ),
    "duel": (
        Step(
            "For neither, +1.8 bits: seven words of a story add up to +97, and the rest takes that back,"
            " “function” alone 45.",
            text="She gave him a silver key, and the function returned the value.",
            link="reader=a&token=36",
            panel="odds",
            asks="Half a story, half a manual. For which of the two does the sum speak?",
            choices=("stories", "manual", "neither"),
        ),
        Step(
            "No: −5.4 bits. After “silver” it spoke for the stories with +11.9. Each word is judged by"
            " the letters before it.",
            text="The name of the key is a string.",
            link="reader=a&token=18",
            panel="odds",
            asks="“key” again. Does it speak for the stories this time, too?",
            choices=("yes", "no"),
        ),
        Step(
            "The manual: “s” with 36 %, “w” with 26 %, as in “keyword”. In the stories a space, 48 %, or"
            " a full stop, 37 %, ends the word.",
            text="He kept the key",
            panel="tops",
            asks="He kept the key … Which side expects the word to go on?",
            choices=("stories", "manual", "both"),
        ),
    ),
}

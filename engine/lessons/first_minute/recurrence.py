"""First minutes: networks that carry a state."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

QUOTED = "layer=1&unit=69&field=cell"
COUNTS = "layer=0&unit=267&field=cell"
PERSON = "The person who spoke multiple languages fluently applied"
KEYS = "The keys to the old cabinet were"
QUESTION = 'He asked "why not?" and left.'

MARY = "Mary said that she would not come, because"
JOHN = "John, who was born in France, came to us as a boy. He still spoke"

MESS = "The acting is superb, but the plot is a boring mess and a waste of time"
SUPERB = "The plot is a boring mess and a waste of time, but the acting is superb"

RECURRENCE: Mapping[str, tuple[Step, ...]] = {
    "feedforward": (
        Step(
            "The frame is the window: the net sees five tokens, their vectors side by side. “Mary” and"
            " “she” are out of its sight.",
            text=MARY,
            panel="window",
        ),
        Step(
            "“I”, with 19 %; “she” gets 5.6 %. The LSTM, which has read the whole sentence, gives “she”"
            " 29 %.",
            text=MARY,
            panel="tops",
            asks="Mary said that … because. Whom does a net expect that sees five tokens?",
            choices=("she", "he", "I"),
            covers=("window", "swaps"),
        ),
        Step(
            "Exactly 0, for the n-grams too: “she” has left their windows. In the LSTM 26 % of the"
            " probability moves.",
            text=MARY,
            link="with=he",
            panel="swaps",
            asks="“he” in the place of “she”: how much of the net's answer changes?",
            choices=("most", "a little", "nothing"),
        ),
        Step(
            "The same with “France”, 11 tokens back: 0 for every window here. One of 12 tokens would see"
            " it, and need more weights for each.",
            text=JOHN,
            link="with=England",
            panel="swaps",
        ),
    ),
    "rnn": (
        Step(
            "Each box is the same small network, one character later. What it hands to the next"
            " box, its state, is all that it remembers.",
            text="The bank by the river is steep",
            panel="unroll",
        ),
        Step(
            "No: behind the first “la” it expected “t” with 17 %, now “n” with 34 %. The state"
            " holds what came before.",
            text="la la la la",
            panel="next",
            asks="The last letters were “la” four times. Is the answer that after one “la”?",
            choices=("yes", "no"),
        ),
        Step(
            "“u”, with 98 %. Nobody gave it a spelling book: it learned from text alone.",
            text="the q",
            panel="next",
            asks="Which letter comes after “the q”?",
            choices=("u", "a vowel", "any"),
        ),
    ),
    "bptt": (
        Step(
            "A row is the loss of one character. Its gradient flows back to the left: the darker,"
            " the more a change of the state there would change that loss.",
            text=KEYS,
            panel="triangle",
        ),
        Step(
            "21,700 times shorter: 0.27 one step back, 0.000012 at the start. What stood there"
            " teaches the network next to nothing.",
            text=KEYS,
            link="token=32&other=31",
            panel="decay",
            asks="How much shorter is the gradient of the last loss by the time it reaches the "
            "start?",
            choices=("10 times", "1,000 times", "more"),
        ),
        Step(
            "Walls: truncated after 8 steps, no loss reaches back into an earlier chunk. "
            "Little is lost: the gradient is 93 % as long, at a cosine of 0.93.",
            text=KEYS,
            link="chunk=8",
            panel="triangle",
        ),
        Step(
            "Worse: from 2.5 to 8.1 bits a character. The gradient says which way is down, not how"
            " far; drag the learning rate.",
            text=KEYS,
            link="rate=40",
            panel="descent",
            asks="One step of learning at a rate of 10: does the network get better at this text?",
            choices=("better", "worse"),
        ),
    ),
    "reach": (
        Step(
            "Under 1 %: 0.23 % of the gradient of “applied” reaches “person”. 76 % stays "
            "with the word just before.",
            text=PERSON,
            panel="arcs",
            asks="“applied” belongs to “person”. How much of its gradient reaches it in a plain net?",
            choices=("half", "a tenth", "under 1 %"),
            covers=("fall",),
        ),
        Step(
            "The LSTM carries 2.6 % back to “person”, the Transformer 8.4 %: through "
            "gates and attention, less is lost on the way back.",
            text=PERSON,
            panel="arcs",
        ),
        Step(
            "Seven words back the plain net's gradient is 0.0004 of that one word back, the LSTM's"
            " 0.02 and the Transformer's 0.4.",
            text=PERSON,
            panel="fall",
        ),
        Step(
            "The verb sends 22 % of its gradient to “keys” in the Transformer, 13 % in the LSTM and"
            " 6.9 % in the plain net.",
            text=KEYS,
            panel="arcs",
            asks="“were” belongs to “keys”. Which model could learn that best from this sentence?",
            choices=("Elman RNN", "LSTM", "Transformer"),
        ),
    ),
    "lstm": (
        Step(
            "Watch unit 69, which is marked: it turns blue behind the first quotation mark and"
            " stays blue until the second. Nobody trained it to do that.",
            text=QUESTION,
            link=f"{QUOTED}&first=62&shown=16",
            panel="open",
        ),
        Step(
            "The same unit as curves: its forget gate f shuts at both marks, below 0.02, and so the"
            " memory starts anew there.",
            text=QUESTION,
            link=f"{QUOTED}&first=62&shown=16",
            panel="unit",
        ),
        Step(
            "Unit 267 of layer 1 counts characters: about 46 after 48 of them. It adds nearly 1"
            " each time and forgets next to nothing.",
            text="The old captain looked at the sea. He was tired.",
            link=COUNTS,
            panel="unit",
            asks="Unit 267 of layer 1 holds 46 after this text. What may it do?",
            choices=("count characters", "mark nouns", "spell"),
            covers=("cell", "formula"),
        ),
        Step(
            "A mistake: “a” (was) gets 71 %, “e” (were) 17 %. It follows the nearest noun, not the"
            " subject.",
            text="The keys to the old cabinet w",
            panel="next",
            asks="The keys to the old cabinet w… Which letter does the model expect?",
            choices=("a (was)", "e (were)"),
        ),
    ),
    "surgery": (
        Step(
            "A quotation is open, so the model gives the closing mark 90 %. The marked unit, 69 of"
            " layer 2, knows that it is open.",
            text='He asked "why not?',
            link=QUOTED,
            panel="surgery",
        ),
        Step(
            "25 % instead of 90 %. One unit of 768 carries most of it; others hold the rest.",
            text='He asked "why not?',
            link=f"{QUOTED}&edits=cell:1:69:11-:set:1",
            panel="moves",
            asks="Unit 69 is now held at 1, as if nothing were quoted. The closing mark has …",
            choices=("90 %", "25 %", "0 %"),
            covers=("change", "writing"),
        ),
        Step(
            "Nothing is quoted here, but unit 69, held at −2, says so: the closing mark gets 13 %"
            " instead of 0.9 %.",
            text="It was a very fine day.",
            link=f"{QUOTED}&edits=cell:1:69:1-:set:-2",
            panel="moves",
        ),
        Step(
            "From “spring” on, all forget gates are held at 0. The sentence costs 115 bits instead"
            " of 67, and what it writes falls apart.",
            text="In the spring of 1914 she wrote to her sister",
            link="layer=0&unit=0&field=gate.forget&edits=gate.forget:*:*:8-:set:0",
            panel="writing",
        ),
    ),
    "memory": (
        Step(
            "Each row is a moment, each column an earlier character. At the opening mark unit 69"
            " drops all it held; the next letter writes −1.",
            text=QUESTION,
            link="layer=1&unit=69&token=10",
            panel="ledger",
        ),
        Step(
            "Above 51. Each character adds nearly 1 and nothing is forgotten: tanh bounds what is"
            " written, not the sum.",
            text='He asked "why not?" and left the house without a word.',
            link="layer=0&unit=267",
            panel="account",
            asks="No character writes more than 1. How large is the memory of unit 267 here?",
            choices=("1 at most", "about 10", "above 50"),
            covers=("ledger", "formula"),
        ),
        Step(
            "Unit 151 forgets slowly: at the end, over half of what the year and the bracket wrote"
            " is still there.",
            text="In 1914 (before the war) he wrote",
            link="layer=1&unit=151",
            panel="fading",
        ),
    ),
    "external": (
        Step(
            "Each letter goes to a slot of its own; behind = the same slots are read in order. Both"
            " models say all eight letters and the end.",
            text="bhacegda=bhacegda",
            panel="tape",
        ),
        Step(
            "A place. By content it would look at slot 0 most, with 46 %; it steps on from where it was,"
            " and reads slot 1 with 99 %.",
            text="aabbaabb=a",
            panel="address",
            link="by=read",
            asks="Which slot to read next: does it look for a letter, or for a place?",
            choices=("a letter", "a place"),
            covers=("tape", "slots"),
        ),
        Step(
            "All 16 letters, though no line in training had more than 10; the LSTM goes wrong at the"
            " sixth.",
            text="gbdhfaecgbdhfaec=gbdhfaecgbdhfaec",
            panel="tape",
        ),
    ),
    "shapes": (
        Step(
            "Bad, with 66 %. The last word decides it: up to “is” the model leaned "
            "towards good, with 70 %.",
            text="The acting is perfect, but the plot is dull",
            panel="label",
            asks="Perfect acting, dull plot: does the model call this a good review or a bad one?",
            choices=("good", "bad"),
            covers=("shape",),
        ),
        Step(
            "Still bad, with 76 %, though it ends in “perfect”: in another order the same words add"
            " up to another state.",
            text="The plot is dull, but the acting is perfect",
            panel="shape",
        ),
        Step(
            "No: 69 % for good. It follows “good” and has hardly learned “not”.",
            text="The film is not good",
            panel="label",
            asks="“The film is not good.” Does it understand “not”?",
            choices=("yes", "no"),
            covers=("shape",),
        ),
    ),
    "pooling": (
        Step(
            "Attention: 98 % of its vector is the state at “cat”. The mean takes 11 % from each word; all"
            " four say “animal”.",
            text="oak rose ! cat hammer bread soup fern saw",
            panel="pooled",
            asks="“cat” is marked and decides the label. Who takes most of the vector from its state?",
            choices=("attention", "mean", "last state"),
            covers=("prefix",),
        ),
        Step(
            "Without the mark nothing is known: attention gives “animal” 25 %, a guess among four.",
            text="oak rose cat hammer bread soup fern saw",
            panel="prefix",
        ),
        Step(
            "Sixteen words behind “nail” the last state still says “tool” with 99.9 %, though 0 % of its"
            " vector comes from there: the LSTM has carried it.",
            text="! nail oak rose cat dog bread soup fern moss owl crab rice cake palm reed fox bean",
            panel="pooled",
        ),
    ),
    "textcnn": (
        Step(
            "Negative, 98.7 %. Framed is what each filter matches best; “plot is a boring mess” adds"
            " most.",
            text=MESS,
            panel="phrases",
        ),
        Step(
            "It stays negative, 99.5 %: max pooling keeps the best match of each filter and forgets"
            " where it stood.",
            text=SUPERB,
            panel="phrases",
            asks="Praise now comes last. What happens to the answer?",
            choices=("it turns positive", "it stays negative"),
            covers=("products",),
        ),
        Step(
            "Filter 74, the strongest, is off: still 98.3 %. Other filters have found the same phrase.",
            text=MESS,
            link="picks=74&unit=74",
            panel="phrases",
        ),
        Step(
            "“bad at all” pulls, “not” hardly: negative, 70 %. What turns a word round it has not"
            " learned.",
            text="not bad at all",
            panel="phrases",
        ),
        Step(
            "One match opened: 5 words of 32 channels each, 160 products. With the bias they sum to"
            " 0.97.",
            text=MESS,
            link="unit=74",
            panel="products",
        ),
    ),
}

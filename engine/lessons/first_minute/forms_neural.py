"""First minutes of pages of forms: one unit, units, cells, scale."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

UNIT = "text_of=stories&signal=cell&about=the strongest"
TRAINED = "noise=none&match=parameters&size=40&distance=20&steps=600&seed=0"
FOUR = "cells=Elman RNN&cells=LSTM&cells=GRU&cells=Dual memory"
COPY = f"{FOUR}&{TRAINED}&task=Copy: four letters, in order&far=short and long&forget=1"
LAG = (
    "cells=Elman RNN&cells=LSTM&cells=GRU&cells=LSTM of 1997&task=Lag: one letter, k tokens ago"
    f"&{TRAINED}&far=long only"
)

PLAIN = "cured_text=the keys of the man are lost&layers=4&scale=1.0&activation=tanh"

SIX = "image=30&filter=1&pooling=max"
# the same image, two cells further to the right
MOVED = "000008e400007g700000ea000001g6000003gga00002gce60000cfba00000ad8"

NEURAL: Mapping[str, tuple[Step, ...]] = {
    "dynamics": (
        Step(
            "From 0.4 the unit falls to 0.145. The middle fixed point, 0.5, is not stable: a small"
            " step away from it leads further away.",
            link="w=5.0&b=-2.5&h=0.4",
            panel="fixed",
        ),
        Step(
            "It explodes: 808 instead of 0.000033. At 0.5 every step multiplies it by 1.25, at 0.145"
            " by 0.62.",
            link="w=5.0&b=-2.5&h=0.5",
            panel="network",
            asks="It begins at 0.5 instead of 0.4. What does the gradient over 30 steps do?",
            choices=("vanish", "explode"),
        ),
        Step(
            "0.0007: a hundredth further to the right the unit rises to the other fixed point. On"
            " such a cliff the gradient is huge.",
            link="w=5.0&b=-2.4&h=0.4",
            panel="cliff",
            asks="At a bias of −2.41 the loss is 0.45. What is it at −2.40?",
            choices=("0.45", "0.40", "0.0007"),
        ),
    ),
    "cures": (
        Step(
            "Neither's: 3 ten-millionths are left in the LSTM, 2 in the plain net. Its gates begin at"
            " about a half, and a half 27 times over is nothing.",
            link=f"{PLAIN}&cell=lstm&forget=0.0",
            panel="gradient-cured",
            asks="A fresh LSTM beside a plain net: whose gradient reaches the first character?",
            choices=("the LSTM's", "both nets'", "neither's"),
            covers=("gradient-plain", "back", "part-each-cure-by-itself"),
        ),
        Step(
            "With a forget bias of 3, 0.081 is left: the gates begin at about 0.95, and the memory"
            " hands the gradient on.",
            link=f"{PLAIN}&cell=lstm&forget=3.0",
            panel="gradient-cured",
        ),
        Step(
            "It gets weaker there: 1.7 billionths instead of 230. Residual connections lead past"
            " layers, not past steps.",
            link=f"{PLAIN}&cell=rnn&residual=true",
            panel="gradient-cured",
            asks="A plain net with residual connections: does more reach the first character?",
            choices=("more", "less"),
            covers=("back", "part-each-cure-by-itself"),
        ),
    ),
    "units": (
        Step(
            "They lie inside quotation marks: of all pairs of places, one inside and one outside, the"
            " unit is lower inside in 99.70 %.",
            link=f"{UNIT}&layer=1&unit=69",
            panel="places",
            asks="In these eight places unit 69 of layer 2 is lowest. What do they share?",
            choices=("a name", "a quotation", "a full stop"),
            covers=("part-verdict", "part-hypotheses", "split"),
        ),
        Step(
            "All 20 hypotheses are tested. Unit 151 responds most to “two brackets deep”: "
            "it is higher there in 95.0 % of all pairs.",
            link=f"{UNIT}&layer=1&unit=151",
            panel="part-hypotheses",
        ),
        Step(
            "Unit 267 of layer 1 counts characters, and that is not on the list: its best hypothesis"
            " reaches 57.7 %, and a coin 50 %.",
            link=f"{UNIT}&layer=0&unit=267",
            panel="part-hypotheses",
        ),
    ),
    "cells": (
        Step(
            "The GRU: 99.2 % right. The LSTM has 85.5 %, the RNN 33.6 %, and a guess is right 25 % of"
            " the time.",
            link=COPY,
            panel="clean",
            asks="Four letters, a pause, then all four again. Which cell does it best?",
            choices=("RNN", "LSTM", "GRU"),
            covers=("disturbed", "part-results"),
        ),
        Step(
            "Trained on long distances alone, the RNN and the LSTM only guess: 25.2 % right. The GRU"
            " and the LSTM of 1997 find the link.",
            link=f"{LAG}&forget=1",
            panel="part-results",
        ),
        Step(
            "Yes: 100.0 % instead of 25.2 %. Only the forget bias has changed, from 1 to 3, and the"
            " gradient now reaches back to the letter.",
            link=f"{LAG}&forget=3",
            panel="part-results",
            asks="The LSTM again, with a forget bias of 3 at the start. Does it learn it now?",
            choices=("yes", "no"),
            covers=("clean", "disturbed"),
        ),
        Step(
            "Each cell is made of equal blocks: a GRU has three of them, an LSTM four. So 274,176"
            " parameters stand against 365,568.",
            link=f"{COPY}&d=100&h=256",
            panel="parameters",
        ),
    ),
    "convolution": (
        Step(
            "A held-out 6. The kernel of 3 × 3 slides over it: nine products, a sum, and one number"
            " of the map. Point at any place.",
            link=f"{SIX}&drawing=&stride=1&padding=1",
            panel="part-digit",
        ),
        Step(
            "33,280: each of 512 outputs has a weight for each of 64 cells, and a bias. Eight filters"
            " share 9 weights and a bias each: 80.",
            link=f"{SIX}&drawing=&stride=1&padding=1",
            panel="part-digit",
            asks="The filters learn 80 numbers. How many would a dense layer to all 512 places learn?",
            choices=("640", "4,096", "33,280"),
        ),
        Step(
            "93.5 %: with every other place left out, maps of 4 × 4 remain instead of 8 × 8. With"
            " stride 1 it was 98.2 %.",
            link=f"{SIX}&drawing=&stride=2&padding=1",
            panel="part-digit",
            asks="Now the kernel skips every other place. How many digits are still read right?",
            choices=("98 %", "93 %", "50 %"),
        ),
        Step(
            "As a 4, 93.9 %: the maps have moved along, but the dense layer has other weights at every"
            " place.",
            link=f"{SIX}&drawing={MOVED}&stride=1&padding=1",
            panel="part-digit",
            asks="The same 6, two cells further to the right. As what is it read?",
            choices=("a 6", "a 4"),
        ),
    ),
    "scale": (
        Step(
            "6, however many processors there are: each word waits for the one before it. Attention"
            " needs 2 ticks, one for each layer.",
            link="sentence=The weather is beautiful today&layers=2&workers2=16",
            panel="ready",
            asks="5 words, 2 layers, 16 processors: how many ticks does a recurrent net need?",
            choices=("2", "6", "10"),
            covers=("part-ticks",),
        ),
        Step(
            "Twice the parameters give 0.949 times the loss, and half the loss takes 9,139 times the"
            " parameters.",
            link="power=9.0",
            panel="laws",
        ),
        Step(
            "The smooth curve is the chance that one token is right. For 16 in a row the same law looks"
            " like a sudden skill.",
            link="in_a_row=16",
            panel="skills",
        ),
        Step(
            "The Transformer pays half for the second reading: it looks up what came next. The LSTM"
            " saves 5 %, the n-gram model nothing.",
            link="passage=The Snark was a Boojum, you see.&times=3&prompt_beside=lstm"
            "&prompt_beside=ngram",
            panel="repeated",
            asks="The same sentence again. Which model is less surprised the second time?",
            choices=("LSTM", "Transformer", "n-gram"),
        ),
    ),
}

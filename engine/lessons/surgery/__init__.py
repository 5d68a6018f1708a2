"""Surgery: what happens if I hold a gate, or switch off a head?"""

from __future__ import annotations

from engine.core.cell_card import listed
from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="surgery",
    era="Recurrence",
    title="Surgery",
    question="What happens if I hold a gate, or switch off a head?",
    model="lstm",
    also=(*(id for id in listed() if id != "lstm"), "transformer", "bert"),
    example='He asked "why not?',
    tries=(
        Try(
            'He asked "why not?',
            "Unit 69 of layer 2 remembers an open quotation. Held at 1 from the first quoted letter "
            "on, it takes the closing mark from 90 % to 25 %.",
            link="layer=1&unit=69&field=cell&edits=cell:1:69:11-:set:1",
        ),
        Try(
            "It was a very fine day.",
            "Unit 69 is held at −2, as if a quotation were open: its end gets 13 % instead of 0.9 %.",
            link="layer=1&unit=69&field=cell&edits=cell:1:69:1-:set:-2",
        ),
        Try(
            "In the spring of 1914 she wrote to her sister",
            "From “spring” on, all forget gates are held at 0, so only the current token is "
            "remembered: 115 bits for the sentence instead of 67.",
            link="layer=0&unit=0&field=gate.forget&edits=gate.forget:*:*:8-:set:0",
        ),
    ),
    sources=(
        "Lakretz et al., The Emergence of Number and Syntax Units in LSTM Language Models, 2019",
        "Bau et al., Identifying and Controlling Important Neurons in Neural Machine Translation, 2019",
        "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015",
        "Michel, Levy & Neubig, Are Sixteen Heads Really Better than One?, 2019",
        "Vig et al., Investigating Gender Bias in Language Models Using Causal Mediation Analysis, 2020",
        "Meng, Bau, Andonian & Belinkov, Locating and Editing Factual Associations in GPT, 2022",
        "Zhang & Nanda, Towards Best Practices of Activation Patching in Language Models, 2024",
    ),
    differs="The notes say what a gate is for, and infer roles from attention weights. Here you "
    "can test it: hold the gate, or switch the head off, and measure what changes. What changes an "
    "answer need not be its only cause: other units or heads may carry the same information.",
    minutes=15,
    before=("lstm",),
    first="layer=1&unit=69&field=cell&edits=cell:1:69:11-:set:1",
    minute=(
        Step(
            "A quotation is open, so the model gives the closing mark 90 %. The marked "
            "unit, 69 of layer 2, knows that it is open.",
            text='He asked "why not?',
            link="layer=1&unit=69&field=cell",
            panel="surgery",
        ),
        Step(
            "25 % instead of 90 %. One unit of 768 carries most of it; others hold the rest.",
            text='He asked "why not?',
            link="layer=1&unit=69&field=cell&edits=cell:1:69:11-:set:1",
            panel="moves",
            asks="Unit 69 is now held at 1, as if nothing were quoted. The closing mark has …",
            choices=("90 %", "25 %", "0 %"),
            covers=("change", "writing"),
        ),
        Step(
            "From “spring” on, all forget gates are held at 0. The sentence costs 115 bits "
            "instead of 67, and what it writes falls apart.",
            text="In the spring of 1914 she wrote to her sister",
            link="layer=0&unit=0&field=gate.forget&edits=gate.forget:*:*:8-:set:0",
            panel="writing",
        ),
    ),
    topics="""
surgery | Hold a gate open or shut | rnn D1 D2 D3 D4 D7 D8; lstm A12 A17; foundations S22
    Drag a gate of one unit and see what changes after it, and how the text would go on.
    intervention, ablation, edit a state, update gate, forget gate, counterfactual, steering
switches | Switch off a head | transformers D5 G10 | | run=transformer
    Any head, feed-forward part, norm, residual connection or weight taken away, and what changes.
    ablation, model surgery, head pruning, redundancy, causal intervention
part-two-sentences | Activation patching between two sentences | transformers D5 | | run=transformer
    Where the difference between two sentences sits: by layer and token.
    causal tracing, causal mediation, clean and corrupted run
""",
)

"""Model surgery: what happens if I switch this head off?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="patching",
    era="Attention",
    title="Model surgery",
    question="What happens if I switch this head off?",
    model="transformer",
    example="The girl looked at the old man and shook",
    tries=(
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
    ),
    sources=(
        (
            "Michel, Levy & Neubig, Are Sixteen Heads Really Better than One?, 2019 (heads "
            "switched off)"
        ),
        (
            "Vig et al., Investigating Gender Bias in Language Models Using Causal Mediation "
            "Analysis, 2020"
        ),
        (
            "Meng, Bau, Andonian & Belinkov, Locating and Editing Factual Associations in GPT, "
            "2022 (patching by layer and token)"
        ),
        "Zhang & Nanda, Towards Best Practices of Activation Patching in Language Models, 2024",
    ),
    differs="The notes infer roles from attention weights. Here you switch a head off and measure "
    "what changes. If the answer changes, the head was used for it. It may have other uses, "
    "and another head may be able to replace it.",
    minutes=10,
    before=("heads", "transformer"),
    subtitle="on a Transformer's heads",
    first="layer=2&head=3&edits=reading:2:3:*:scale:0",
    minute=(
        Step(
            "Head 4 of layer 3 looks back at “girl”, and the model gives “her” 53 %. No "
            "part is switched off yet.",
            text="The girl looked at the old man and shook",
            link="layer=2&head=3",
            panel="weighing",
        ),
        Step(
            "“his”: without this one head, “her” falls from 53 % to 32 %. So the head was "
            "used for the answer.",
            text="The girl looked at the old man and shook",
            link="layer=2&head=3&edits=reading:2:3:*:scale:0",
            panel="moves",
            asks="Now that head is switched off. Which word is likeliest?",
            choices=("her", "his", "the"),
            covers=("writing",),
        ),
        Step(
            "Head 3 of layer 5 copies what followed the first “L”. Without it, “l” falls "
            "from 82 % to 3.4 %.",
            text="The dog was called Llanfair. We all liked L",
            link="layer=4&head=2&edits=reading:4:2:*:scale:0",
            panel="moves",
        ),
    ),
    topics="""
switches | Switch off a head | transformers D5 G10
    Any head, feed-forward part, norm, residual connection or weight taken away, and what changes.
    ablation, model surgery, head pruning, redundancy, causal intervention
weighing | Edit one attention weight | transformers D5
    Set a weight by hand and read what the model answers then.
    intervention, attention edit
part-two-sentences | Activation patching between two sentences | transformers D5
    Where the difference between two sentences sits: by layer and token.
    causal tracing, causal mediation, clean and corrupted run
""",
)

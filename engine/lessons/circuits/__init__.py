"""Circuits: which heads and layers make an answer, and how much of it they keep when all else is taken away."""

from __future__ import annotations

from urllib.parse import urlencode

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="circuits",
    era="Attention",
    title="Circuits",
    question="Which heads and layers make this answer, and is that all of it?",
    model="transformer",
    opens="transformer_copying",
    example="kqzr=kq",
    tries=(
        Try(
            "kqzr=kq",
            "L2 FFN adds 10.6 to the lead of z, L2 H4 takes 1.09 from it: and yet nearly all goes through L2 H4, for L2"
            " FFN reads it.",
        ),
        Try(
            "abxdefgh=ab",
            "x, though c is next in the alphabet, leads by 16.6. 87 % of the difference goes from L2 H4 to L2 FFN, 14 %"
            " from L2 H4 straight to the answer.",
        ),
        Try(
            "kqzr",
            "No mark, so nothing has to be copied, and there is no twin: the first answer, the mark, stands against the"
            " second.",
        ),
    ),
    minutes=25,
    before=("transformer", "heads"),
    minute=(
        Step(
            "z leads a by 8.18 after the text, and a leads z by 7.71 after its twin. One letter differs: the cause.",
            text="kqzr=kq",
            panel="pair",
        ),
        Step(
            "L2 H4, head 4 of layer 2: 98 % of the difference goes from it to L2 FFN, 96 % from there to the answer.",
            text="kqzr=kq",
            panel="graph",
            asks="Cut one line, run the net anew: through which head does the answer go?",
            choices=("L1 H2", "L2 H1", "L2 H4"),
            covers=("sum", "graph"),
        ),
        Step(
            "10 of 110 edges keep 102.6 % of the difference over 64 texts, random circuits of that size 3.6 %.",
            text="kqzr=kq",
            link=urlencode({"circuits.part": "The circuit"}),
            panel="part-the-circuit",
        ),
        Step(
            "Put the mean in place of the twin's numbers, and those 10 keep 8.8 %: where a head looks is not in them.",
            text="kqzr=kq",
            link=urlencode({"circuits.part": "The circuit", "circuits.other": "mean"}),
            panel="part-the-circuit",
        ),
    ),
    sources=(
        "Elhage et al., A Mathematical Framework for Transformer Circuits, 2021",
        "Olsson et al., In-context Learning and Induction Heads, 2022",
        "Wang, Variengien, Conmy, Shlegeris & Steinhardt, Interpretability in the Wild: a Circuit for Indirect Object"
        " Identification in GPT-2 Small, 2023 (faithfulness, completeness)",
        "Goldowsky-Dill, MacLeod, Sato & Arora, Localizing Model Behavior with Path Patching, 2023",
        "Conmy, Mavor-Parker, Lynch, Heimersheim & Garriga-Alonso, Towards Automated Circuit Discovery for Mechanistic"
        " Interpretability, 2023 (ACDC)",
        "Elhage et al., Toy Models of Superposition, 2022",
        "Bricken et al., Towards Monosemanticity: Decomposing Language Models With Dictionary Learning, 2023",
        "Cunningham, Ewart, Riggs, Huben & Sharkey, Sparse Autoencoders Find Highly Interpretable Features in Language"
        " Models, 2024",
        "Gao et al., Scaling and Evaluating Sparse Autoencoders, 2024 (TopK)",
    ),
    differs="The notes say that several heads specialise, that some are redundant, and that attention can be read as an"
    " explanation. Here each part is cut out and the net run anew: what is not needed goes, and how much the rest keeps"
    " is a number, beside that of random circuits of the same size.",
    links=(
        ("surgery", "Switch off a head yourself", "run=transformer"),
        ("heads", "What each head looks at", ""),
        ("units", "What one unit responds to", ""),
    ),
    topics="""
pair | A text and its twin | transformers D5
    The same text with another cause, by rule, and how far the right answer leads after each.
    contrast pair, minimal pair, counterfactual input, logit difference, corrupted prompt
graph | Path patching | transformers D5
    Every line between two parts of a net cut by itself, with each key: which way the answer takes.
    path patching, edge patching, causal graph, computational graph, circuit diagram, wires between heads
sum | Logit difference as a sum over parts | transformers D5
    What each head and feed-forward part itself adds to right minus wrong, for a text and its twin.
    direct logit attribution of a difference, contribution of heads, right minus wrong
part-the-circuit | Circuit of a behaviour | transformers D5
    Induction, agreement or brackets as a graph of heads and layers, with a threshold for its edges.
    circuit discovery, mechanistic interpretability, induction circuit, subgraph, reverse engineering
part-how-much-it-keeps | Faithfulness and completeness of a circuit | transformers D5
    What circuits of all sizes keep, what is left without them, random ones beside them, and ACDC.
    faithfulness, completeness, minimality, ACDC, random circuits, greedy pruning of edges
part-each-head-and-layer | Ablation by zero, mean and resampling | transformers D5
    All that a head or a feed-forward part writes replaced in three ways, over many texts.
    mean ablation, resample ablation, zero ablation, knock out a head, node ablation
part-two-texts-of-your-own | Path patching between two texts of your own | transformers D5
    Two typed texts, and every edge between query, key, value and feed-forward parts cut.
    own contrast, custom prompt pair, Q K V composition, query composition, key composition
part-a-sparse-dictionary | Sparse autoencoder | | transformers B8
    One layer's vectors as sums of few features, trained here: loss, L0, variance and loss recovered.
    SAE, dictionary learning, TopK, L1 penalty, dead features, monosemantic, loss recovered
part-features-in-your-text | Features of a sparse autoencoder | | transformers B8
    A feature lit in your text, its strongest places elsewhere, and the tokens that it raises.
    SAE features, feature dashboard, max activating examples, monosemantic feature
part-do-features-stand-for-something | Does a feature stand for something? | | transformers B8
    The best feature, the best single number and the best random direction, judged on known causes.
    AUC of a feature, SAE evaluation, feature or neuron, polysemantic, is an SAE feature real
part-on-planted-directions | Superposition | | transformers B8
    More directions than numbers, planted, and how many of them a dictionary finds again.
    toy models of superposition, mean max cosine similarity, MMCS, recovery, sparse coding
""",
)

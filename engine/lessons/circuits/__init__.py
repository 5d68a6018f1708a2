"""Circuits: which heads and layers make an answer, and how much of it they keep when all else is taken away."""

from __future__ import annotations

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
        Try("kqzr=kq", "a"),
        Try("abxdefgh=ab", "b"),
        Try("kqzr", "c"),
    ),
    minutes=25,
    before=("transformer", "heads"),
    minute=(
        Step("a.", text="kqzr=kq", panel="pair"),
        Step("b.", text="kqzr=kq", panel="graph", asks="x?", choices=("a", "b"), covers=("sum",)),
        Step("c.", link="circuits.part=The circuit", panel="part-the-circuit"),
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
graph | Path patching | transformers D5
    Every line between two parts of a net cut by itself, with each key: which way the answer takes.
    path patching, edge patching, causal graph, computational graph, circuit diagram, wires between heads
""",
)

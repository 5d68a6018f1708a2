"""Heads: what does each head do, and do its weights explain the answer?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="heads",
    era="Attention",
    title="Heads",
    question="What does each head do, and do its weights explain the answer?",
    model="transformer",
    also=("bert", "observed_decoder", "observed_encoder"),
    offers="smollm2",
    example="The students opened their books because they wanted to read",
    tries=(
        Try(
            "The students opened their books because they wanted to read",
            "Head 1 of layer 2 looks at the previous token: a line of cells just below the diagonal.",
            link="layer=1&head=0",
        ),
        Try(
            'She said: "The king is here." He said: "The queen is gone."',
            "Head 2 of layer 2 puts 99 % of its weight on colons, full stops and quotation "
            "marks: whole columns light up.",
            link="layer=1&head=1",
        ),
        Try(
            "The dog was called Tibbleford. We all liked T",
            "An induction head: from the second “T”, head 3 of layer 5 looks at “ib”, which "
            "followed the first “T”. The model now predicts “ib” with 83 %.",
            link="layer=4&head=2",
        ),
    ),
    sources=(
        "Clark, Khandelwal, Levy & Manning, What Does BERT Look At? An Analysis of BERT's Attention, 2019",
        "Olsson et al., In-context Learning and Induction Heads, 2022",
        "Abnar & Zuidema, Quantifying Attention Flow in Transformers, 2020 (rollout)",
        "Jain & Wallace, Attention is not Explanation, 2019",
        "Wiegreffe & Pinter, Attention is not not Explanation, 2019",
    ),
    differs="The notes give each head a clean role (syntax, meaning, coreference). Here a role is "
    "measured. A head gets a tag only if it clearly puts more weight on true pairs than on "
    "the same pairs in shuffled text. Most heads get none.",
    minutes=15,
    before=("attention",),
    minute=(
        Step(
            "A line of cells just below the diagonal: head 1 of layer 2 looks at the previous token, whatever it is.",
            text="The students opened their books because they wanted to read",
            link="layer=1&head=0",
            panel="open",
        ),
        Step(
            "Whole columns light up: head 2 of layer 2 puts 99 % of its weight on colons, "
            "full stops and quotation marks.",
            text='She said: "The king is here." He said: "The queen is gone."',
            link="layer=1&head=1",
            panel="open",
        ),
        Step(
            "At “ib”, which followed the first “T”. An induction head: it copies, and the "
            "model gives “ib” 83 % for a name it never read.",
            text="The dog was called Tibbleford. We all liked T",
            link="layer=4&head=2",
            panel="open",
            asks="From the second “T”, where does head 3 of layer 5 look?",
            choices=("the first T", "what followed it", "dog"),
            covers=("wall", "arcs"),
        ),
    ),
    topics="""
wall | Multi-head attention | transformers A3 B6 B7 D1 L19; foundations S29 S30; language_models M12 M83
    All heads of all layers as small pictures over your text.
    MHA, attention heads, head wall
tags | What a head does | transformers D3 D4 | transformers B11
    Previous token, same word, punctuation, induction: tags measured against shuffled text.
    head specialisation, induction head, syntax head, head roles
arcs | Attention as lines between words | transformers L19
    The opened head as arcs from each word to those it reads.
    BertViz, attention visualisation, probing
spread | How spread each head is | transformers D4
    Entropy, distance and the weight on the first token, of every head on your text.
    entropy of attention, diffuse heads, collapse
part-one-matrix-for-all-heads | All heads at once: one matrix reshaped | transformers D2
    A small matrix of queries shared out among the heads, number by number; what a forgotten transpose does.
    reshape, transpose, view, batched heads, split heads, parallel heads
part-does-attention-explain | Does attention explain the answer? | transformers L19 | transformers B8
    Weights beside what really happens when a token is taken away.
    faithfulness, attention is not explanation, interpretability, rollout
part-all-tags | All heads by their tags | transformers D4
    A table of every head with its tags, and how they were measured.
    tags of heads, roles of heads
""",
)

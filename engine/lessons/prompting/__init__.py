"""Prompting: what can a model be told to do by its prompt alone, with no weight changed?"""

from __future__ import annotations

from urllib.parse import urlencode

from engine.course.base import Lesson, Step

TEXTS = {
    "prompting.examples": "saw = no\nhammer = no\ncat = blue\ndrill = no",
    "prompting.question": "frog",
}

LESSON = Lesson(
    id="prompting",
    era="Attention",
    title="Prompting",
    question="What can a model be told to do by its prompt alone, with no weight changed?",
    model="transformer",
    opens="transformer_mappings",
    offers="smollm2",
    example="cat = yes ; saw = no ; dog =",
    tries=(),
    live=False,
    minutes=25,
    before=("transformer",),
    true_where="prompting.run=transformer_mappings",
    minute=(
        Step(
            "“blue”, with 87 % behind four examples; with none it had 0.06 %. No line that this model learned from"
            " calls an animal blue.",
            link=urlencode({"prompting.part": "Answers by number of examples", **TEXTS}),
            panel="part-answers-by-number-of-examples",
            asks="Tools are “no”, one cat is “blue”. What is a frog, for a model whose weights stay?",
            choices=("no", "blue", "neither"),
        ),
        Step(
            "Without “cat = blue”, 0.21 % are left; without any other, over 93 %. One head puts 70 % of its weight on"
            " that label.",
            link=urlencode({"prompting.part": "Which example did it", **TEXTS}),
            panel="part-which-example-did-it",
        ),
        Step(
            "In steps: 14002. At once it is 14011. Both nets learned the same sums.",
            link=urlencode(
                {"prompting.part": "Written steps", "prompting.chain.asked": "5055+8947"}
            ),
            panel="part-written-steps",
            asks="5055 + 8947: which of two small models gets it right?",
            choices=("the one that writes steps", "the other"),
        ),
    ),
    sources=(
        "Brown et al., Language Models are Few-Shot Learners, 2020",
        (
            "Chan et al., Data Distributional Properties Drive Emergent In-Context Learning in"
            " Transformers, 2022 (labels drawn anew for each line)"
        ),
        "Min et al., Rethinking the Role of Demonstrations, 2022 (labels at random)",
        "Lu et al., Fantastically Ordered Prompts and Where to Find Them, 2022",
        "Nye et al., Show Your Work: Scratchpads for Intermediate Computation, 2021",
        "Wei et al., Chain-of-Thought Prompting Elicits Reasoning in Large Language Models, 2022",
        "Raffel et al., Exploring the Limits of Transfer Learning with T5, 2020 (prefixes)",
        "Lewis et al., Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks, 2020",
    ),
    differs="The notes show a few-shot prompt for text-davinci-003. That model and the call for it are gone; here every"
    " answer is computed by a model on this computer.\n"
    "Their structured prompt ends with “Input:” and has no place for the text itself.\n"
    "They call `InferenceApi(model_id=...)`, whose argument was `repo_id`, and `transformers.onnx.export` with too few"
    " arguments; both are gone from their libraries.\n"
    "Their targets for T5 keep the filling of short lines; it has to be −100, or the model learns to write it.\n"
    "They list chains of thought among what large models come to do by themselves; here a small one has learned"
    " its steps from text that has them.",
    topics="""
part-answers-by-number-of-examples | Few-shot prompts | transformers I9 J15 L20; language_models M19
    The answers behind none, one, or more of your examples, with nothing trained.
    few-shot, zero-shot, one-shot, in-context learning, ICL, prompt, GPT-3 prompt, meta-learning
part-which-example-did-it | Which example did it | transformers I9
    One left out, the order shuffled, the labels shuffled, the loss by example, and the heads that look.
    leave one out, order sensitivity, random labels, induction heads
part-a-passage-again-and-again | Learning from the prompt | transformers I9; language_models M19
    A passage read several times in a row: how fast its surprise falls in each model.
    in-context learning, repeated text
part-written-steps | Chain of thought | transformers J16
    Sums written at once and column by column, each step checked, and the share right by digits.
    chain of thought, CoT, scratchpad, reasoning, addition, step by step
part-check-a-chain | Checking a solution step by step | transformers J8
    Equations a line at a time: the first that does not hold is named.
    mathematics, word problem, verification, self-correction, rectangle
part-prefixes | Task prefixes | transformers L3
    The same letters behind copy, reverse and sort: the prefix says the task.
    T5, text-to-text, summarize:, task prefix, instruction
part-named-parts | Structured prompts | transformers N11
    Task, instructions, context, examples and a place for the text, with and without it.
    prompt engineering, template, prompt builder, instructions
part-look-it-up-first | Retrieval before the question | transformers I13
    Passages of your text ranked by the question and put before it: the answer with them and without.
    RAG, retrieval-augmented generation, search, grounding, TF-IDF
""",
)

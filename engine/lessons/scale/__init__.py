"""Scale: why did reading all words at once win, and what does size bring?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="scale",
    era="Attention",
    title="Scale",
    question="Why did reading all words at once win, and what does size bring?",
    model="transformer",
    example="The weather is beautiful today",
    tries=(),
    sources=(
        "Vaswani et al., Attention Is All You Need, 2017, table 1",
        "Kaplan et al., Scaling Laws for Neural Language Models, 2020",
        "Brown et al., Language Models are Few-Shot Learners, 2020",
        (
            "Schaeffer, Miranda & Koyejo, Are Emergent Abilities of Large Language Models a "
            "Mirage?, 2023"
        ),
        (
            "Ouyang et al., Training Language Models to Follow Instructions with Human "
            "Feedback, 2022; Rafailov et al., Direct Preference Optimization, 2023"
        ),
    ),
    differs="The notes give a size for GPT-4, which was never published; it is left out here.\n"
    "They call attention parallel and recurrence sequential, but do not say that writing is "
    "sequential for both, or that the gain depends on the number of processors.\n"
    "They give no formula for scaling laws or for preferences; both are here.\n"
    "They say that GPT-2 changed the activation; GPT-1 had GELU already.\n"
    "They read LLaMA as Large Language and Multimodal Assistant; it stands for Large "
    "Language Model Meta AI, and the first one knew text only.\n"
    "They say that CLIP describes pictures; it compares a picture with a text and writes "
    "nothing.\n"
    "Their program for weights of 4 bits asks a module that does not have what it looks "
    "for, so it never chooses them.",
    minutes=15,
    before=("rnn", "transformer"),
    subtitle="of Transformers",
    live=False,
    minute=(
        Step(
            "6, however many processors there are: each word waits for the one before it. "
            "Attention needs 2 ticks, one for each layer.",
            link="sentence=The weather is beautiful today&layers=2&workers2=16",
            panel="ready",
            asks="5 words, 2 layers, 16 processors: how many ticks does a recurrent net need?",
            choices=("2", "6", "10"),
            covers=("part-ticks",),
        ),
        Step(
            "Twice the parameters give 0.949 times the loss, and half the loss takes 9,139 "
            "times the parameters.",
            link="power=9.0",
            panel="laws",
        ),
        Step(
            "The smooth curve is the chance that one token is right. For 16 in a row the "
            "same law looks like a sudden skill.",
            link="in_a_row=16",
            panel="skills",
        ),
        Step(
            "The Transformer pays half for the second reading: it looks up what came next. "
            "The LSTM saves 5 %, the n-gram model nothing.",
            link="passage=The Snark was a Boojum, you "
            "see.&times=3&prompt_beside=lstm&prompt_beside=ngram",
            panel="repeated",
            asks="The same sentence again. Which model is less surprised the second time?",
            choices=("LSTM", "Transformer", "n-gram"),
        ),
    ),
    true_where="scale.run=transformer",
    topics="""
ready | One word after the other, or all at once |
    transformers A1 A7 A10; language_models P57; rnn E26 | transformers A6 A11
    When each state is ready, in recurrence and attention, and the time it takes.
    sequential, parallelism, GPU, hardware, RNN against Transformer, throughput
laws | Scaling laws | transformers I6; language_models M10
    Loss against parameters and text, and what twice the size buys.
    Kaplan, power law, loss and size
sizes | The GPT series in numbers | transformers A12 I2 I3 I4 I5 | transformers I12; language_models M13
    Layers, width and parameters of GPT-1, GPT-2 and GPT-3, counted; and why not GPT-4.
    GPT-1, GPT-2, GPT-3, GPT-4, large language models, LLM
skills | Skills that seem to come all at once | transformers A13
    One smooth law, counted per token and per answer.
    emergent abilities, mirage, emergence
repeated | Learning from the prompt | | transformers I9; language_models M19
    A passage read again and again: how fast its surprise falls in each model.
    in-context learning, ICL, prompting, zero-shot
few_shot | Few-shot prompts | | transformers J15 L20 I9; language_models M19
    The task told by examples, with nothing trained.
    few-shot, prompt engineering, GPT-3 prompt
preference | Training on what people prefer | | transformers I8
    Two rewards on sliders, and how often one answer is preferred to the other.
    RLHF, DPO, reward model, alignment, Bradley-Terry
dialogue | A dialogue in a window | transformers J5
    Turns that you type, and what of them a model still reads when it answers.
    conversational state, chatbot memory, context window, falls out of the context
""",
)

"""Fine-tuning: a trained model goes on learning, whole or in part, and everything that changed in it."""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="finetuning",
    era="Your own models",
    title="Fine-tuning",
    question="How does a trained model learn something new, and what does it lose?",
    model="",
    example="Long ago Gregor walked to the barn to look for",
    tries=(),
    sources=(
        "Howard & Ruder, Universal Language Model Fine-tuning for Text Classification, 2018 (layers, one by one)",
        "Houlsby et al., Parameter-Efficient Transfer Learning for NLP, 2019 (adapters)",
        "Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, 2022",
        "Kirkpatrick et al., Overcoming Catastrophic Forgetting in Neural Networks, 2017",
        "Mangrulkar et al., PEFT: Parameter-Efficient Fine-Tuning, 2022",
    ),
    differs="The notes' three programs go wrong in silence: asked to unfreeze no layer, the first unfreezes all; of"
    " the adapters in twelve layers only the last is at work, and the net around them is never frozen; and LoRA leaves"
    " out the trained matrix and the factor α/r. All three run below, beside their repair.\n"
    "When they unfreeze layers, the pooler stays frozen, which their head reads; here what reads the last layer out"
    " always learns.\n"
    "Their adapter stands behind the norm of a layer and begins at random; here it changes what the feed-forward part"
    " adds, and begins as nothing.\n"
    "They write A with N(0, 1/r); here it begins as in the peft library, uniform.\n"
    "They set three rates by hand; here the rate falls by one share from layer to layer.",
    minutes=20,
    before=("transformer",),
    live=False,
    minute=(
        Step(
            "Before, “the” was to follow; now a capital, J before all: in these stories a name comes next.",
            link="finetuning.part=What it says, before and after&finetuning.of=lora",
            panel="part-what-it-says-before-and-after",
        ),
        Step(
            "63 % of the full ΔW of this matrix are in 8 of its 96 directions; LoRA found 8 of its own.",
            link="finetuning.part=What moved in one matrix",
            panel="part-what-moved-in-one-matrix",
        ),
        Step(
            "The last layer: 6.72 nats on a page of Austen, where it was 3.57. Adapters learn least and keep most.",
            link="finetuning.part=What it costs, and what is forgotten",
            panel="part-what-it-costs-and-what-is-forgotten",
            asks="Which way forgets the old text most?",
            choices=("all weights", "last layer and output", "adapters"),
        ),
    ),
    topics="""
part-what-it-says-before-and-after | Fine-tuning a language model | transformers L8
    What a model says of one sentence before and after it went on learning, as you type.
    fine-tune, transfer learning, domain adaptation, full fine-tuning, continued pre-training
part-its-heads-before-and-after | Attention heads before and after fine-tuning | transformers L8
    What each head looks at on one sentence before and after, and which head changed most.
    attention change, heads after fine-tuning, head drift
part-what-moved-in-one-matrix | LoRA, and the change of a matrix | transformers L12; language_models M15
    The full ΔW and that of LoRA side by side, their singular values, and the share that a rank holds.
    low-rank adaptation, rank, alpha, singular values, intrinsic dimension, merge
part-what-it-costs-and-what-is-forgotten | Trained share and loss of each way | transformers L13
    All weights, the last layer, the output, adapters and LoRA: numbers that learn, loss, and what is forgotten.
    parameter-efficient fine-tuning, PEFT, catastrophic forgetting, trainable parameters
part-trained-before-or-from-scratch | Trained before or from scratch | transformers J13; lstm B38
    A Transformer and an LSTM on more and more text, or labels, from trained weights and from random ones.
    sample efficiency, transfer, pre-training, few data, few labels, learning curve
part-which-numbers-learn | Freezing, unfreezing one by one, rates by layer, adapters |
    transformers L9 L10 L11 L23; language_models M16
    Which numbers learn, counted, and how the rate falls from layer to layer.
    freeze layers, progressive unfreezing, gradual unfreezing, discriminative learning rates, adapter layers,
    bottleneck
part-how-many-examples-to-keep-back | Training, validation and test: how many of each | transformers L4
    What shares come to in whole examples, and how exact a score on so few is.
    train-test split, held-out data, stratified, rounding, size of the test set
fold.listings | Fine-tuning programs that go wrong | transformers L9 L11 L12
    Layers unfrozen by layers[-0:], adapters made in a loop, and LoRA without its matrix, each beside its repair.
    late binding, closure, frozen layers
""",
)

"""Why this word: what each way to explain an answer says of every token before it, and which of them deserves trust."""

from __future__ import annotations

from engine.core.cell_card import listed
from engine.course.base import Lesson, Step, Try

KEYS = "The keys to the old cabinet"
RATHER = "by=against&next=is"

LESSON = Lesson(
    id="why",
    era="Attention",
    title="Why this word",
    question="Which tokens made the model answer so, and which method can be trusted to say?",
    model="transformer",
    also=(
        *listed(),
        *("feedforward", "convolution", "ngram", "hmm", "bert", "textcnn"),
        *("sentiment", "pooling", "ntm", "observed_decoder", "observed_states"),
    ),
    opens="transformer_agreement",
    true_of=("transformer_agreement",),
    example=KEYS,
    tries=(
        Try(
            KEYS,
            "Why “are” rather than “is”? Seven of nine methods put “keys” first.",
            RATHER,
            "are, not is",
        ),
        Try(
            KEYS,
            "Why “are” at all, rather than one more phrase? Six put “cabinet” first: behind it a verb can come.",
            "by=likeliest",
            "are at all",
        ),
        Try(
            "The key to the old cabinets",
            "“is” rather than “are”: gradient × input points at “old”, rollout at “cabinets”, all others at “key”.",
            "by=against&next=are",
        ),
    ),
    sources=(
        "Sundararajan, Taly & Yan, Axiomatic Attribution for Deep Networks, 2017 (integrated gradients)",
        "Simonyan, Vedaldi & Zisserman, Deep Inside Convolutional Networks, 2014 (gradient)",
        "Shrikumar et al., Not Just a Black Box, 2016 (gradient × input); Smilkov et al., SmoothGrad, 2017",
        "Li, Monroe & Jurafsky, Understanding Neural Networks through Representation Erasure, 2016 (occlusion)",
        "Ribeiro, Singh & Guestrin, “Why Should I Trust You?”, 2016 (LIME)",
        "Lundberg & Lee, A Unified Approach to Interpreting Model Predictions, 2017 (Shapley values)",
        "Abnar & Zuidema, Quantifying Attention Flow in Transformers, 2020 (rollout)",
        "Samek et al., Evaluating the Visualization of What a Deep Neural Network Has Learned, 2017; Petsiuk, Das &"
        " Saenko, RISE, 2018 (deletion and insertion)",
        "Bastings et al., “Will You Find These Shortcuts?”, 2022 (causes that were put in)",
        "Kokhlikyan et al., Captum, 2020 (the library that the numbers are tested against)",
    ),
    differs="The notes count interpretability among the benefits of language models, and attention weights as what"
    " makes a Transformer interpretable. Here eleven methods are asked about the same answer and tried where the cause"
    " is known; no one of them is right everywhere, the mean of all attention weights included.",
    minutes=25,
    before=("heads",),
    minute=(
        Step(
            "One row for each method. Seven of nine say that “keys” made it “are” rather than “is”; gradient × input"
            " says “old”, rollout “cabinet”.",
            text=KEYS,
            link=RATHER,
            panel="why",
        ),
        Step(
            "“cabinet”, say six of nine: only behind it can a verb come. Another question about the same word, another"
            " cause.",
            text=KEYS,
            link="by=likeliest",
            panel="why",
            asks="And why “are” at all, not one more “near” or “of”? Which token do most put first?",
            choices=("keys", "old", "cabinet"),
            covers=("why", "referee", "agree"),
        ),
        Step(
            "The same question; the baseline is now the mean vector, not zeros. Seven of nine say “keys”: the"
            " choice decides.",
            text=KEYS,
            link="by=likeliest&with=mean",
            panel="why",
        ),
        Step(
            "The referee lets tokens in by each method's order: “are” has 4.4 % on average by gradient × input, 33 to"
            " 37 % by all others.",
            text=KEYS,
            link="by=likeliest&with=zero",
            panel="referee",
        ),
    ),
    links=(
        ("heads", "One head's weights against a measured effect", ""),
        ("bptt", "How long a gradient is after many steps", ""),
    ),
    topics="""
why | Attribution: why this word | language_models M79
    Methods side by side, live: what each says of every token before one answer.
    saliency map, feature attribution, explainability, XAI, interpretability, gradient, input gradient,
    gradient × input, SmoothGrad, occlusion, erasure, leave one out, attention as explanation, Captum, Inseq
referee | Deletion and insertion | language_models M79
    Does the answer fall when the tokens go that a method puts first, and rise when they come?
    faithfulness, comprehensiveness and sufficiency, perturbation curve, RISE, area over the curve
agree | Do explanations agree? | language_models M79
    Rank correlations of every pair of methods over the tokens of your text.
    disagreement problem, Spearman correlation of attributions
part-planted-truth-who-finds-the-cause | Explanations where the cause is known | language_models M79
    Texts of a grammar in which one token decides: how often each method puts it first, in a Transformer and an LSTM.
    ground truth for attribution, sanity check, planted cause, shortcut, synthetic data
part-deletion-and-insertion | Deletion and insertion curves over many texts | language_models M79
    The curve of each method on your text, and the mean areas over many answers with intervals.
    evaluation of explanations, random baseline
part-integrated-gradients-does-it-add-up | Integrated gradients and completeness | language_models M79
    The sum, term by term, the path, and what is missing with few steps.
    IG, axiomatic attribution, baseline, path integral, Riemann sum, Gauss-Legendre, saturation
part-shapley-values-exact-sampled-and-lime | Shapley values and LIME | language_models M79
    All sets of at most ten tokens, orders drawn by chance with intervals, and a line fitted nearby.
    SHAP, KernelSHAP, cooperative game, permutation sampling, surrogate model, local linear model, R²
part-where-the-answer-is-known-exactly | Exact attributions | language_models M79
    A bag of words, the orders of an n-gram model, the memory of a recurrent net: answers that are sums.
    additive model, linear model, decomposition, cell decomposition
part-what-no-method-can-say | Limits of explanations | language_models M79
    Three baselines, and which methods change their mind.
    baseline choice, off-distribution, out of distribution, saturation, redundancy
""",
)

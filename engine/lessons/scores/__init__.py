"""Attention scores: the step of a recurrent decoder under five scores, trained each, with its look before or after the
cell; or over a window of the source, or one word."""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="scores",
    era="Attention",
    title="Attention scores",
    question="How does a recurrent decoder score each source word, when does it look, and at how many?",
    minutes=30,
    before=("translation",),
    model="seq2seq",
    example="The small black cat ate the mouse\nLe petit chat noir",
    prompt="The English on the first line, the French on the second, as far as you like",
    tries=(
        Try(
            "The small black cat ate the mouse\nLe petit chat noir",
            "Point at the words of the French, one after the other, and watch the five columns"
            " and the centroid move.",
        ),
        Try(
            "The dog did not cross the street because it was tired\nLe chien",
            "A longer sentence. Clear the second line and watch what each score writes by"
            " itself. Which of the five find “parce qu'il était fatigué”? Under Local and hard the French falls"
            " behind the English: which window still holds the word that is due?",
        ),
    ),
    sources=(
        "Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and Translate, 2015",
        "Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation, 2015",
        "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.1 (scaled dot)",
        "Bengio et al., Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks, 2015",
        "Xu et al., Show, Attend and Tell: Neural Image Caption Generation with Visual Attention, 2015",
        "Williams, Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning, 1992",
        "Bengio, Leonard & Courville, Estimating or Propagating Gradients Through Stochastic Neurons, 2013",
        "Deng et al., Latent Alignment and Variational Attention, 2018 (the sum over all choices)",
    ),
    differs="The notes score with the old state whichever score it is; dot, general and location come from a "
    "paper that scores with the new one. Here both orders are trained with every score.\n"
    "They give no formula for the place of a window; these are Luong's.\n"
    "They say that hard attention requires reinforcement learning. It needs an estimate of a slope: REINFORCE is "
    "one, and where the choices of a step are few they can all be tried, as here.\n"
    "The five translators are small and were trained once each: what they find easy or hard says little about "
    "larger ones.",
    true_of=tuple(
        f"score_{kind}_after" for kind in ("dot", "scaled_dot", "bilinear", "additive", "location")
    ),
    minute=(
        Step(
            "At “cat”, with 74 %: it reads no word, only places. What the encoder left there knows"
            " of “black” too, so “noir” comes out.",
            text="The small black cat ate the mouse\nLe petit chat",
            link="by=dot",
            panel="grid",
            asks="“noir” comes next. Four look at “black”. Where does location look most?",
            choices=("black", "cat", "ate"),
        ),
        Step(
            "Dot gives “black” 15.6 and the next word 5.25: softmax makes 100 % of that. Scaled dot"
            " divides by √64 and gives it 63 %.",
            text="The small black cat ate the mouse\nLe petit chat",
            link="by=dot",
            panel="step",
        ),
        Step(
            "Handed your “il”, it writes “petit” with 98 %. By itself it had written “elle”, and so “petite”.",
            text="The key is white and it is small\nLa clé est blanche et il est",
            link="by=dot",
            panel="forcing",
        ),
    ),
    topics="""
grid | Five scores of attention on one sentence | language_models M73 M75 M76; transformers C8 C9 C10
    Dot, general, concat, scaled dot and location, trained each, side by side.
    Luong attention, Bahdanau attention, dot score, general score, concat score,
    additive attention, multiplicative attention, location-based attention, alignment score
step | A score as a sum over units | foundations S39; language_models M71 M72 M91
    Query, keys, scores, softmax and context of one decoder step, number by number.
    query and key, attention step, energies, alignment model
centroid | The context vector as a centroid | language_models M77
    The keys in a plane, and their mean with the weights of attention.
    context vector, weighted mean, weighted average, centre of mass
part-one-step-by-hand | One step of a decoder by hand | language_models M74 M78
    Keys, query and W_a to change; the answer with attention beside that with a fixed context.
    W_a, general score by hand, fixed context, entropy of attention, output distribution
part-a-shorter-sentence-in-a-batch-its-filling-and-the-mask |
    A shorter sentence in a batch: the mask of its filling | language_models M92
    How much weight the filling takes without a mask, and what is written then, on your sentence.
    padding mask, pad tokens, padding, additive attention module, masked attention
order | Bahdanau's order and Luong's, and input feeding | language_models M93 M94
    Whether the decoder looks before its cell or after it, and what it reads besides.
    Bahdanau or Luong, global attention, GRU decoder, input feeding, decoder wiring, dataflow
forcing | Teacher forcing and free running, step by step | language_models M94
    What a translator reads in training and in use, and where the two part.
    exposure bias, scheduled sampling, free running, inference
part-what-attention-over-another-text-costs | What attention over another text costs: n · m | language_models M90
    Scores and bytes of global and local attention, for lengths that you choose.
    cost of attention, n times m, quadratic cost, pros and cons of attention
scopes | Local attention: a window on the source | language_models M80 | | scores.head.looks=scope
    All words, a window at its own place or one at a place that is foretold, side by side.
    local-m, local-p, monotonic attention, predictive alignment, Gaussian window, global and local attention,
    alignment position, window size
learns | Hard attention and REINFORCE | language_models M81 | | scores.head.looks=scope&by=hard
    One word taken alone; the exact slope beside REINFORCE, straight-through and the sum over all choices.
    soft and hard attention, stochastic attention, score function estimator, straight-through estimator,
    variance of a gradient, baseline, marginal likelihood
""",
)

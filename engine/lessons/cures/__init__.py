"""Cures for gradients: what keeps a gradient alive, and what only keeps it short?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="cures",
    era="Recurrence",
    title="Cures for gradients",
    question="What keeps a gradient alive, and what only keeps it short?",
    model="",
    example="the keys of the man are lost",
    tries=(
        Try(
            "the keys of the man are lost",
            "28 steps back: which switches let the gradient through?",
        ),
        Try(
            "a",
            "One character is one step: what is left is a deep feed-forward net. Set 20 "
            "layers, and switch residual connections on.",
        ),
        Try(
            "the man who wrote the book she had read left",
            "Half as far again: is a forget bias of 3 still enough?",
        ),
    ),
    sources=(
        (
            "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural "
            "Networks, 2013"
        ),
        (
            "Glorot & Bengio, Understanding the Difficulty of Training Deep Feedforward Neural "
            "Networks, 2010"
        ),
        "He, Zhang, Ren & Sun, Delving Deep into Rectifiers, 2015",
        (
            "Saxe, McClelland & Ganguli, Exact Solutions to the Nonlinear Dynamics of Learning "
            "in Deep Linear Neural Networks, 2014"
        ),
        (
            "Jozefowicz, Zaremba & Sutskever, An Empirical Exploration of Recurrent Network "
            "Architectures, 2015"
        ),
        "Ba, Kiros & Hinton, Layer Normalization, 2016",
        "Ioffe & Szegedy, Batch Normalization, 2015",
        "Cooijmans et al., Recurrent Batch Normalization, 2017",
    ),
    differs="The notes say that each cure ensures a gradient that does not vanish. None ensures it: "
    "Xavier with a sigmoid still vanishes, ReLU with He and residual connections explodes, "
    "batch norm with a large gain saturates again. Each of them can be set above.\n"
    "They list clipping among the cures of vanishing gradients; it makes no gradient "
    "longer.\n"
    "They clip before there is a gradient, right after the optimiser is made, and call a "
    "function of Keras that does not exist; the right calls stand under the arrow.\n"
    "They let the gradient enter the adaptive threshold that it is held against, so that a "
    "spike raises its own limit.\n"
    "They advise a higher threshold where clipping is rare; a threshold that is rarely "
    "reached is loose already.\n"
    "They say that the layer norm of a recurrent net acts on the hidden states before the "
    "recurrent product; it acts on the sum after it, and of the bias only what differs "
    "between units is left.\n"
    "They set the forget bias in both biases of a cell, which makes 1 a 2.\n"
    "They draw Xavier's weights over the four stacked gates of an LSTM, which makes its "
    "bound too small for each gate.\n"
    "They draw an LSTM's weights by He's rule; it is made for ReLU, and gates have none.\n"
    "They let residual connections help over long times; the connections lead past layers, "
    "not past steps.\n"
    "They call clipping by value clipping by parameter; it is each single number.\n"
    "They call 0.25 the most that a step through a sigmoid can leave; the weight is a "
    "factor too.",
    minutes=20,
    before=("bptt", "lstm"),
    subtitle="starts, norms, gates, clipping",
    live=False,
    minute=(
        Step(
            "Neither's: 3 ten-millionths are left in the LSTM, 2 in the plain net. Its "
            "gates begin at about a half, and a half 27 times over is nothing.",
            link="cured_text=the keys of the man are "
            "lost&layers=4&scale=1.0&activation=tanh&cell=lstm&forget=0.0",
            panel="gradient-cured",
            asks="A fresh LSTM beside a plain net: whose gradient reaches the first character?",
            choices=("the LSTM's", "both nets'", "neither's"),
            covers=("gradient-plain", "back", "part-each-cure-by-itself"),
        ),
        Step(
            "With a forget bias of 3, 0.081 is left: the gates begin at about 0.95, and the "
            "memory hands the gradient on.",
            link="cured_text=the keys of the man are "
            "lost&layers=4&scale=1.0&activation=tanh&cell=lstm&forget=3.0",
            panel="gradient-cured",
        ),
        Step(
            "It gets weaker there: 1.7 billionths instead of 230. Residual connections lead "
            "past layers, not past steps.",
            link="cured_text=the keys of the man are "
            "lost&layers=4&scale=1.0&activation=tanh&cell=rnn&residual=true",
            panel="gradient-cured",
            asks="A plain net with residual connections: does more reach the first character?",
            choices=("more", "less"),
            covers=("back", "part-each-cure-by-itself"),
        ),
    ),
    topics="""
gradient-cured | Cures for vanishing and exploding gradients | rnn B6 E28; lstm B26 B50; foundations N35 S17 N27
    Switches for start, gates, norms, residual connections and depth; signal and gradient before and
    after.
    vanishing gradient, exploding gradient, mitigation, how to fix, deep network
part-each-cure-by-itself | Each cure by itself | foundations N35
    A table: the plain net with one change at a time, and how much of the gradient is left.
    comparison of cures, toggle, ablation
part-how-weights-begin | How weights begin: Xavier, He, orthogonal |
    lstm B01 B02 B03; transformers K1 K2 K3; foundations N24 N25; language_models M63
    Eigenvalues and singular values of each start, and the signal through many layers.
    initialisation, initialization, Glorot, Kaiming, uniform, variance, small normal,
    residual scaling
part-how-weights-begin | Forget bias | lstm B04
    Forget gates of a fresh LSTM for biases from 0 to 3.
    forget gate bias, bias of 1, Jozefowicz
part-layer-norm-and-batch-norm | Batch norm and layer norm | rnn E15 E22; transformers G6; foundations N26
    Which numbers share a mean: over texts, over steps, over units; one mean written out.
    normalisation, normalization, axes, BatchNorm, LayerNorm, gamma and beta
part-clipping | Gradient clipping by norm and by value | rnn C5 C1 C2; lstm B05; transformers K15; foundations N29
    One gradient as an arrow, cut at a circle or at a square, and by how many degrees it turns.
    clip_grad_norm, clip_grad_value, global norm, threshold, direction
part-clipping | Adaptive clipping and a spike | rnn C3 C4
    A threshold that follows the gradients, and what a single large one does to it.
    moving average, EMA threshold, spike, outlier
part-what-clipping-cannot-cure | What clipping cannot cure | rnn C6
    The same training with and without clipping, where gradients explode and where they vanish.
    clipping and vanishing, NaN loss, diverges, divergence
""",
)

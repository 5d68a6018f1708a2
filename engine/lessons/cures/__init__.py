"""Why gradients vanish: one unit in three views, and what keeps a gradient alive or only keeps it short."""

from __future__ import annotations

from engine.course.base import Lesson, Step

TYPED = (
    "&cures.part=Switches over a fresh net&cures.text=the keys of the man are lost&cures.layers=4"
    "&cures.scale=1.0&cures.activation=tanh"
)


UNIT = "&cures.part=One unit, three views&cures.views.w=5.0"


def unit(b: float, h: float) -> str:
    return UNIT + f"&cures.views.b={b}&cures.h={h}"


LESSON = Lesson(
    id="cures",
    era="Recurrence",
    title="Why gradients vanish",
    question="Why do gradients vanish or explode, and what keeps them alive?",
    model="",
    example="the keys of the man are lost",
    tries=(),
    sources=(
        "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013",
        "Doya, Bifurcations in the Learning of Recurrent Neural Networks, 1992",
        "Glorot & Bengio, Understanding the Difficulty of Training Deep Feedforward Neural Networks, 2010",
        "He, Zhang, Ren & Sun, Delving Deep into Rectifiers, 2015",
        "Saxe et al., Exact Solutions to the Nonlinear Dynamics of Learning in Deep Linear Neural Networks, 2014",
        "Jozefowicz, Zaremba & Sutskever, An Empirical Exploration of Recurrent Network Architectures, 2015",
        "Ba, Kiros & Hinton, Layer Normalization, 2016",
        "Ioffe & Szegedy, Batch Normalization, 2015",
        "Cooijmans et al., Recurrent Batch Normalization, 2017",
    ),
    differs="The notes say that each cure ensures a gradient that does not vanish. None ensures it: Xavier with a "
    "sigmoid still vanishes, ReLU with He and residual connections explodes, batch norm with a large gain "
    "saturates again. Each of them can be set above.\n"
    "They list clipping among the cures of vanishing gradients; it makes no gradient longer.\n"
    "They clip before there is a gradient, right after the optimiser is made, and call a function of Keras that "
    "does not exist; the right calls stand under the arrow.\n"
    "They let the gradient enter the adaptive threshold that it is held against, so that a spike raises its own "
    "limit.\n"
    "They say that the layer norm of a recurrent net acts on the hidden states before the recurrent product; it "
    "acts on the sum after it, and of the bias only what differs between units is left.\n"
    "They set the forget bias in both biases of a cell, which makes 1 a 2.\n"
    "They draw Xavier's weights over the four stacked gates of an LSTM, which makes its bound too small for each "
    "gate.\n"
    "They draw an LSTM's weights by He's rule; it is made for ReLU, and gates have none.\n"
    "They let residual connections help over long times; the connections lead past layers, not past steps.\n"
    "They call 0.25 the most that a step through a sigmoid can leave, even with ideal weights; the factor is w "
    "σ′, 1 for w = 4 at z = 0.\n"
    "They call every solution of h = σ(w h + b) a stable point; it is stable only where w σ′ is below 1, and the "
    "middle one of three is not.\n"
    "They speak of chaos where gradients explode; one unit that changes continuously cannot be chaotic, it only "
    "jumps from one fixed point to another.\n"
    "They bound the length of a product from below by the lengths of its factors; only the smallest singular "
    "values bound it so, and two long factors can make 0.\n"
    "They write the Jacobian of a layer as W D; for h = σ(W x + b) it is D W, and the gradient goes back through Wᵀ "
    "D.",
    minutes=25,
    before=("bptt", "lstm"),
    subtitle="one unit in three views, and the cures",
    live=False,
    minute=(
        Step(
            "It explodes: 808 instead of 0.000033. At 0.5 every step multiplies it by 1.25, at 0.145 by 0.62.",
            link=unit(-2.5, 0.5),
            panel="cures.views.network",
            asks="It begins at 0.5 instead of 0.4. What does the gradient over 30 steps do?",
            choices=("vanish", "explode"),
        ),
        Step(
            "0.0007: a hundredth further to the right the unit rises to the other fixed "
            "point. On such a cliff the gradient is huge.",
            link=unit(-2.4, 0.4),
            panel="cures.views.cliff",
            asks="At a bias of −2.41 the loss is 0.45. What is it at −2.40?",
            choices=("0.45", "0.40", "0.0007"),
        ),
        Step(
            "Neither's: 3 ten-millionths are left in the LSTM, 2 in the plain net. Its "
            "gates begin at about a half, and a half 27 times over is nothing.",
            link=f"{TYPED}&cures.flow.cell=lstm&cures.flow.forget=0.0",
            panel="cures.flow.gradient-cured",
            asks="A fresh LSTM beside a plain net: whose gradient reaches the first character?",
            choices=("the LSTM's", "both nets'", "neither's"),
            covers=("cures.flow.gradient-plain", "cures.flow.back"),
        ),
        Step(
            "With a forget bias of 3, 0.081 is left: the gates begin at about 0.95, and the "
            "memory hands the gradient on.",
            link=f"{TYPED}&cures.flow.cell=lstm&cures.flow.forget=3.0",
            panel="cures.flow.gradient-cured",
        ),
    ),
    topics="""
cures.flow.gradient-cured | Cures for vanishing and exploding gradients |
    rnn B6 E28; lstm B26 B50; foundations N35 S17 N27
    Switches for start, gates, norms, residual connections and depth; signal and gradient before and
    after.
    vanishing gradient, exploding gradient, mitigation, how to fix, deep network
part-one-unit-three-views | Vanishing and exploding: three views | rnn B5 B7 B8 B10 B3; language_models P53
    One unit as a network, as a dynamical system and as a loss, driven by the same sliders.
    dynamical system, attractor, fixed point, Pascanu, exploding gradient, basin of attraction
cures.views.bifurcation | Bifurcation | rnn B8
    Where fixed points of one unit meet and vanish as its bias changes.
    fold, basin, stable and unstable, repeller
part-one-step-slope-times-weight | One step of a gradient: slope times weight |
    foundations N12 N13 N18 N27; rnn B3
    |w σ′(z)|, and what many layers make of it, with residual connections and without.
    sigmoid derivative 0.25, vanishing gradient, exploding gradient, depth, saturation
part-a-cliff-in-the-loss-and-clipping | A cliff in the loss, and clipping | rnn B9 C6
    A ball that changes weight and bias, thrown off the cliff or held by clipping.
    loss landscape, loss surface, geometric view, descent path, clip by norm
part-each-cure-by-itself | Each cure by itself | foundations N35
    A table: the plain net with one change at a time, and how much of the gradient is left.
    comparison of cures, toggle, ablation
part-how-weights-begin | How weights begin: Xavier, He, orthogonal |
    lstm B01 B02 B03; transformers K1 K2 K3; foundations N24 N25; language_models M63
    Eigenvalues and singular values of each start, and what each keeps.
    initialisation, initialization, Glorot, Kaiming, uniform, variance, small normal,
    residual scaling
part-how-weights-begin | Forget bias | lstm B04
    Forget gates of a fresh LSTM for biases from 0 to 3.
    forget gate bias, bias of 1, Jozefowicz
part-layer-norm-and-batch-norm | Batch norm and layer norm | rnn E15 E22; transformers G6; foundations N26
    Which numbers share a mean: over texts, over steps, over units.
    normalisation, normalization, axes, BatchNorm, LayerNorm, gamma and beta
part-clipping | Gradient clipping by norm and by value | rnn C5 C1 C2 C3 C4; lstm B05; transformers K15; foundations N29
    One gradient as an arrow, cut at a circle or at a square, and by how many degrees it turns.
    clip_grad_norm, clip_grad_value, global norm, threshold, direction, adaptive clipping, spike
part-what-clipping-cannot-cure | What clipping cannot cure | rnn C6
    The same training with and without clipping, where gradients explode and where they vanish.
    clipping and vanishing, NaN loss, diverges, divergence
""",
)

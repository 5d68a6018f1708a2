"""One unit, three views: why do gradients vanish, explode, or jump?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="dynamics",
    era="Recurrence",
    title="One unit, three views",
    question="Why do gradients vanish, explode, or jump?",
    model="",
    example="",
    tries=(),
    sources=(
        (
            "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural "
            "Networks, 2013"
        ),
        "Doya, Bifurcations in the Learning of Recurrent Neural Networks, 1992",
    ),
    differs="The notes call every solution of h = σ(w h + b) a stable point; it is stable only "
    "where w σ′ is below 1, and the middle one of three is not.\n"
    "They give neither w nor the start behind their 0.855; it is the upper fixed point for "
    "w = 5 and b = −2.5, the middle of the stretch where there are three.\n"
    "They speak of chaos where gradients explode; one unit that changes continuously cannot "
    "be chaotic, it only jumps from one fixed point to another.\n"
    "They judge by the largest eigenvalue; a product of steps can grow a long way though "
    "every eigenvalue is below 1.\n"
    "They bound the length of a product from below by the lengths of its factors; only the "
    "smallest singular values bound it so, and two long factors can make 0.\n"
    "They write the Jacobian of a layer as W D; for h = σ(W x + b) it is D W, and the "
    "gradient goes back through Wᵀ D.\n"
    "They let every sigmoid layer shrink a gradient to a quarter, even with ideal weights; "
    "the factor is w σ′, 1 for w = 4 at z = 0.\n"
    "They advise a larger threshold where clipping is rare; a threshold that is rarely "
    "reached is loose already.",
    minutes=15,
    before=("bptt",),
    subtitle="vanish, explode, jump",
    live=False,
    minute=(
        Step(
            "From 0.4 the unit falls to 0.145. The middle fixed point, 0.5, is not stable: "
            "a small step away from it leads further away.",
            link="w=5.0&b=-2.5&h=0.4",
            panel="fixed",
        ),
        Step(
            "It explodes: 808 instead of 0.000033. At 0.5 every step multiplies it by 1.25, "
            "at 0.145 by 0.62.",
            link="w=5.0&b=-2.5&h=0.5",
            panel="network",
            asks="It begins at 0.5 instead of 0.4. What does the gradient over 30 steps do?",
            choices=("vanish", "explode"),
        ),
        Step(
            "0.0007: a hundredth further to the right the unit rises to the other fixed "
            "point. On such a cliff the gradient is huge.",
            link="w=5.0&b=-2.4&h=0.4",
            panel="cliff",
            asks="At a bias of −2.41 the loss is 0.45. What is it at −2.40?",
            choices=("0.45", "0.40", "0.0007"),
        ),
    ),
    topics="""
network | Vanishing and exploding: three views | rnn B5 B7 B8 B10
    One unit as a network, as a dynamical system and as a loss, driven by the same sliders.
    dynamical system, attractor, fixed point, Pascanu, exploding gradient
paths | The way of a system from many starts | rnn B8
    One unit in time from nine states: which attractor each comes to, and the point that parts them.
    trajectory, basin of attraction, phase line, differential equation, attractor
bifurcation | Bifurcation | rnn B8
    Where fixed points of one unit meet and vanish as its bias changes.
    fold, basin, stable and unstable, repeller
part-clipping | A cliff in the loss, and clipping | rnn B9 C6
    A ball that rolls down a loss with a cliff, with and without clipping.
    loss landscape, loss surface, geometric view
part-norms | Eigenvalues and singular values | rnn B2
    Why a product of steps can grow though every eigenvalue is below 1.
    spectral radius, spectral norm, Jacobian product
part-typed | A trained unit on a typed text | rnn B5
    The way of one unit over its own bifurcation diagram, moved by your text.
    trajectory, effective bias, basin, attractor
part-steps | A weight above 1 need not explode | rnn B3 B5; language_models P53
    One tanh unit over many steps: its gradient beside the powers of its weight, and where it
    saturates.
    saturation, exploding gradient, vanishing gradient, overflow, powers of a weight
part-surface | The loss over weight and bias | rnn B9
    Where the cliff runs through the plane of both parameters.
    loss surface, cliff, loss landscape
part-products | How long a product of matrices is | foundations N17
    Between which bounds it lies, with matrices to change.
    submultiplicative, smallest singular value, exploding bound
part-layer | The Jacobian of a layer | foundations N14 N15 N19 N21
    D W and W D beside central differences; the parallelogram that D W makes of a square; the
    product of many.
    D W, transpose, backprop product, order of factors, linear map
part-chain | The chain rule for Jacobians | foundations N20
    Two maps in numbers: each entry of the product as a sum, and how far a linear step is off.
    Jacobian matrix, multivariable chain rule, composition, linear approximation
part-factor | One step of a gradient: slope times weight | foundations N12 N13 N18 N27
    A map of |w σ′(z)|, and what many layers make of it, with residual connections and without.
    sigmoid derivative 0.25, vanishing gradient, exploding gradient, depth
part-plane | Clipping in two dimensions | rnn B9
    A ball that changes weight and bias, thrown off the cliff or held by clipping.
    descent path, clip by norm, loss surface
""",
)

"""Lessons on networks that read no text yet: one neuron, and what many of them compute."""

from __future__ import annotations

from engine.lessons.base import Lesson

NETWORKS = (
    Lesson(
        id="neuron",
        era="Networks",
        title="One neuron",
        subtitle="weights, bias, activation",
        question="What can a single neuron tell apart, and when does it stop learning?",
        minutes=15,
        model="",
        example="",
        tries=(),
        sources=(
            "McCulloch & Pitts, A Logical Calculus of the Ideas Immanent in Nervous Activity, 1943",
            "Rosenblatt, The Perceptron, 1958; Minsky & Papert, Perceptrons, 1969 (XOR)",
            "Nair & Hinton, Rectified Linear Units Improve Restricted Boltzmann Machines, 2010",
            "Clevert, Unterthiner & Hochreiter, Fast and Accurate Deep Network Learning by"
            " Exponential Linear Units, 2016",
            "Hendrycks & Gimpel, Gaussian Error Linear Units, 2016",
            "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2016"
            " (saturated gates)",
        ),
        differs="The notes let the logistic function map to values between 0 and 1; both ends are"
        " never reached, though a computer rounds to them.\n"
        "They call a sigmoid ideal for learning because it is smooth; its slope is at most 0.25, and"
        " they come to what that costs only later.\n"
        "They count tanh among what saturates and give neither its slope nor how large that is: 1 at"
        " 0, four times that of a sigmoid.\n"
        "They say that tanh enhances contrast. Its slope is nowhere above 1, so two sums never lie"
        " further apart behind it than before.\n"
        "They say that tanh normalises and keeps a memory from growing. It bounds what is written at"
        " one step; the memory of an LSTM is a sum of such steps, and goes beyond 1.\n"
        "They say that ReLU keeps the gradient from diminishing. That is its slope alone: the weight"
        " is a factor as well, and below 0 the slope is 0, so that a neuron can die. Its variants are"
        " not named.\n"
        "They say that a gradient vanishes less with a hard sigmoid than with the sigmoid. Its slope is"
        " 1/6 between −3 and 3, and 0 outside, where nothing is left; that of the sigmoid is 0.25 at 0"
        " and never 0.\n"
        "They use σ for the sigmoid, for softmax and for any activation function; here it is the"
        " sigmoid alone.",
        live=False,
    ),
    Lesson(
        id="softmax",
        era="Networks",
        title="Softmax and loss",
        subtitle="logits, temperature, overflow",
        question="How do scores become probabilities, and which loss teaches them best?",
        minutes=15,
        before=("neuron",),
        model="",
        example="",
        tries=(),
        sources=(
            "Bridle, Probabilistic Interpretation of Feedforward Classification Network Outputs, 1990",
            "Golik, Doetsch & Ney, Cross-Entropy vs. Squared Error Training, 2013",
            "Blanchard, Higham & Higham, Accurately Computing the Log-Sum-Exp and Softmax Functions,"
            " 2021",
            "Ackley, Hinton & Sejnowski, A Learning Algorithm for Boltzmann Machines, 1985"
            " (temperature)",
        ),
        differs="The notes write softmax with the σ of the sigmoid. The two agree for two classes only,"
        " and there for the difference of the logits.\n"
        "They say that higher scores get proportionally higher weights. The weights are exponential: what"
        " counts is the difference of two scores, not their ratio. They write softmax(x_i) where"
        " softmax(x)_i is meant: it needs all scores.\n"
        "They give the formula without subtracting the maximum; computed so it overflows, in float32"
        " from a logit of 89 on.\n"
        "Their 85 % against 15 % are votes without numbers; it takes two logits that lie 1.73 apart.\n"
        "They say that a loss measures the difference between output and target, and name none there."
        " Which one it is decides how much is learned from a confident mistake.\n"
        "They say that after a softmax only words with high scores are preserved. Every word keeps a"
        " weight above 0; many small ones add up.\n"
        "They say that the target behind a cross-entropy has one 1. With smoothed labels it has not, and"
        " the gradient is p − y all the same.",
        live=False,
    ),
    Lesson(
        id="network",
        era="Networks",
        title="A network that learns",
        question="How do a few units learn a border that no single one can draw?",
        minutes=20,
        before=("neuron",),
        model="",
        example="",
        tries=(),
        sources=(
            (
                "Rumelhart, Hinton & Williams, Learning Representations by Back-Propagating Errors,"
                " 1986"
            ),
            "Minsky & Papert, Perceptrons, 1969 (what one layer cannot do)",
            "Kingma & Ba, Adam: A Method for Stochastic Optimization, 2015",
            (
                "Glorot & Bengio, Understanding the Difficulty of Training Deep Feedforward Neural"
                " Networks, 2010; He et al., Delving Deep into Rectifiers, 2015 (how weights begin)"
            ),
            (
                "Li et al., Visualizing the Loss Landscape of Neural Nets, 2018 (random directions,"
                " each unit by its own length)"
            ),
            "Smilkov et al., Direct-Manipulation Visualization of Deep Networks, 2017",
        ),
        differs="The notes describe backpropagation in words only; here each gradient stands as a sum of"
        " products, beside its finite difference.\n"
        "They name a loss without a formula; here it is cross-entropy or half the square, to choose.\n"
        "They say that more layers make a network more non-linear; without an activation any number of"
        " layers is one matrix, and draws one straight line.\n"
        "They say that a network uses the logistic function; any function that is not linear will do.\n"
        "They write an update with an equals sign; it is an assignment.",
        live=False,
    ),
)

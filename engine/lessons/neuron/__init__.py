"""One neuron: what can a single neuron tell apart, and when does it stop learning?"""

from __future__ import annotations

from engine.course.base import Lesson, Step


def chosen(w: tuple[float, float], b: float, task: str) -> str:
    """What a step of the first minute chooses, as its address says it."""
    held = {"f": "sigmoid", "w1": w[0], "w2": w[1], "b": b, "x1": 1.0, "x2": 1.0, "task": task}
    return "&".join(f"neuron.neuron.n_{name}={value}" for name, value in held.items())


LESSON = Lesson(
    id="neuron",
    era="Networks",
    title="One neuron",
    question="What can a single neuron tell apart, and when does it stop learning?",
    model="",
    example="",
    tries=(),
    sources=(
        "McCulloch & Pitts, A Logical Calculus of the Ideas Immanent in Nervous Activity, 1943",
        "Rosenblatt, The Perceptron, 1958; Minsky & Papert, Perceptrons, 1969 (XOR)",
        "Nair & Hinton, Rectified Linear Units Improve Restricted Boltzmann Machines, 2010",
        (
            "Clevert, Unterthiner & Hochreiter, Fast and Accurate Deep Network Learning by "
            "Exponential Linear Units, 2016"
        ),
        "Hendrycks & Gimpel, Gaussian Error Linear Units, 2016",
        (
            "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2016 (saturated gates)"
        ),
    ),
    differs="The notes let the logistic function map to values between 0 and 1; both ends are never reached, "
    "though a computer rounds to them.\n"
    "They call a sigmoid ideal for learning because it is smooth; its slope is at most 0.25, and they come to "
    "what that costs only later.\n"
    "They count tanh among what saturates and give neither its slope nor how large that is: 1 at 0, four times "
    "that of a sigmoid.\n"
    "They say that tanh enhances contrast. Its slope is nowhere above 1, so two sums never lie further apart "
    "behind it than before.\n"
    "They say that tanh normalises and keeps a memory from growing. It bounds what is written at one step; the "
    "memory of an LSTM is a sum of such steps, and goes beyond 1.\n"
    "They say that ReLU keeps the gradient from diminishing. That is its slope alone: the weight is a factor as "
    "well, and below 0 the slope is 0, so that a neuron can die. Its variants are not named.\n"
    "They say that a gradient vanishes less with a hard sigmoid than with the sigmoid. Its slope is 1/6 between "
    "−3 and 3, and 0 outside, where nothing is left; that of the sigmoid is 0.25 at 0 and never 0.\n"
    "They use σ for the sigmoid, for softmax and for any activation function; here it is the sigmoid alone.",
    minutes=15,
    subtitle="weights, bias, activation",
    live=False,
    minute=(
        Step(
            "AND: only the corner where both inputs are 1 lies beyond the line, and its "
            "output is 0.9933. Drag the line, the arrow w, the input.",
            link=chosen((10.0, 10.0), -15.0, "and"),
            panel="part-neuron",
        ),
        Step(
            "XOR: its ones lie on a diagonal. Learn as long as you like, no line parts them from the zeros.",
            link=chosen((1.5, -1.0), 0.5, "xor"),
            panel="part-neuron",
            asks="Which of these can one neuron not compute?",
            choices=("AND", "OR", "XOR"),
            covers=("part-sum",),
        ),
        Step(
            "0.25, at a sum of 0. Choose tanh above: it comes to 1. Everything that learns "
            "passes through this slope.",
            link=chosen((1.0, -1.0), 0.0, "none"),
            panel="part-neuron",
            asks="How steep is a sigmoid where it is steepest?",
            choices=("0.25", "0.5", "1"),
            covers=("part-sum",),
        ),
        Step(
            "The candidates: 69 % stand where their tanh is flat. Of the forget gates it is "
            "about a tenth, in either layer.",
            link="neuron.part=Real gates",
            panel="part-real-gates",
            asks="In the trained LSTM, which stand on the flat part of their curve most often?",
            choices=("forget gates", "output gates", "candidates"),
        ),
    ),
    topics="""
part-neuron | Neuron: weighted sum, bias, activation | foundations N02
    Two inputs, two weights and a bias that you drag: the line, the sum as bars, the output.
    perceptron, node, unit, weighted sum, bias, decision line, decision boundary
part-sum | Logistic function and its slope | foundations N01; lstm A07
    The curve with its tangent where the sum stands; its slope is 0.25 at most.
    sigmoid, σ, logistic curve, S-shaped curve, derivative of the sigmoid
part-a-gate-and-a-memory | A gate and a memory by hand | lstm A09 A10 A11 B09 | lstm B10
    Gate times content, element by element, and what bounds a memory that adds up.
    Hadamard product, element-wise product, concatenation
part-eight-functions | Activation functions side by side | lstm A08 B08; rnn A2b; transformers G3
    Sigmoid, tanh, ReLU, leaky ReLU, ELU, hard sigmoid, softplus and GELU with their slopes.
    rectifier, leaky ReLU, ELU, GELU, softplus, hard sigmoid, dead unit
part-real-gates | Saturation, measured on a trained LSTM | foundations N22
    How often the sums of every gate stand on the flat part of its curve.
    saturated gates, pre-activation, flat part, slope near zero
part-and-or-xor | AND, OR and XOR | foundations N08
    Which of the 16 functions of two bits one neuron computes, and XOR with two layers.
    linearly separable, exclusive or, truth table, perceptron limits
""",
)

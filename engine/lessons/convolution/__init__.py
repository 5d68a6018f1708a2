"""Convolution: what can a few numbers find that look at every place alike?"""

from __future__ import annotations

from engine.course.base import Lesson, Step


def chosen(stride: int = 1, drawing: str = "") -> str:
    """What a step of the first minute chooses, as its address says it."""
    held = {"image": 30, "filter": 1, "pooling": "max", "drawing": drawing, "stride": stride}
    return "&".join(f"convolution.digit.{name}={x}" for name, x in {**held, "padding": 1}.items())


LESSON = Lesson(
    id="convolution",
    era="Recurrence",
    title="Convolution",
    question="What can a few numbers find that look at every place alike?",
    model="",
    example="",
    tries=(),
    sources=(
        (
            "LeCun, Bottou, Bengio & Haffner, Gradient-Based Learning Applied to Document Recognition, 1998"
        ),
        "Fukushima, Neocognitron, 1980 (layers that share weights, and pool)",
        "Dumoulin & Visin, A Guide to Convolution Arithmetic for Deep Learning, 2016 (sizes)",
        (
            "Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning "
            "Repository, 1998 (the digits)"
        ),
        ("van den Oord et al., WaveNet: A Generative Model for Raw Audio, 2016 (over a sequence)"),
    ),
    differs="The notes call I(i + m, j + n) K(m, n) a convolution; it is a cross-correlation, as in every "
    "library. A convolution turns the kernel round, and the sums of an edge change their sign. A kernel that is "
    "learned does not mind.\n"
    "Bias and stride are missing in their formula, and the size of a map is not given.\n"
    "Their pooling, as printed, moves on by one place: 4 × 4 becomes 3 × 3. To halve a map it has to move on by "
    "its own width.\n"
    "They say that a feature is found regardless of where it is. The map moves along (equivariance); the answer "
    "stays the same only where the place is forgotten, as by pooling over the whole map. Pooling of 2 × 2 "
    "forgives a move inside its window.\n"
    "They let ReLU leave out clues that are not compelling. It leaves out sums below 0, and a weak one above 0 "
    "stays.\n"
    "They let such a network mimic the visual cortex, which is a loose comparison.\n"
    "Their softmax has the sign of the sigmoid, and overflows; here the largest logit is taken away first.",
    minutes=20,
    before=("rnn",),
    live=False,
    minute=(
        Step(
            "A held-out 6. The kernel of 3 × 3 slides over it: nine products, a sum, and "
            "one number of the map. Point at any place.",
            link=chosen(),
            panel="part-digit",
        ),
        Step(
            "33,280: each of 512 outputs has a weight for each of 64 cells, and a bias. "
            "Eight filters share 9 weights and a bias each: 80.",
            link=chosen(),
            panel="part-digit",
            asks="The filters learn 80 numbers. How many would a dense layer to all 512 places learn?",
            choices=("640", "4,096", "33,280"),
        ),
        Step(
            "93.5 %: with every other place left out, maps of 4 × 4 remain instead of 8 × "
            "8. With stride 1 it was 98.2 %.",
            link=chosen(stride=2),
            panel="part-digit",
            asks="Now the kernel skips every other place. How many digits are still read right?",
            choices=("98 %", "93 %", "50 %"),
        ),
        Step(
            "As a 4, 93.9 %: the maps have moved along, but the dense layer has other weights at every place.",
            link=chosen(drawing="000008e400007g700000ea000001g6000003gga00002gce60000cfba00000ad8"),
            panel="part-digit",
            asks="The same 6, two cells further to the right. As what is it read?",
            choices=("a 6", "a 4"),
        ),
    ),
    topics="""
part-digit | Convolutional network (CNN) | foundations N36 N37 N42 N43 N44 N45 N46
    A digit that you draw, a kernel that slides over it, all maps, pooling and the answer.
    CNN, convolution, convolutional neural network, digits, image, LeNet, MNIST
part-digit | Kernel, filter and feature map | foundations N40
    Every product of the place that you choose, and the maps of eight trained filters.
    filter, feature map, weight sharing
part-sizes-and-counts | Stride and padding | foundations N39
    How large a map gets, and how many numbers each kind of layer learns.
    output size, padding, stride, parameter sharing
part-channels-and-filters | Channels, and kernels by hand | foundations N38 N41
    A picture in colour, a kernel for each channel, their maps and the sum; edges, blur and relief.
    RGB, multi-channel convolution, Sobel, edge detection, blur, emboss
part-filters-while-they-learn | Filters while they learn | foundations N48
    A network trained on the page from weights by chance: kernels and maps, step by step.
    training of a CNN, learned filters, backpropagation through a convolution
part-moved-digits | Equivariance and invariance | foundations N49
    Move a digit: the map moves along, the answer need not stay.
    translation invariance, shift, moved image, translation equivariance
part-convolutions-over-words | Dilated causal convolution | transformers B1
    Which letters of your text a prediction is made of, and what each one does to it.
    receptive field, WaveNet, TCN, temporal convolution, causal convolution
""",
)

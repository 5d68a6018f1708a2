"""How a step is chosen: the choices of the training room at work, before one trains."""

from __future__ import annotations

from engine.course.base import Lesson, Step

RACE = "".join(
    f"optimisers.race.{chosen}&"
    for chosen in ("racers=plain", "racers=sgd", "racers=rmsprop", "racers=adam", "noise=0.0")
)


def course(surface: str, x: float, y: float, times: int) -> str:
    """What a step of the first minute chooses, as its address says it."""
    chosen = {"surface": surface, "x": x, "y": y, "times": times}
    return RACE + "&".join(f"optimisers.race.{name}={value}" for name, value in chosen.items())


LESSON = Lesson(
    id="optimisers",
    era="Your own models",
    title="How a step is chosen",
    question="What does each setting of a training do, before you train with it?",
    minutes=30,
    before=("corpora",),
    model="",
    example="",
    tries=(),
    sources=(
        "Kingma & Ba, Adam: A Method for Stochastic Optimization, 2015",
        "Loshchilov & Hutter, Decoupled Weight Decay Regularization, 2019",
        "Sutskever et al., On the Importance of Initialization and Momentum in Deep Learning, 2013",
        "McCandlish, Kaplan & Amodei, An Empirical Model of Large-Batch Training, 2018 (noise scale)",
        "Szegedy et al., Rethinking the Inception Architecture for Computer Vision, 2016 (label smoothing)",
        "Prechelt, Early Stopping - But When?, 1998",
    ),
    differs="The notes name optimisers without a formula and say that the adaptive ones are better. Here each "
    "step stands with its numbers, and who is first depends on the surface and on the rate.\n"
    "Their rate of the first Transformer divides by 0 at step 0, their warm-up has a rate of 0 at its first step, "
    "and their straight line falls below 0 behind the last one; here steps count from 1 and no rate is negative.\n"
    "Their gradient noise is multiplied by the rate, and the step multiplies it once more: 0.01 and 0.001 leave "
    "0.00001. The published form leaves the rate out.\n"
    "Their smoothed target, 0.97 and three times 0.01, is that of ε = 0.03, not of 0.1; torch spreads ε over all "
    "answers, so their ε is ε K / (K − 1) there.\n"
    "Their best weights are a shallow copy, which goes on learning.",
    live=False,
    minute=(
        Step(
            "The valley is forty times as steep across as along. SGD creeps along its floor, and"
            " momentum swings across it.",
            link=course("valley", -2.8, 1.0, 0),
            panel="part-surface",
        ),
        Step(
            "SGD: a rate of 0.08 times a slope of 40 is 3.2, and above 2 every step lands further"
            " away. With momentum 3.8 would still be stable.",
            link=course("valley", -2.8, 1.0, 2),
            panel="part-surface",
            asks="Now all rates are four times as high. Which one diverges?",
            choices=("SGD", "SGD with momentum", "Adam"),
            covers=("optimisers.race.race", "part-step"),
        ),
        Step(
            "In the middle, with a loss of 0.500: on the ridge no gradient points aside. A little"
            " noise in the gradients brings all of them down.",
            link=course("saddle", -2.0, 0.0, 0),
            panel="part-surface",
            asks="They begin exactly on the ridge of a saddle. Where do they end?",
            choices=("in a minimum", "in the middle"),
            covers=("optimisers.race.race", "part-step"),
        ),
    ),
    topics="""
part-surface | Optimisers on a surface | rnn E21; lstm B33 B42
    SGD, momentum, RMSprop, Adam and Muon from one start, which you drag; each step by step.
    gradient descent, SGD, momentum, Adam, RMSprop, Muon, loss surface, saddle point, Rosenbrock, gradient noise
part-step | One step of Adam with its numbers | rnn E21; lstm B33
    From the gradient over both means to the new weights, for any optimiser and step.
    Adam formula, bias correction, first moment, second moment, update rule
part-a-small-network | Optimisers on a small LSTM | rnn E21 E24; lstm B23
    The same batches for all, with the lengths of the gradients and the held-out loss.
    compare optimisers, hidden size, capacity, learning rate too high
part-learning-rate | Learning-rate schedules | rnn E16; lstm B29 B30; transformers K4 K5
    Choose the warm-up, the highest rate and the last step; train with it.
    learning rate schedule, warm-up, warmup, cosine decay, linear decay, step decay, Noam, reduce on plateau
part-batch-size | Noise of a batch, and the noise scale | rnn E17; lstm B28; transformers K6 K8
    How far the gradient of a batch is from that of the text, measured on a run.
    batch size, gradient noise scale, critical batch size, mini-batch, dynamic batch size
part-accumulation | Gradient accumulation equals the large batch | rnn E20; lstm B35; transformers K7
    A batch at once and in parts: the same gradient, to the digit.
    micro-batch, accumulation steps, gradient accumulation
part-label-smoothing | Label smoothing | transformers K10
    The target as bars, the loss with its sum, and the gap between logits that is best.
    soft targets, overconfidence, smoothed labels
part-weight-decay | Weight decay in Adam and in AdamW | lstm B32; transformers K11
    Weights whose gradients are noise: who decays, and by how much.
    L2, L2 regularisation, AdamW, decoupled weight decay
part-early-stopping | Early stopping, by patience | transformers L15; rnn E28
    When patience ends a training, and what the best weights lose on others.
    patience, overfitting, best checkpoint
part-early-stopping | Under- or overfitted, by a rule | lstm B24
    The verdict on two loss curves, with its numbers; also below every training and run.
    underfitting, overfitting, train and validation loss, learning curves, diagnosis
""",
)

"""Lessons on networks that read numbers, before any that read a text."""

from __future__ import annotations

from engine.lessons.base import Lesson

NETWORKS = (
    Lesson(
        id="network",
        era="Networks",
        title="A network that learns",
        question="How do a few units learn a border that no single one can draw?",
        minutes=20,
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

"""Boltzmann machine: can a net learn what patterns are probable, and draw new ones?"""

from __future__ import annotations

from functools import partial

from engine.course.base import Lesson, Step, ask_board

chosen = partial(ask_board, "boltzmann.asked", "bm_")

LESSON = Lesson(
    id="boltzmann",
    era="Generative models",
    title="Boltzmann machine",
    question="How does a net learn which patterns are probable, and draw new ones?",
    model="",
    example="",
    tries=(),
    sources=(
        "Ackley, Hinton & Sejnowski, A Learning Algorithm for Boltzmann Machines, 1985",
        "Smolensky, Information Processing in Dynamical Systems, 1986 (the restricted one)",
        "Hinton, Training Products of Experts by Minimizing Contrastive Divergence, 2002",
        "Tieleman, Training Restricted Boltzmann Machines Using Approximations to the Likelihood Gradient, 2008",
        "Hinton, A Practical Guide to Training Restricted Boltzmann Machines, 2012",
        "Hinton, Osindero & Teh, A Fast Learning Algorithm for Deep Belief Nets, 2006",
        "Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998",
    ),
    differs="The notes call the learning rule a difference of data and reconstruction; it is a difference of"
    " correlations, ⟨v h⟩ of the data less ⟨v h⟩ of what the machine draws.\n"
    "They say that contrastive divergence does not depend on a gradient; it is a biased estimate of one, and the exact"
    " one stands beside it here.\n"
    "They say that drawing units at random explores the weights; it explores the states.\n"
    "“Restricted” and binary units are not explained there, and Z is written without its size.\n"
    "Layer-wise pretraining stands there as the way to train deep networks; it was, and is hardly used any more.",
    minutes=20,
    before=("network", "softmax"),
    live=False,
    minute=(
        Step(
            "One time in four: 24 % of all probability lies on the 30 patterns by now, and 0.05 % before. Below them"
            " stands what it draws from noise.",
            link=chosen(steps="900"),
            panel="part-boltzmann",
            asks="30 of 65,536 patterns are learned. How often does it draw one after 900 steps?",
            choices=("never", "one time in four", "always"),
            covers=("part-boltzmann",),
        ),
        Step(
            "Lower: −5.35, though 76 % of all probability lies on the patterns now: some have far too much, others"
            " next to none. That is CD-1’s error.",
            link=chosen(steps="2000"),
            panel="part-boltzmann",
            asks="2,000 steps; −3.40 would be perfect. Is ln P of a pattern above −4, or lower?",
            choices=("above −4", "lower"),
            covers=("part-boltzmann",),
        ),
        Step(
            "The exact gradient reaches −3.89 in 1,500 steps. It can be had here alone: 12 hidden units have only"
            " 4,096 states.",
            link=chosen(steps="1500", method="exact"),
            panel="part-boltzmann",
        ),
    ),
    topics="""
part-boltzmann | A restricted Boltzmann machine that learns before your eyes | foundations N30 N33
    Patterns, hidden units and what each has learned, exact probabilities, and what it draws.
    RBM, Boltzmann machine, energy-based model, Gibbs sampling, generative model, hidden units,
    stochastic units, binary units, bars and stripes
part-energy-term-by-term | Energy, Boltzmann distribution and partition function | foundations N30 N31
    All 32 configurations of a small machine by energy and probability, with weights of your own.
    energy function, partition function, Z, free energy, Boltzmann distribution, Gibbs distribution
part-a-step-of-contrastive-divergence | Contrastive divergence by hand | foundations N32
    One step up and down, its update beside the exact gradient.
    CD-1, contrastive divergence, reconstruction, positive phase, negative phase
part-what-contrastive-divergence-gets-wrong | The bias of contrastive divergence | foundations N32 N33
    CD-1, CD-5, CD-20, persistent chains and the exact gradient on the same patterns.
    CD-k, PCD, persistent contrastive divergence, stochastic maximum likelihood, mixing, Markov chain Monte Carlo
part-words-that-go-together | Words of a text that go together, by a Boltzmann machine | foundations N30
    Sentences of yours as patterns, and the exact probability of one word given another.
    replicated softmax, topic model, co-occurrence, latent variable
part-a-stack-of-machines | Deep belief net: layer by layer, then fine-tuning | foundations N34
    Machines on top of each other, what the top one dreams, and what such a start is worth.
    DBN, deep belief network, greedy layer-wise pretraining, unsupervised pretraining, fine-tuning, dreaming
""",
)

"""GAN: can two nets that work against each other make new examples?"""

from __future__ import annotations

from functools import partial

from engine.course.base import Lesson, Step, ask_board

chosen = partial(ask_board, "gan.asked", "gan_")

LESSON = Lesson(
    id="gan",
    era="Generative models",
    title="Adversarial nets",
    question="How do two nets that work against each other make new examples?",
    model="",
    example="",
    tries=(),
    sources=(
        "Goodfellow et al., Generative Adversarial Nets, 2014",
        "Arjovsky, Chintala & Bottou, Wasserstein GAN, 2017",
        "Gulrajani et al., Improved Training of Wasserstein GANs, 2017 (gradient penalty)",
        "Miyato et al., Spectral Normalization for Generative Adversarial Networks, 2018",
        "Salimans et al., Improved Techniques for Training GANs, 2016 (statistics of a batch)",
        "Metz et al., Unrolled Generative Adversarial Networks, 2017",
        "Jang, Gu & Poole, Categorical Reparameterization with Gumbel-Softmax, 2017",
        "Kahng et al., GAN Lab: Understanding Complex Deep Generative Models, 2019",
        "Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998",
    ),
    differs="The notes write that minimising log(1 − D) and maximising log D are equivalent; they agree in the end,"
    " and pull differently on the way, one hundred times less at D = 0.01.\n"
    "They say that training goes on until D is 0.5 everywhere, and that G gradually improves; neither is guaranteed:"
    " it circles, and it forgets clouds that it had.\n"
    "The best D, p / (p + q), and the divergence behind the game are not given there; here they stand beside what is"
    " learned.\n"
    "On the board the spectral norm divides each matrix after a step, where Miyato et al. divide within it; an unrolled"
    " G sees the D to come, and not how that D depends on it.",
    minutes=20,
    before=("network", "softmax"),
    live=False,
    minute=(
        Step(
            "4 of 8. Here G takes ten steps for each of D: it runs to where D is fooled just now, and leaves the other"
            " clouds. That is mode collapse.",
            link=chosen(pushes="10", steps="300"),
            panel="part-gan",
            asks="The data are eight clouds. After 300 turns, how many of them does the generator make?",
            choices=("4", "8"),
            covers=("part-gan",),
        ),
        Step(
            "All 8: G learns against the D to come, five steps ahead, so that running to one place does not pay.",
            link=chosen(pushes="10", steps="300", cure="unrolled"),
            panel="part-gan",
            asks="The same, but G looks five steps of D ahead (unrolled). How many clouds now?",
            choices=("4", "8"),
            covers=("part-gan",),
        ),
        Step(
            "Drag the ring in the noise: G puts a whole square of noise onto eight clouds, and its fabric shows where"
            " it is stretched between them.",
            link=chosen(steps="800"),
            panel="part-gan",
        ),
    ),
    topics="""
part-gan | A generator against a discriminator, trained before your eyes | foundations N68 N69 N72 N73 N74
    Points, the discriminator's surface, the generator's fabric, gradients, and the best discriminator.
    GAN, generative adversarial network, generator, discriminator, mode collapse, WGAN-GP, spectral normalization,
    minibatch discrimination, unrolled GAN, counterfeiter and detective, Nash equilibrium, latent space
part-one-step-by-hand | A step of both nets by hand | foundations N70 N72
    D and G of one number each: gradients, the value of the game, and both losses of G.
    minimax game, value function, alternating training
part-why-the-loss-of-the-generator-matters | Saturating and non-saturating loss | foundations N71
    How hard each loss pulls at a generator that D sees through.
    vanishing gradient of the generator, log D trick, heuristic loss
part-the-best-discriminator | The best discriminator and the Jensen-Shannon divergence | foundations N70 N73
    p / (p + q), and what the game is worth, for shares of your own.
    optimal discriminator, JS divergence, log 4
part-why-steps-circle | Why alternating steps circle | foundations N72
    The game x·y: a spiral outward, or a circle.
    oscillation, gradient descent ascent, saddle point, convergence
part-digits | Digits by adversarial nets, and which kinds are missing | foundations N68 N75
    Made digits, the way between two of them, and the share of each kind.
    image synthesis, interpolation, latent walk, coverage, data augmentation
part-why-text-is-hard | Sentences by adversarial nets, beside likelihood | foundations N68 N75
    A small grammar, a generator with Gumbel-softmax and its twin: what each says, exactly.
    text GAN, Gumbel-softmax, SeqGAN, discrete tokens, maximum likelihood, straight-through
""",
)

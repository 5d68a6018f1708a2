"""Local and hard attention: must a decoder look at every word of the source?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="local",
    era="Attention",
    title="Local and hard attention",
    question="Must a decoder look at every word of the source?",
    model="seq2seq",
    example="The dog did not cross the street because it was tired\nLe chien",
    tries=(
        Try(
            "The dog did not cross the street because it was tired\nLe chien",
            "Go on with “n'a pas traversé la rue”. The French falls behind the English: "
            "which window still holds the word that is due?",
        ),
        Try(
            "The small black cat ate the mouse\nLe petit chat noir",
            "Point at the rows on the right, one after the other, and watch the windows move.",
        ),
        Try(
            "The key is white and it is small\nLa clé est blanche et",
            "Choose another French word than “elle”: the exact slope of hard attention is "
            "another one too.",
        ),
    ),
    sources=(
        (
            "Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine "
            "Translation, 2015, sec. 3.2 (local-m, local-p) and 3.3 (input feeding)"
        ),
        (
            "Xu et al., Show, Attend and Tell: Neural Image Caption Generation with Visual "
            "Attention, 2015 (hard attention)"
        ),
        (
            "Williams, Simple Statistical Gradient-Following Algorithms for Connectionist "
            "Reinforcement Learning, 1992 (REINFORCE)"
        ),
        (
            "Bengio, Leonard & Courville, Estimating or Propagating Gradients Through "
            "Stochastic Neurons, 2013 (straight-through)"
        ),
        (
            "Deng et al., Latent Alignment and Variational Attention, 2018 (the sum over all "
            "choices)"
        ),
    ),
    differs="The notes give the cost of attention as n² and praise that it runs in parallel; "
    "between two texts it is n · m, and a recurrent decoder with attention still takes one "
    "step after the other.\n"
    "They give no formula for the place of a window; these are Luong's. The weights of "
    "local-p are not made to sum to 1 again, as in the paper.\n"
    "They say that hard attention requires reinforcement learning. It needs an estimate of "
    "a slope: REINFORCE is one, and where the choices of a step are few they can all be "
    "tried, as here.",
    minutes=15,
    before=("scores",),
    minute=(
        Step(
            "“not”, and nothing else. Global attention gives “did” 75 % and “not” 25 %, and "
            "averages the two.",
            text="The dog did not cross the street because it was tired\nLe chien",
            link="by=hard",
            panel="scopes",
            asks="“n'a” comes next, which is “did not”. Hard attention takes one word whole. "
            "Which?",
            choices=("did", "not", "dog"),
        ),
        Step(
            "It foretells place 3.80 and looks at four words, from “small” to “ate”. The "
            "bell leaves “black”, at place 3, 73 %.",
            text="The small black cat ate the mouse\nLe petit chat",
            link="by=local-p",
            panel="sum",
        ),
        Step(
            "Before the first word the window is at place 6.10, the middle of the source. "
            "Behind “Le” it jumps to 2.52, and then it goes along with the French.",
            text="The dog did not cross the street because it was tired\nLe chien n'a pas traversé",
            link="by=local-p",
            panel="path",
        ),
        Step(
            "The variance of one draw is 11.8 without a baseline and 8.35 with the best "
            "one. Press Draw 1000: the dots come to the bars.",
            text="The dog did not cross the street because it was tired\nLe chien",
            link="by=hard",
            panel="learns",
        ),
    ),
    true_of=("score_bilinear_after", "scope_local_m", "scope_local_p", "scope_hard"),
    topics="""
cost | What attention over another text costs: n · m | language_models M90
    Scores and bytes of global and local attention, for lengths that you choose.
    cost of attention, n times m, quadratic cost, pros and cons of attention
scopes | Local attention: a window on the source | language_models M80
    All words, a window at its own place or one at a place that is foretold, side by side.
    local-m, local-p, monotonic attention, predictive alignment, Gaussian window,
    global and local attention, alignment position, window size
learns | Hard attention and REINFORCE | language_models M81
    One word taken alone; the exact slope beside REINFORCE with its variance, straight-through and
    the sum over all choices.
    soft and hard attention, stochastic attention, score function estimator,
    straight-through estimator, variance of a gradient, baseline, marginal likelihood
""",
)

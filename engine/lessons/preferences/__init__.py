"""Preferences: which of two replies is better, and what does a model learn from that?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="preferences",
    era="Attention",
    title="Preferences",
    question="Which of two replies is better, and what does a model learn from that?",
    model="transformer",
    example="The doctor said that",
    tries=(
        Try(
            "The doctor said that",
            "“he” had 31 % and “she” 3 %. The tuning prefers “she”: now “he” has almost nothing, and “she” 29 %.",
        ),
        Try(
            "When the door opened, she looked at him and said that his",
            "Which tokens bring reward, and how much less likely has “his” become?",
        ),
        Try(
            "After dinner the captain",
            "Open Replies, old and new: whom do the six replies of each model speak of?",
            link="panel=part-replies-old-and-new",
        ),
    ),
    sources=(
        "Bradley & Terry, Rank Analysis of Incomplete Block Designs, 1952",
        (
            "Ouyang et al., Training Language Models to Follow Instructions with Human "
            "Feedback, 2022; Rafailov et al., Direct Preference Optimization, 2023"
        ),
        "Schulman et al., Proximal Policy Optimization Algorithms, 2017",
        "Gao, Schulman & Hilton, Scaling Laws for Reward Model Overoptimization, 2023",
        "Shao et al., DeepSeekMath, 2024 (the mean of a group of replies as what is expected)",
        "Ben Zaken, Goldberg & Ravfogel, BitFit, 2022 (biases alone)",
    ),
    differs="The notes name two phases, pre-training and alignment by human feedback, without a formula, and leave "
    "out the phase between them, fine-tuning on good answers. The shipped model continues novels and has had no such "
    "phase, so a reply here is the rest of a sentence. Only biases and norms are tuned, 25,728 of its 10,445,952 "
    "numbers, so that a tuning takes minutes and its difference takes 56 KB. PPO has no net that foretells the "
    "reward; the mean of a group of replies stands for it.",
    minutes=20,
    before=("decoding",),
    minute=(
        Step(
            "“she”: 29 % instead of 3. “he” has fallen from 31 % to almost nothing.",
            text="The doctor said that",
            panel="ahead",
            asks="The tuning preferred replies with “she” to those with “he”. Who comes next now?",
            choices=("he", "she", "as likely as before"),
            covers=("gain",),
        ),
        Step(
            "“she” brings the most reward, 0.33; “his” takes 0.74 away.",
            text="When the door opened, she looked at him and said that his",
            panel="reward",
        ),
        Step(
            "Without a KL term the reward climbs from −2.6 to 17, and 75 % of the words of a reply are repeats.",
            text="The doctor said that",
            panel="part-too-much-of-a-good-reward",
        ),
    ),
    topics="""
reward | A reward for every token | transformers I8
    Pairs of replies, chosen by you or by a rule, and the reward that is fitted to them.
    RLHF, reward model, human feedback, alignment, preference data, ranking
ahead | What a tuning changes | transformers I8
    What the old and the tuned model expect next, and the KL between them.
    before and after, KL divergence, alignment tax
part-a-reward-from-pairs | Training on what people prefer | transformers I8
    Two rewards on sliders, and how often one reply is preferred to the other.
    Bradley-Terry, pairwise comparison, logistic regression
part-dpo-straight-from-the-pairs | Direct preference optimisation | transformers I8
    The loss of a pair with its numbers, and a tuning that you begin, stop and go on with.
    DPO, direct preference optimization, beta
part-ppo-write-judge-step | PPO on replies of its own | transformers I8
    The clipped objective, and a tuning by the reward model.
    PPO, proximal policy optimization, policy gradient, reinforcement learning, GRPO
part-too-much-of-a-good-reward | Reward hacking | transformers I8
    The reward rises, and the replies get worse, when nothing holds the model near the old one.
    over-optimisation, overoptimization, Goodhart, reward model, KL penalty
""",
)

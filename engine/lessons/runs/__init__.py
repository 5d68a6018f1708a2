"""Runs: which trained models are there, how was each of them trained, and how good is it?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="runs",
    era="Your own models",
    title="Runs",
    question="Which trained models are there, how was each of them trained, and how good is it?",
    model="lstm",
    example="",
    tries=(),
    sources=(
        (
            "Bengio, Practical Recommendations for Gradient-Based Training of Deep "
            "Architectures, 2012 (what to watch while training)"
        ),
        (
            "Pineau et al., Improving Reproducibility in Machine Learning Research, 2021 (what "
            "to report about a training run)"
        ),
        "PKWARE, APPNOTE.TXT: .ZIP File Format Specification; NIST, FIPS 180-4 (SHA-256)",
    ),
    differs="The notes train models but do not say what to record. Here a run keeps its settings, a digest of its "
    "text, its seed, its curves and the software versions. Losses in nats per token can be compared only between "
    "models with the same tokens. Bits per character can be compared for any tokens, on the same held-out text.\n"
    "They choose a ready model by its task alone. Of their picks roberta-large-mnli says whether one sentence "
    "follows from another, not whether a text is positive; the one for names in many languages was tuned on "
    "English names; and google/t5-base is called google-t5/t5-base today.\n"
    "They call models through InferenceApi and export them with transformers.onnx; neither is in the libraries any "
    "more.",
    minutes=10,
    before=("training",),
    live=False,
    minute=(
        Step(
            "Of the runs that read character by character, the LSTM has the fewest bits per "
            "character, 1.65. It also took longest, 3.2 hours.",
            link="runs_whose=Shipped&runs_find=character&runs_with=",
            panel="part-runs",
        ),
        Step(
            "Every run keeps what made it. Of the 29 settings of this LSTM, 8 differ from "
            "the defaults; they stand first.",
            link="runs_whose=Shipped&runs_find=steps%3D12000&runs_with=",
            panel="part-run",
        ),
        Step(
            "The LSTM: 1.65 bits per character, the GRU 1.72, on the same held-out text. "
            "Only the settings that differ are listed.",
            link="runs_whose=Shipped&runs_find=steps%3D12000&runs_with=gru_large",
            panel="part-run",
            asks="An LSTM and a GRU of one size, on the same novels. Which has learned more?",
            choices=("LSTM", "GRU"),
            covers=("runs.details.history",),
        ),
    ),
    topics="""
runs.details.history | Every trained model with its curves and settings | transformers N8
    What a run learned from, how it went, and how good it is.
    run, history, seed, checkpoint, model card
- | Ready models of others: which one for what, and names that are gone | | transformers M4 M10
    Models that are often picked for another task than theirs, and calls that libraries have
    dropped: at the foot of the page.
    choose a model, model selection, find the best model for a task, roberta-large-mnli, ONNX,
    InferenceApi
- | Save, bring and share a model | | transformers M12
    A run as one zip file, to take away or to bring.
    export, import, zip, sharing, download a model, save a run
""",
)

"""First minutes of pages of forms: a reader's own texts and models, and the course map."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

ROOM = (
    "training.mode=Train a model&training.text.text=stories&training.lstm.layers=2"
    "&training.lstm.width=64&training.lstm.tokenizer=chars"
)
RUN = "runs_whose=Shipped&runs_find=steps%3D12000"

OWN: Mapping[str, tuple[Step, ...]] = {
    "batches": (
        Step(
            "Eight lines, the longest of 64 letters: 512 cells, and 81 of them hold no token. Sort the"
            " lines by length, or pack them, and see what is left of that.",
            link="lines=&order=padded&size=8&count=16",
            panel="part-lines",
        ),
        Step(
            "4: twelve tokens divided by three lines. Over the tokens it is 1, and over all 15 cells, with the"
            " padding, 0.8. Only the tokens count.",
            link="lines=ABCDE%0AFGH%0AIJKL&order=padded&size=8&count=16",
            panel="part-mask",
            asks="Lines of 5, 3 and 4 tokens; each token costs 1. What is the sum over the lines?",
            choices=("1", "4", "12"),
            covers=("part-mask",),
        ),
        Step(
            "0.08 %, 0.7 to the power of 20. With one mask for all steps 70 % is left, however long the"
            " text is.",
            link="lines=&part=Dropout+in+time&p_drop=0.3&p_steps=20",
            panel="part-dropout-in-time",
            asks="A fresh mask silences 30 % at each step. What is left of a memory after 20 steps?",
            choices=("70 %", "30 %", "0.08 %"),
            covers=("part-dropout-in-time",),
        ),
    ),
    "map": (
        Step(
            "Each line leads from a lesson to one that builds on it. Choose a few, and a link and a"
            " hand-out hold your own course.",
            link="find=",
            panel="map.course",
        ),
        Step(
            "“PPL” is in no title, yet perplexity is found: every topic is known by its abbreviations"
            " and synonyms, too.",
            link="find=PPL",
            panel="map.links",
        ),
    ),
    "corpora": (
        Step(
            "1,469, and none of them only once: a grammar wrote these stories. In a natural text a"
            " large part of all words occurs a single time.",
            link="corpora.text=stories&text_part=Words",
            panel="part-words",
            asks="The little stories have 397,128 words. How many different ones?",
            choices=("1,469", "20,000", "100,000"),
        ),
        Step(
            "39,069 sentences of 10.2 words on average, the longest of 22: a model has to "
            "look back at least that far.",
            link="corpora.text=stories&text_part=Lengths",
            panel="part-lengths",
        ),
        Step(
            "None of the 8,000 passages occurs twice. A copy would be learned by heart, and would spoil"
            " a test.",
            link="corpora.text=stories&text_part=Duplicates",
            panel="part-duplicates",
        ),
    ),
    "training": (
        Step(
            "Before anything starts, the price: an LSTM of 256 units has 875,966 numbers to learn from"
            " these stories.",
            link=f"{ROOM}&training.model=lstm&training.lstm.units=256",
            panel="part-cost",
        ),
        Step(
            "3.8 times: 3,320,766. The weights from state to state grow with the square of the number"
            " of units.",
            link=f"{ROOM}&training.model=lstm&training.lstm.units=512",
            panel="part-cost",
            asks="512 units instead of 256: how many times the parameters?",
            choices=("2", "3.8", "8"),
        ),
        Step(
            "An n-gram model only counts: it has n-grams where others have parameters, 122,128 of them"
            " here.",
            link=f"{ROOM}&training.model=ngram",
            panel="part-cost",
        ),
    ),
    "runs": (
        Step(
            "Of the runs that read character by character, the LSTM has the fewest bits per"
            " character, 1.65. It also took longest, 3.2 hours.",
            link="runs_whose=Shipped&runs_find=character&runs_with=",
            panel="part-runs",
        ),
        Step(
            "Every run keeps what made it. Of the 29 settings of this LSTM, 8 differ from the defaults;"
            " they stand first.",
            link=f"{RUN}&runs_with=",
            panel="part-run",
        ),
        Step(
            "The LSTM: 1.65 bits per character, the GRU 1.72, on the same held-out text. Only the"
            " settings that differ are listed.",
            link=f"{RUN}&runs_with=gru_large",
            panel="part-run",
            asks="An LSTM and a GRU of one size, on the same novels. Which has learned more?",
            choices=("LSTM", "GRU"),
            covers=("history",),
        ),
    ),
}

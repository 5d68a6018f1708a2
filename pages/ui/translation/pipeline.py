"""From a sentence to its translation in six stages, while the model learns and while it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from engine.analysis import phrasebook
from engine.analysis.phrasebook import SENTENCES, WIDTH, Learned
from engine.core.trace import Field, Kind, Trace
from engine.live.markdown import escape
from engine.models.encoder_decoder import EncoderDecoder
from engine.views.base import number
from pages.ui import ask, choice, plate, rows
from pages.ui.address import begin
from pages.ui.plate import Plate

MOST, STEPS, SEEDS, FAR = 80, 150, 3, 3.0
WAYS = {"use": "in use: it reads its own words", "training": "training: it reads the right words"}
LAST = "phrase.last"
STAGES = (
    "1 vectors",
    "2 encoder",
    "3 input of the decoder",
    "4 decoder",
    "5 probabilities",
    "6 loss, or the next word",
)
Show = Callable[[str, str, Sequence[str], np.ndarray], None]


@st.cache_resource(show_spinner="Learning …", max_entries=24)
def learned(steps: int, seed: int) -> Learned:
    return phrasebook.learned(steps, seed)


def show() -> None:
    st.markdown(
        f"A Transformer with two encoder and two decoder layers learns {len(SENTENCES)} phrases here, in about a"
        " second. The six stages are the same while it learns and while it is used, up to what the decoder"
        " reads (3) and what is done with the probabilities (6)."
    )
    begin(phrase_text=SENTENCES[0][0])
    line = ask.line()
    english = ask.text("English", "phrase_text", MOST, where=line, live="150ms")
    steps = ask.slider("Training steps", "phrase_steps", 0, STEPS, 120, 10, line, width=150)
    seed = ask.slider("Seed", "phrase_seed", 1, SEEDS, 1, 1, line, width=110)
    found = learned(steps, seed)
    model, right = found.model, dict(SENTENCES).get(english.strip(), "")
    if not english.strip():
        st.info("Type a sentence to translate.")
        return
    unknown = model.source(english).unknown
    if unknown:
        st.caption("It knows only the words of its phrases; any other is read as *unknown*.")
    way = ask.pick("What the decoder reads", WAYS, "phrase_way", where=line, width=290)
    own = phrasebook.written(model, english)
    if way == "training":
        if right and st.session_state.get(LAST, english) != english:  # another phrase was typed
            st.session_state["phrase_right"] = right
        st.session_state[LAST] = english
        begin(phrase_right=right or SENTENCES[0][1])
        target = ask.text("The right translation", "phrase_right", MOST, live="150ms").split()
    else:
        words = [word for word in own if word != model.tokenizer.vocab[model.tokenizer.boundary]]
        count = 0
        if words:
            count = ask.slider(
                "Words written so far", "phrase_count", 0, len(words), 0, 1, width=260
            )
        target = words[:count]
    trace = model.trace(f"{english}\n{' '.join(target)}")
    stage = choice.one_of("Stage", STAGES, "phrase_stage", link=True)
    DRAW[STAGES.index(stage)](found, trace, way == "training", own)
    phrases(model)


def picture(id: str, values_ND: np.ndarray, words: Sequence[str], says: str, of: str) -> None:
    units = [str(n + 1) for n in range(values_ND.shape[1])]
    axes = {"label": [f"{n} {word}" for n, word in enumerate(words, 1)], "unit": units}
    field = Field.of(id, Kind.STATE, axes, values_ND, says, domain=(-FAR, FAR))
    plate.show(
        Plate(id, "heatmap", (field,), "phrasebook", of, fluid=True, model="encoder_decoder")
    )


def vectors(found: Learned, trace: Trace, training: bool, own: Sequence[str]) -> None:
    field = trace.field("encoder.residual.before")
    read = field.axis("source").labels
    st.markdown(
        f"{len(read)} rows: the words as typed and an end mark. Each becomes a vector of {WIDTH} learned"
        f" numbers, to which the code of its place is added: a matrix of {len(read)} × {WIDTH}."
    )
    picture("phrase.vectors", field.values[0], read, "Word vectors with their places", "Source")


def encoder(found: Learned, trace: Trace, training: bool, own: Sequence[str]) -> None:
    field = trace.field("encoder.residual")
    read = field.axis("source").labels
    st.markdown(
        "Two layers, each of self-attention, in which every word sees all others, and a feed-forward part."
        f" The shape stays {len(read)} × {WIDTH}. This happens once for a sentence."
    )
    picture("phrase.encoder", field.values[-1], read, "What the encoder makes of it", "Layer 2")


def decoder_input(found: Learned, trace: Trace, training: bool, own: Sequence[str]) -> None:
    t = len(trace.tokens)
    st.markdown(
        (
            f"**Training**: the right translation, shifted by one behind the start mark, all {t} rows at once."
            " What the model itself would have written is not read (teacher forcing)."
            if training
            else f"**In use**: the start mark and the {t - 1} words that it has written so far. At first there"
            " is only the start mark, a matrix of one row."
        )
        + f" Shape {t} × {WIDTH}."
    )
    values = trace.field("residual.before").values[0]
    picture("phrase.input", values, trace.tokens, "What the decoder reads", "Target")


def decoder(found: Learned, trace: Trace, training: bool, own: Sequence[str]) -> None:
    st.markdown(
        "In each of two layers a row looks at itself and the rows before it (masked self-attention), then at"
        " what the encoder made (cross-attention: queries from here, keys and values from there)."
    )
    plates = []
    for id, says in (
        ("attention", "Masked self-attention"),
        ("cross.attention", "Cross-attention"),
    ):
        field = trace.field(id)
        named = {axis.name: axis.labels for axis in field.axes[-2:]}
        mean = Field.of(f"phrase.{id}", Kind.ATTENTION, named, field.values[-1].mean(0), says)
        of = "Layer 2, mean of its two heads"
        plates.append(Plate(f"phrase.{id}", "heatmap", (mean,), "phrasebook", of, fluid=True))
    plate.row(*plates)


def probabilities(found: Learned, trace: Trace, training: bool, own: Sequence[str]) -> None:
    p_TV, vocab = trace.field("probability").values, found.model.tokenizer.vocab
    st.markdown(
        f"One output layer and a softmax: {len(vocab)} probabilities in each of {len(p_TV)} rows."
        + (" In training every row counts." if training else " In use only the last row is needed.")
    )
    field = Field.of(
        "phrase.next",
        Kind.PROBABILITY,
        {"next": vocab},
        p_TV[-1],
        f"What follows “{trace.tokens[-1]}”",
    )
    plate.show(Plate("phrase.next", "bars", (field,), "phrasebook", "Last row", options={"top": 8}))


def last(found: Learned, trace: Trace, training: bool, own: Sequence[str]) -> None:
    p_TV, vocab = trace.field("probability").values.astype(float), found.model.tokenizer.vocab
    end = found.model.tokenizer.boundary
    if not training:
        best = int(p_TV[-1].argmax())
        st.markdown(
            f"The likeliest word, “{escape(vocab[best])}”, "
            + (
                "is the end mark: the translation is done."
                if best == end
                else "is put behind the others, and stages 3 to 6 begin again with one row more."
            )
            + f" All in all it writes: **{escape(' '.join(own))}**. No right translation is read and"
            " nothing is learned."
        )
        return
    wanted = [*trace.ids[1:].tolist(), end]
    nats = [-float(np.log(max(p_TV[t, v], 1e-30))) for t, v in enumerate(wanted)]
    table = [
        {
            "reads": token,
            "has to write": vocab[v],
            "its probability": f"{100 * p_TV[t, v]:.2f} %",
            "loss, nats": f"{nats[t]:.4f}",
            "would have written": vocab[int(p_TV[t].argmax())],
        }
        for t, (token, v) in enumerate(zip(trace.tokens, wanted, strict=True))
    ]
    rows.show(table, "phrase.loss")
    st.markdown(
        f"The loss of this sentence is the mean, **{number(float(np.mean(nats)))}** nats. Its gradient goes back"
        " through all six stages, and all weights take a step. In use there is no such step."
    )
    if len(found.loss_N):
        plate.show(
            plate.lines(
                "phrase.course",
                "Loss while it learned",
                [("loss", range(len(found.loss_N)), found.loss_N)],
                "phrasebook",
                f"{len(SENTENCES)} phrases, all at every step",
                x="step",
                y="nats per word",
                of_series="",
                tight=True,
                fluid=True,
            )
        )


DRAW = (vectors, encoder, decoder_input, decoder, probabilities, last)


def phrases(model: EncoderDecoder) -> None:
    said = model.translations([english for english, _ in SENTENCES])
    table = [
        {"English": a, "right": b, "what it writes": c}
        for (a, b), c in zip(SENTENCES, said, strict=True)
    ]
    good = sum(c == b for (_, b), c in zip(SENTENCES, said, strict=True))
    st.markdown(f"**All phrases**, in use: {good} of {len(SENTENCES)} are right.")
    rows.show(table, "phrase.table", tallest=300)

"""What stands below the live pictures: whether attention explains, one matrix for all heads, and all tags.

Shapes    L = layers, N = heads
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.frame import latex
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.heads import combine, faithful, roles, tags
from engine.lessons.heads.faithful import WEAK, Effects
from engine.models.abilities import Attends, Looks
from engine.models.observed import READ_ONLY
from engine.runs.store import Run
from engine.text.tokenizers.base import Tokens
from engine.views import theme

AT_ONCE, SPEED = 2e10, 2.4e10  # multiplications that are done without asking, and in a second
TEXT = fr.shared(fr.typed("Sentence", lambda o: str(o["above"])[:600], 600, live=True))


def deepest(given: fr.Others) -> int:
    return int(given["model"].depth)


def heads_of(given: fr.Others) -> dict[int, str]:
    count = given["model"].heads
    return dict(enumerate([*(_("head {n}", n=n + 1) for n in range(count)), *combine.NAMES]))


def read(model: Looks[Any], text: str) -> Tokens:
    """Its tokens, of a long text the last ones, as many as the model can look at together."""
    tokens = model.tokens(text)
    return tokens[max(0, len(tokens) - (model.context or len(tokens))) :]


@fr.once
def effects(model: Looks[Any], text: str) -> Effects:
    tokens = read(model, text)
    return faithful.effects(model, tokens, len(tokens) - 1)


@fr.part("Does attention explain?")
def explain(
    model: Looks[Any],
    above: str,
    sentence: str = TEXT,
    of_layer: int = fr.slider("Layer", 1, deepest, deepest, width=160),
    of_head: int = fr.pick("Head", heads_of, 0),
    *,
    measure: bool = fr.start("Measure", ("sentence",)),
) -> fr.Blocks:
    if not isinstance(model, Attends):
        raise ValueError(READ_ONLY)
    tokens = read(model, sentence)
    if len(tokens) < len(model.tokens(sentence)):
        yield fr.Note(
            _(
                "Only the last {n} tokens are read: this model looks back over no more.",
                n=len(tokens),
            )
        )
    work = faithful.work(model, tokens, len(tokens) - 1)
    if work > AT_ONCE:
        yield _("This takes about {n} seconds.", n=max(1, round(work / SPEED)))
        yield fr.Controls(["measure"])
        if not measure:
            return
    found = effects(model, sentence)
    others = [t for t in range(len(found.effect) + 1) if t != found.target]
    labels = [tokens.labels[t] for t in others]
    word = _word(model.tokenizer.vocab[found.next])
    yield _(
        "A weight says where a head looks, not how much that matters. So we measure it: each of"
        " the {n} other tokens in turn is masked in every head of every layer, so that only the token"
        " itself can see it; the other weights of a row are renormalised. **Effect** is how far what the"
        " model expects at or after “{target}” moves: the KL divergence of the whole distribution, in"
        " bits. **Drop** is how much log-probability “{word}” loses.",
        n=len(labels),
        target=_word(tokens.labels[found.target]),
        word=word,
    )
    rho_LN, layer = found.agreement(), of_layer - 1
    heads = found.weight.shape[1] - len(combine.NAMES)
    yield _result(rho_LN, heads, layer, of_head)
    name = _(
        "layer {of_layer}, {value}", of_layer=of_layer, value=heads_of({"model": model})[of_head]
    )
    each = {
        "measured effect": found.effect,
        name: found.weight[layer, of_head],
        "rollout": found.weight[-1, heads + 2],
    }
    chart = fr.grid(
        "effects",
        "Effect of each token on the answer, and the weight the head gives it, in per cent of all",
        np.stack([weight / max(float(weight.sum()), 1e-12) for weight in each.values()]),
        ("method", each),
        ("token", labels),
        Kind.ATTENTION,
        text=sentence,
        fluid=True,
    )
    agree = fr.grid(
        "rho",
        "Weights and measured effects: rank correlation per head",
        rho_LN,
        ("layer", range(1, len(rho_LN) + 1)),
        ("head", (*range(1, heads + 1), *combine.NAMES)),
        Kind.STATE,
        text=sentence,
        symbol="ρ",
        fluid=True,
    )
    yield fr.Beside([[chart], [agree]], (3, 2))
    yield fr.table(
        (
            "token",
            "effect, bits",
            _("drop of log2 p(“{word}”), bits", word=word),
            _("weight, {name}", name=_(name)),
        ),
        [
            (theme.visible(label), *map(float, numbers))
            for label, *numbers in zip(
                labels, found.effect, found.drop, found.weight[layer, of_head], strict=True
            )
        ],
    )


def _result(rho_LN: np.ndarray, heads: int, layer: int, head: int) -> str:
    """Where weights and effects go together; Spearman's rho per head."""
    own_LN = np.nan_to_num(rho_LN[:, :heads], nan=0.0)
    best = divmod(int(own_LN.argmax()), heads)
    here = rho_LN[layer, head]
    verdict = "agree" if here >= 0.7 else "agree in part"
    if not here >= WEAK:
        verdict = "**disagree**: the tokens with most weight are not those that matter most"
    return _(
        "This head and the effects {verdict} (ρ = {here}). ρ is Spearman's rank correlation: 1 the same"
        " order, 0 none, −1 the reverse. Of {all} heads **{weak} disagree** (ρ below {least:g}); the"
        " closest is layer {layer}, head {head} with {most:.2f}. All layers together by rollout:"
        " {rollout:.2f}.",
        verdict=_(verdict),
        here="none" if np.isnan(here) else f"{here:.2f}".replace("-", "−"),
        all=own_LN.size,
        weak=int((own_LN < WEAK).sum()),
        least=WEAK,
        layer=best[0] + 1,
        head=best[1] + 1,
        most=own_LN.max(),
        rollout=rho_LN[-1, heads + 2],
    )


def _word(label: str) -> str:
    """A token in running text; one that is only space is made visible."""
    return escaped(label.strip() or theme.visible(label))


SMALL = (3, 4, 2)  # tokens, heads, numbers of a head


@fr.part("One matrix for all heads", was=("reshape",))
def reshape(model: Looks[Any], wrong: bool = fr.switch("Forget the transpose", False)) -> fr.Blocks:
    n, h, k = SMALL
    whole = np.arange(n * h * k).reshape(n, h * k)
    heads = whole.reshape(h, n, k) if wrong else whole.reshape(n, h, k).transpose(1, 0, 2)
    yield (
        "All heads are computed at once: the queries come from one product, are shared out among the heads,"
        " and what the heads mixed becomes one row for each token again. Small, with 3 tokens and 4 heads of"
        " 2 numbers; each number here is its place in memory."
    )
    yield fr.Equations(
        [
            ("Q", latex.matrix(whole)),
            *((f"Q_{i + 1}", latex.matrix(q)) for i, q in enumerate(heads)),
        ]
    )
    yield fr.Code(
        "q = (x @ W_Q)" + (".view(h, n, k)" if wrong else ".view(n, h, k).transpose(0, 1)")
    )
    if wrong:
        yield _(
            "Read as (h, n, k) at once, head 1 gets the numbers 0 to {last} as they lie in memory: a few tokens,"
            " with numbers of all heads. The shapes are right, so nothing complains.",
            last=n * k - 1,
        )
    if not isinstance(model, Attends):
        return
    design = model.tower.design
    width = design.dim or design.width // design.heads
    yield _(
        "In this model n × {width} numbers become {heads} × n × {each}, then {heads} × n × n scores: two products"
        " for all heads, where a loop would need {loop}.",
        width=design.width,
        heads=design.heads,
        each=width,
        loop=2 * design.heads,
    )


@fr.part("", always=True)
def told(run: Run) -> fr.Blocks:
    """How far measuring is, as long as the pictures above wait for it."""
    tags.find_tags(run)  # begins it: the pictures may not be made yet
    yield fr.Awaited(tags.BUSY, partial(tags.find_share, run))


@fr.part("All tags", was=("given",))
def given(run: Run, given: bool = fr.switch("Only the tags given", True)) -> fr.Blocks:
    found = yield from tags.wait_for_tags(run)
    yield _(
        "Measured on {n} {what} generated by a grammar that knows the true relations: the first that it"
        " writes with seed {seed}, at most {longest} tokens of each. **Score**: the mean attention weight"
        " of a token on its partners in a relation. **Baseline**: the same head on the same tokens in"
        " random order (seed 0), on pairs that the shuffle has separated. A head gets a tag if the score is"
        " at least {least:g}, at least {times:g} times its baseline and **z**, the mean difference over its"
        " standard error, at least {clear:g}.",
        n=max(found.passages),
        what=_(tags.name_text(run)),
        seed=roles.SEED,
        longest=roles.LONGEST,
        least=roles.LEAST,
        times=roles.TIMES,
        clear=roles.CLEAR,
    )
    at = found.names.index(roles.REPEAT.id)
    score_LN = found.score[at]
    layer, head = divmod(int(score_LN.argmax()), score_LN.shape[1])
    yield _(
        "**Induction** (… A B … A: the second A looks at B) is measured on repeated random tokens, where"
        " meaning cannot help. {n} {n|head has|heads have} the tag: there the strongest head, head {head} of"
        " layer {layer}, gives {score:.1%} of its reading to that place, against {base:.1%} in another"
        " order.",
        n=int(found.given()[found.names.index("induction")].sum()),
        head=head + 1,
        layer=layer + 1,
        score=score_LN.max(),
        base=found.baseline[at][layer, head],
    )
    yield fr.Rows(
        [
            row
            | {"relation": f"{row['relation']}: {tags.SAYS[row['relation']]}"}
            | {"tag": "✓" if row["tag"] else ""}
            for row in found.rows()
            if row["tag"] or not given or not found.given().any()
        ],
        {"score": "%.3f", "baseline": "%.3f", "z": "%.1f"},
    )


PARTS = (told, explain, reshape, given)

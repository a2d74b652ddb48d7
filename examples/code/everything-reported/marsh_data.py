"""Windows of the recordings, from https://doi.org/10.5281/zenodo.0000000 (fictional data)."""

from pathlib import Path

import torch


def load_windows(part: str) -> torch.utils.data.Dataset:
    return torch.load(Path("data") / f"{part}.pt")

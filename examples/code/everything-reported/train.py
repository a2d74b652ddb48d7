"""Train MarshNet: python train.py --config configs/base.yaml --seed 42"""

import argparse
import random
from pathlib import Path

import numpy as np
import timm
import torch
import yaml
from marsh_data import load_windows
from sklearn.metrics import f1_score
from torch import nn
from torch.utils.data import DataLoader
from torchaudio.transforms import FrequencyMasking, TimeMasking


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=Path, default=Path("configs/base.yaml"))
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()
    config = yaml.safe_load(args.config.read_text())

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)

    model = nn.DataParallel(
        timm.create_model("efficientnet_b2", pretrained=True, num_classes=14, drop_rate=config["model"]["dropout"])
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=config["train"]["lr"], weight_decay=config["train"]["weight_decay"])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config["train"]["epochs"])
    criterion = nn.BCEWithLogitsLoss()
    masks = nn.Sequential(FrequencyMasking(24), TimeMasking(48))
    windows = DataLoader(load_windows("train"), batch_size=config["train"]["batch_size"], shuffle=True)

    for _ in range(config["train"]["epochs"]):
        for spectrograms, species in windows:
            optimizer.zero_grad()
            loss = criterion(model(masks(spectrograms)), species)
            loss.backward()
            optimizer.step()
        schedule.step()
        print("validation F1", validate(model, load_windows("validation")))
    torch.save(model.state_dict(), "marsh-net.pth")


def validate(model: nn.Module, windows: object) -> float:
    model.eval()
    with torch.no_grad():
        scores = [(model(spectrograms).sigmoid() > 0.5, species) for spectrograms, species in windows]
    model.train()
    return float(f1_score(torch.cat([s for _, s in scores]), torch.cat([p for p, _ in scores]), average="macro"))


if __name__ == "__main__":
    main()

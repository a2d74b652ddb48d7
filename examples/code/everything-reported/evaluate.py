"""Precision, recall and F1 of MarshNet on the test sites: python evaluate.py marsh-net.pth"""

import sys

import timm
import torch
from marsh_data import load_windows
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score


def evaluate(weights: str) -> None:
    model = timm.create_model("efficientnet_b2", num_classes=14)
    model.load_state_dict(torch.load(weights))
    model.eval()
    with torch.no_grad():
        pairs = [(model(spectrograms).sigmoid(), species) for spectrograms, species in load_windows("test")]
    predicted, actual = (torch.cat(part) for part in zip(*pairs, strict=True))
    print("AP", average_precision_score(actual, predicted, average="macro"))
    for score in (precision_score, recall_score, f1_score):
        print(score.__name__, score(actual, predicted > 0.5, average="macro"))


if __name__ == "__main__":
    evaluate(sys.argv[1])

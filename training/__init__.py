"""How the shipped numbers were made, end to end: static vectors, and the learned ranking. Not part of the wheel."""

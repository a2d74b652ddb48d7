"""The repository that comes with a paper: what its files say about the method. Nothing in it is ever executed."""

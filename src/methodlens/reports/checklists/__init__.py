"""Checklists: a filled-in form per paper, an author's to-do list, and one question over many papers."""

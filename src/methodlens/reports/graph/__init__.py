"""The knowledge graph of a review: who says what about which paper, on which page, and with which certainty.

`data/` holds the vocabulary as files: the ontology of our own terms, the SHACL shapes that every export conforms to, the
alignment with dlprov, and the ready queries. docs/reference/graph.md describes the graph.
"""

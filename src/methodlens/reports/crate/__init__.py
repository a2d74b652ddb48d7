"""The whole review as one zip that describes itself: an RO-Crate (https://w3id.org/ro/crate/1.1)."""

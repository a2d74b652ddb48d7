"""An example plugin for methodlens: pyproject.toml lists its parts."""

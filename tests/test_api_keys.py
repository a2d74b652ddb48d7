"""API keys come from the environment first, then from the system keyring."""

from typing import ClassVar

import pytest

from methodlens.api_keys import SERVICE, find_key
from methodlens.errors import ReaderError


def test_a_key_in_the_keyring_is_found_and_the_environment_comes_first() -> None:
    keyring = pytest.importorskip("keyring", reason="the extra 'keyring' is not installed")
    from keyring.backend import KeyringBackend

    class Ring(KeyringBackend):  # type: ignore[misc]
        """A backend in memory; a real one would need a desktop."""

        priority: ClassVar[float] = 1.0
        kept: ClassVar[dict[tuple[str, str], str]] = {}

        def get_password(self, service: str, username: str) -> str | None:
            return self.kept.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.kept[service, username] = password

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    try:
        keyring.set_password(SERVICE, "FERN_KEY", "from-ring")
        assert find_key("chat:fern", "FERN_KEY", {}, error=ReaderError) == "from-ring"
        assert find_key("chat:fern", "FERN_KEY", {"FERN_KEY": "from-env"}, error=ReaderError) == "from-env"
        with pytest.raises(ReaderError, match="keyring set methodlens MOSS_KEY"):
            find_key("chat:moss", "MOSS_KEY", {}, error=ReaderError)
    finally:
        keyring.set_keyring(before)


def test_a_reader_without_a_variable_needs_no_key() -> None:
    assert find_key("chat:fern", "", {}, error=ReaderError) is None

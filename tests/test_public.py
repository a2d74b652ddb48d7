"""The public names of the package."""

import methodlens

PUBLIC = """__version__ Answer Cell Evidence Paper Passage Question Row Status Verdict MethodlensError Settings
load_settings QuestionSet load_questions WorkerPool split LexicalRetriever create_retriever create_reader judge majority
Ledger""".split()


def test_every_public_name_can_be_imported() -> None:
    assert methodlens.__all__ == PUBLIC
    assert all(getattr(methodlens, name) is not None for name in PUBLIC)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(methodlens, "nonsense")

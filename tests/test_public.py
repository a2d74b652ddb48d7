"""The public surface: what users may import, and nothing they may not."""

import methodlens

PUBLIC = """__version__ Answer Cell Evidence Paper Passage Question Row Status Verdict MethodlensError Settings
load_settings QuestionSet load_questions WorkerPool split LexicalRetriever create_retriever create_reader judge majority
Ledger""".split()


def test_the_public_names_are_these_and_each_is_there() -> None:
    assert methodlens.__all__ == PUBLIC
    assert all(getattr(methodlens, name) is not None for name in PUBLIC)


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    assert not hasattr(methodlens, "nonsense")

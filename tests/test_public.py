"""The public names of the package: typed, listed, and cheap to import."""

import subprocess
import sys

import methodlens

PUBLIC = """__version__ Lens open Review AnsweredQuestion Answer Cell Evidence Hit Match Paper PaperStatus Passage Question
ReaderInfo Row Status Verdict Reader Retriever locate_quote FactType QuestionSet Settings load_settings Ledger Evaluation
MethodlensError""".split()


def test_every_public_name_is_listed_and_can_be_imported() -> None:
    assert methodlens.__all__ == PUBLIC
    assert dir(methodlens) == sorted(PUBLIC)
    assert all(getattr(methodlens, name) is not None for name in PUBLIC)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(methodlens, "nonsense")


def test_importing_the_package_loads_none_of_its_parts() -> None:
    code = "import sys, methodlens; print([name for name in sys.modules if name.startswith('methodlens.')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "['methodlens._version']"

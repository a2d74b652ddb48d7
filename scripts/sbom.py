"""Write a software bill of materials (CycloneDX 1.5, JSON): methodlens and every installed package that it needs.

    python scripts/sbom.py [--extra web] [--to sbom.cdx.json]

The list is made from pyproject.toml and the metadata of the installed packages. It has no paths, host names or times: the same
environment gives the same file.
"""

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from methodlens._version import __version__

ROOT = Path(__file__).parent.parent


def needed(requirements: Sequence[str], extras: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is required on this system, each with the extras that are asked of it."""
    for line in requirements:
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield canonicalize_name(requirement.name), tuple(sorted(requirement.extras))


def closure(first: Sequence[str]) -> dict[str, tuple[Distribution, list[str]]]:
    """Each package by name, with the names of those that it needs. What is not installed is left out."""
    found: dict[str, tuple[Distribution, list[str]]] = {}
    done: set[tuple[str, tuple[str, ...]]] = set()
    waiting = list(needed(first, ()))
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in done:
            continue
        done.add((name, extras))
        try:
            package = distribution(name)
        except PackageNotFoundError:
            print(f"{name} is not installed: left out", file=sys.stderr)
            continue
        requirements = list(needed(package.requires or (), extras))
        waiting += requirements
        known = found.setdefault(name, (package, []))[1]
        known += [each for each, _ in requirements if each not in known and each != name]
    return found


def component(name: str, package: Distribution) -> dict[str, Any]:
    described = _identified(name, package.version, "library")
    if expression := _field(package, "License-Expression"):
        described["licenses"] = [{"expression": expression}]
    elif names := _license_names(package):
        described["licenses"] = [{"license": {"name": each}} for each in names]
    return described


def _identified(name: str, version: str, kind: str) -> dict[str, Any]:
    purl = f"pkg:pypi/{name}@{version}"
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl}


def _license_names(package: Distribution) -> list[str]:
    """From the classifiers; some packages put the whole text into the License field, which is no name."""
    classifiers = package.metadata.get_all("Classifier") or []
    names = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License :: ") and each.count(" :: ") > 1]
    given = _field(package, "License")
    return names or ([given] if given and len(given) < 80 and "\n" not in given else [])


def _field(package: Distribution, name: str) -> str:
    return (package.metadata[name] or "").strip() if name in package.metadata else ""


def bill_of_materials(extras: Sequence[str]) -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    first = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    packages = closure(first)
    methodlens = _identified(project["name"], __version__, "application")
    methodlens["licenses"] = [{"expression": project["license"]}]
    refs = {name: f"pkg:pypi/{name}@{package.version}" for name, (package, _) in packages.items()}
    needs = {methodlens["bom-ref"]: [name for name, _ in needed(first, ())]}
    needs |= {refs[name]: requirements for name, (_, requirements) in sorted(packages.items())}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": methodlens},
        "components": [component(name, package) for name, (package, _) in sorted(packages.items())],
        "dependencies": [
            {"ref": ref, "dependsOn": sorted({refs[each] for each in requirements if each in refs})}
            for ref, requirements in needs.items()
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--extra", action="append", default=[], help="an extra of methodlens; repeatable")
    parser.add_argument("--to", type=Path, help="the file to write [default: stdout]")
    arguments = parser.parse_args()
    text = json.dumps(bill_of_materials(arguments.extra), indent=2) + "\n"
    if arguments.to is None:
        sys.stdout.write(text)
        return
    arguments.to.write_text(text, encoding="utf-8")
    print(f"{text.count('bom-ref') - 1} packages, see {arguments.to}")


if __name__ == "__main__":
    main()

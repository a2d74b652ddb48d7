"""Which licence a text is, by the words that tell the common ones apart."""

import re

# in this order: the first that matches
_TEXTS = (
    ("AGPL-3.0", r"gnu affero general public license"),
    ("LGPL-3.0", r"gnu lesser general public license\s+version 3"),
    ("LGPL-2.1", r"gnu lesser general public license"),
    ("GPL-3.0", r"gnu general public license\s+version 3"),
    ("GPL-2.0", r"gnu general public license\s+version 2"),
    ("Apache-2.0", r"apache license,?\s+version 2\.0"),
    ("MPL-2.0", r"mozilla public license,?\s+(?:version\s+|v\.\s*)?2\.0"),
    ("CC0-1.0", r"cc0 1\.0|creative commons zero"),
    ("CC-BY-NC-SA-4.0", r"attribution-noncommercial-sharealike 4\.0"),
    ("CC-BY-NC-ND-4.0", r"attribution-noncommercial-noderiv\w+ 4\.0"),
    ("CC-BY-NC-4.0", r"attribution-noncommercial 4\.0"),
    ("CC-BY-SA-4.0", r"attribution-sharealike 4\.0"),
    ("CC-BY-4.0", r"attribution 4\.0 international"),
    ("BSD-3-Clause", r"redistribution and use in source and binary forms[^\0]{0,1500}neither the name"),
    ("BSD-2-Clause", r"redistribution and use in source and binary forms"),
    ("MIT", r"permission is hereby granted, free of charge, to any person"),
    ("ISC", r"permission to use, copy, modify, and/or distribute this software"),
    ("Unlicense", r"this is free and unencumbered software"),
    ("MIT", r"\bmit license\b"),
)
_PATTERNS = tuple((name, re.compile(pattern.replace(" ", r"\s+"))) for name, pattern in _TEXTS)
_NAMED = re.compile(
    r"\b(MIT|Apache(?:[\s-](?:License)?,?\s?(?:Version)?\s?2(?:\.0)?)?|(?:A|L)?GPL(?:[\s-]?v?[23](?:\.\d)?)?|BSD(?:[\s-][23](?:[\s-]clause)?)?|"
    r"CC[\s-]BY(?:[\s-](?:NC|SA|ND)){0,2}(?:[\s-]4\.0)?|CC0|MPL[\s-]?2\.0|Unlicense|ISC|Creative Commons)\b",
    re.I,
)


def spdx(text: str) -> str:
    """The SPDX identifier of a licence text; empty if it is none of the common ones.

    >>> spdx("Apache License\\n  Version 2.0, January 2004")
    'Apache-2.0'
    """
    start = text[:6000].lower()
    return next((name for name, pattern in _PATTERNS if pattern.search(start)), "")


def named_license(text: str) -> str:
    match = _NAMED.search(text)
    return match[1] if match else ""

"""From bytes to text, for formats that do not say how they are encoded."""

_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def decoded(data: bytes) -> str:
    """UTF-8, or UTF-16 with a byte-order mark; else Windows-1252, which older files are in.

    >>> decoded(b"caf\\xc3\\xa9"), decoded(b"caf\\xe9")
    ('café', 'café')
    """
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")

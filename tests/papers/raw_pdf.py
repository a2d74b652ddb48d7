"""PDFs written object by object, to test content that no normal program would write."""

import zlib
from collections.abc import Sequence

WORDS = "The gulls of the harbour were counted from the pier every morning at seven"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def raw_pdf(*objects: bytes, startxref: int | None = None, trailer: bytes = b"") -> bytes:
    """The objects are numbered from 1; the first is the catalogue."""
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    at = len(out) if startxref is None else startxref
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, at)
    return bytes(out)


def stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), more, data)


def deflated(data: bytes, more: bytes = b"") -> bytes:
    return stream(zlib.compress(data, 9), b"/Filter /FlateDecode " + more)


def bomb(start: bytes, megabytes: int, more: bytes = b"", *, filler: bytes = b" ") -> bytes:
    """A deflate bomb: a stream that is compressed twice, each time by a factor of a thousand."""
    packer = zlib.compressobj(9)
    first = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    megabyte = (filler * (1 << 20))[: 1 << 20]
    block = packer.compress(megabyte) + packer.flush(zlib.Z_FULL_FLUSH)  # independent of its context, so it can be repeated
    check = zlib.adler32(start)
    for _ in range(megabytes):
        check = zlib.adler32(megabyte, check)
    whole = first + block * megabytes + b"\x03\x00" + check.to_bytes(4, "big")
    return stream(zlib.compress(whole, 9), b"/Filter [/FlateDecode /FlateDecode] " + more)


def shown(lines: Sequence[str] = (WORDS, WORDS), *, x: int = 40, y: int = 500) -> bytes:
    """A content stream that prints the lines in the font /F."""
    escaped = [line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("latin-1") for line in lines]
    return b"BT /F 11 Tf 14 TL %d %d Td " % (x, y) + b" ".join(b"(%s) Tj T*" % line for line in escaped) + b" ET"


def one_page(
    content: bytes,
    *others: bytes,
    page: bytes = b"/MediaBox [0 0 600 600]",
    font: bytes = FONT,
    resources: bytes = b"",
    trailer: bytes = b"",
) -> bytes:
    """Objects: 1 catalogue, 2 pages, 3 page, 4 font, 5 content (a whole stream object), then the others from 6."""
    return raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F 4 0 R >> %s >> %s >>" % (resources, page),
        font,
        content,
        *others,
        trailer=trailer,
    )


def to_unicode(pairs: dict[int, str], *, width: int = 1) -> bytes:
    """A CMap from codes of a given number of bytes to text."""
    rows = b"\n".join(b"<%0*X> <%s>" % (2 * width, code, text.encode("utf-16-be").hex().encode()) for code, text in pairs.items())
    highest = b"F" * 2 * width
    return stream(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        b"1 begincodespacerange <%s> <%s> endcodespacerange\n%d beginbfchar\n%s\nendbfchar endcmap end end"
        % (b"0" * 2 * width, highest, len(pairs), rows)
    )

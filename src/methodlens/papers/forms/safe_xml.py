"""XML without entities, DTDs or network: expat reports what it finds, and nothing is fetched or expanded.

>>> parse_xml(b"<a>x<b/>y</a>").tag
'a'
"""

import html.entities
from xml.etree.ElementTree import Element, TreeBuilder  # only the tree; the parser is below
from xml.parsers import expat

from methodlens.papers.forms.document import NotReadable
from methodlens.papers.forms.limits import MAX_DEPTH, MAX_NODES
from methodlens.records import PaperStatus


def parse_xml(data: bytes) -> Element:
    """The root element, names without namespaces. Raises NotReadable."""
    builder = _LimitedBuilder()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.tree.data
    parser.EntityDeclHandler = _refuse_entity
    parser.SkippedEntityHandler = builder.skipped
    try:
        parser.Parse(data, True)
        return builder.tree.close()
    except expat.ExpatError as err:
        raise NotReadable(PaperStatus.MALFORMED, f"it is not well-formed XML (line {err.lineno}); download it again") from err
    except (AssertionError, ValueError, LookupError) as err:  # no element at all; an encoding that Python does not know
        raise NotReadable(PaperStatus.MALFORMED, "it is not well-formed XML; download it again") from err


def local_name(name: str) -> str:
    return name.rpartition(" ")[2]


class _LimitedBuilder:
    def __init__(self) -> None:
        self.tree = TreeBuilder()
        self._depth = self._nodes = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._nodes += 1
        if self._depth > MAX_DEPTH or self._nodes > MAX_NODES:
            what = f"nested more than {MAX_DEPTH} deep" if self._depth > MAX_DEPTH else f"more than {MAX_NODES:,}"
            raise NotReadable(PaperStatus.TOO_BIG, f"its elements are {what}, which no paper needs; it is not read")
        self.tree.start(local_name(name), {local_name(key): value for key, value in attributes.items()})

    def end(self, name: str) -> None:
        self._depth -= 1
        self.tree.end(local_name(name))

    def skipped(self, name: str, is_parameter: bool) -> None:
        """An entity of a DTD that was not read: the usual ones are those of HTML."""
        if not is_parameter:
            self.tree.data(html.entities.html5.get(f"{name};", " "))


def _refuse_entity(name: str, *_: object) -> None:
    reason = f"it declares the entity {name[:40]!r}, which could expand without end; save it without a DOCTYPE"
    raise NotReadable(PaperStatus.MALFORMED, reason)

"""What an HTML parser finds in a page."""

import json
from html.parser import HTMLParser
from typing import Any

VOID = {"meta"}


class ParsedPage(HTMLParser):
    """The tags, attributes, links, scripts, text and data of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.ids: list[str] = []
        self.text = ""
        self.scripts: list[str] = []
        self.data: dict[str, Any] = {}
        self.meta: dict[str, str] = {}
        self.open: list[str] = []
        self._block = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        known = {name: value or "" for name, value in attrs}
        self.attributes |= known.keys()
        if "href" in known:
            self.links.add(known["href"])
        if "id" in known:
            self.ids.append(known["id"])
        if tag == "meta" and "content" in known:
            self.meta[known.get("http-equiv") or known.get("name", "")] = known["content"]
        self._block = known.get("id", "") if tag == "script" and known.get("type") == "application/json" else ""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            if self._block:
                self.data[self._block] = json.loads(data)
            else:
                self.scripts.append(data)
        elif self.open[-1:] != ["style"]:
            self.text += data

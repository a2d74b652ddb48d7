"""A figure in the report: drawn once, downloaded as SVG, PNG or CSV by the page's script."""

from enum import StrEnum

from msgspec import Struct


class FigurePlace(StrEnum):
    """Where in the report: on the page Questions, at the start of the page Summary, or at its end."""

    QUESTIONS = "questions"
    OVERVIEW = "overview"
    SUMMARY = "summary"


class ReportFigure(Struct, frozen=True):
    """`svg` is a complete SVG document, in which all text is escaped."""

    name: str
    title: str
    place: FigurePlace
    caption: str
    svg: str
    csv: str
    is_narrow: bool = False


class ReportFigures(Struct, frozen=True):
    """The names and reasons of figures for which there are no data are `skipped`."""

    drawn: tuple[ReportFigure, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()

    def at(self, place: str) -> tuple[ReportFigure, ...]:
        return tuple(figure for figure in self.drawn if figure.place == place)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.facts import extract
from methodlens.facts.link_text import mend_links, printed_links
from methodlens.facts.urls import is_article, links, urls


@pytest.mark.parametrize(
    ("text", "url", "host"),
    [
        ("Our code is at https://github.com/lab/newts.", "https://github.com/lab/newts", "GitHub"),
        ("See (https://gitlab.com/lab/newts).", "https://gitlab.com/lab/newts", "GitLab"),
        ("See github.com/lab/newts, please.", "github.com/lab/newts", "GitHub"),
        ("Archived (10.5281/zenodo.111222).", "10.5281/zenodo.111222", "Zenodo"),
        ("At https://doi.org/10.5061/dryad.abc12.", "https://doi.org/10.5061/dryad.abc12", "Dryad"),
        ("At https://lab.figshare.com/articles/1.", "https://lab.figshare.com/articles/1", "Figshare"),
        ("At https://newts.example.org/a_(b).", "https://newts.example.org/a_(b)", "newts.example.org"),
        ("Code: https://github.com/lab/ newt-calls-2.", "https://github.com/lab/newt-calls-2", "GitHub"),
        ("Code: https://github. com/lab/newts.", "https://github.com/lab/newts", "GitHub"),
    ],
)
def test_a_link_is_found_as_printed_with_its_site(text: str, url: str, host: str) -> None:
    assert [(link.url, link.host) for link in links(text)] == [(url, host)]


def test_words_after_a_link_are_not_part_of_it() -> None:
    assert [link.url for link in links("From https://newts.example.org/ and other sites.")] == ["https://newts.example.org/"]


@pytest.mark.parametrize(
    ("printed", "url"),
    [
        ("https:// newts.example.org/a", "https://newts.example.org/a"),
        ("https:\n//newts.example.org/a", "https://newts.example.org/a"),
        ("h ttps://newts.example.org/a", "https://newts.example.org/a"),
        ("http s://newts.example.org/a", "https://newts.example.org/a"),
        ("https : / / newts . example . org / a - b", "https://newts.example.org/a-b"),
        ("https:// doi. org/ 10. 5281/ zenodo. 11122 33.", "https://doi.org/10.5281/zenodo.1112233"),
        ("https://www. newts.org)", "https://www.newts.org"),
        ("https://www.wor ldnewts.org)", "https://www.worldnewts.org"),
        ("https://github.com/marshla b/newt-calls-2", "https://github.com/marshlab/newt-calls-2"),
        ("(https://github.com/lab/Co mplex-newts)", "https://github.com/lab/Complex-newts"),
        ("https://newts.example.org/a _b", "https://newts.example.org/a_b"),
        ("https://newts.example.org/get? id=7", "https://newts.example.org/get?id=7"),
        ("doi:10.6084/m9. figshare.1112", "10.6084/m9.figshare.1112"),
        ("https://newts.example.org/ „marsh/calls", "https://newts.example.org/~marsh/calls"),
        ("https://newts.example.org/˜marsh", "https://newts.example.org/~marsh"),
        ("2https://newts.example.org/a", "https://newts.example.org/a"),
        ("https://newts.example.org/a(accessed on 3 May 2021)", "https://newts.example.org/a"),
        ("https://newts.example.org/issues/75.on a pond", "https://newts.example.org/issues/75"),
        ("https://github.com/lab/ newts.", "https://github.com/lab/newts"),
        ("newts.github.io.", "newts.github.io"),
        # what follows is not a part of the link
        ("https://github.com/lab/ and other places.", "https://github.com/lab/"),
        ("https://newts.example.org/a and/or others", "https://newts.example.org/a"),
        ("https://newts.example.org/ - we used it", "https://newts.example.org/"),
        ("https://newts.example.org/a. In May", "https://newts.example.org/a"),
        ("https://newts.example.org/a train/test-split", "https://newts.example.org/a"),
        ("(https://newts.example.org/a state-of-the-art nets)", "https://newts.example.org/a"),
    ],
)
def test_broken_links_are_joined_and_glued_words_are_cut(printed: str, url: str) -> None:
    assert [link.url for link in printed_links(mend_links(f"At {printed}"))] == [url]


def test_an_address_is_not_a_link() -> None:
    assert printed_links("Write to marsh@newts.org/pond or call.") == []


@pytest.mark.parametrize(
    ("url", "article"),
    [
        ("https://doi.org/10.9999/ponds.3", True),
        ("https://arxiv.org/abs/1901.00001", True),
        ("https://newts.example.org/paper.pdf", True),
        ("https://doi.org/10.5281/zenodo.3", False),
        ("https://newts.example.org/calls", False),
    ],
)
def test_links_to_publications(url: str, article: bool) -> None:
    assert is_article(url) is article


def test_the_sentence_decides_whether_a_link_is_code_or_data() -> None:
    text = "The code is on https://github.com/lab/a. The images were deposited at https://github.com/lab/b."
    assert urls("code", text) == ["https://github.com/lab/a"]
    assert urls("data", text) == ["https://github.com/lab/b"]


def test_one_link_in_two_spellings_counts_once() -> None:
    quotes = [
        "Code is at https://github.com/lab/newts.",
        "Our code: github.com/lab/newts/",
        "Code: https://github.com/lab/newts.git",
    ]
    assert extract(["code_urls"], quotes) == {"code_urls": ["https://github.com/lab/newts"]}


def test_a_site_named_without_a_link_is_a_host() -> None:
    assert extract(["data_urls", "data_hosts"], ["All recordings are in Dryad."]) == {"data_urls": [], "data_hosts": ["Dryad"]}


def test_licences_and_author_pages_are_not_data() -> None:
    text = "Data are open under https://creativecommons.org/licenses/by/4.0/ by https://orcid.org/0000-0000-0000-0000."
    assert links(text) == ()


def test_extract_gives_only_the_requested_keys() -> None:
    assert extract(["code_urls"], ["Our code: https://github.com/lab/a"]) == {"code_urls": ["https://github.com/lab/a"]}
    assert extract(["hardware", "code_urls"], []) == {"hardware": [], "code_urls": []}


def test_a_misspelt_key_raises() -> None:
    with pytest.raises(KeyError, match="code_url"):
        extract(["code_url"], ["Our code: https://github.com/lab/a"])


@given(st.text())
def test_links_can_be_read_from_any_text(text: str) -> None:
    assert all(link.url for link in links(text))

"""What the links of fictional sentences lead to: L is a link to an unknown site, G to GitHub, Z to Zenodo."""

import re

import pytest

from methodlens.facts.urls import hosts, urls

SITES = {
    "L": "https://newts.example.org/calls",
    "M": "https://ponds.example.net/",
    "G": "https://github.com/lab/newts",
    "H": "https://github.com/other/tool",
    "Z": "https://doi.org/10.5281/zenodo.111222",
    "D": "https://doi.org/10.5061/dryad.abc12",
    "F": "https://huggingface.co/lab/newt-net",
    "P": "https://newts.github.io/pond",
}


def read(kind: str, sentence: str) -> str:
    """The letters of the links that hold `kind`."""
    text = re.sub(r"\b[LMGHZDFP]\b(?! [a-z]+\.)", lambda match: SITES[match[0]], sentence)
    letters = {url: letter for letter, url in SITES.items()}
    return "".join(letters[url] for url in urls(kind, text))


@pytest.mark.parametrize(
    ("sentence", "code", "data"),
    [
        # the authors' own code
        ("Our code is available at G.", "G", ""),
        ("We have released our two best newt models (L) to help other ponds.", "L", ""),
        ("The trained networks can be downloaded from P.", "P", ""),
        ("All code for training is available on GitHub (G).", "G", ""),
        ("The source code and instructions to reproduce the results can be found at: G.", "G", ""),
        ("Code: G", "G", ""),
        ("Code available at G", "G", ""),
        ("We release our implementation (G).", "G", ""),
        ("We implemented the network as an R package (NewtNet, available at G) based on Keras.", "G", ""),
        ("A desktop program for Windows is available with a trained model (L) (Z).", "LZ", ""),
        ("The scripts used in this study are archived at Z.", "Z", ""),
        ("Instructions on how to reproduce the main results are in the Git repository: G.", "G", ""),
        ("The code that we used to process the images is available at G.", "G", ""),
        ("Code for annotating the recordings can be downloaded from G.", "G", ""),
        ("Source code, audio examples and further results are available at L.", "L", ""),
        ("The implementation of our method is available at G.", "G", ""),
        ("1Code is available at G.", "G", ""),
        ("1The code and the trained nets have been released at G.", "G", ""),
        ("Our scripts can be available from G.", "G", ""),
        ("It is open source and available on GitHub (G).", "G", ""),
        ("We plan to release the code at G.", "G", ""),
        ("You can find the code at G.", "G", ""),
        ("All experiments can be reproduced with the code at G.", "G", ""),
        ("Project website: P", "P", ""),
        ("GitHub: G", "G", ""),
        ("More details are on our project page: P.", "P", ""),
        ("Our code is based on the PondNet toolkit and is available at G.", "G", ""),
        # a released model counts as code, one to start from does not
        ("We open-source the model at: F.", "F", ""),
        ("Our trained models are available at F.", "F", ""),
        ("We fine-tune the checkpoint at F.", "", ""),
        ("Our encoder is initialised with the weights from F.", "", ""),
        ("The pre-trained weights are available at F.", "", ""),
        # other people's code, and tools
        ("Our implementation is based on H.", "", ""),
        ("Our code is built on top of PondLib (H).", "", ""),
        ("We use the authors' code, available at H.", "", ""),
        ("Our newt net (H) sets a new record.", "", ""),
        ("We used the implementation of the detector in H.", "", ""),
        ("The network is based on the code of Marsh et al. (H).", "", ""),
        ("We adapted the official implementation (H) to our images.", "", ""),
        ("Images were labelled with BoxDraw (H).", "", ""),
        ("We annotated the images using the open-source tool BoxDraw (H).", "", ""),
        ("Recordings were cut in the audio editor Chirper (L).", "", ""),
        ("We surveyed 175 recordings using the cross-platform audio editor Chirper (L).", "", ""),
        ("The models were implemented with the PondNet library (H).", "", ""),
        ("The pretrained weights were downloaded from L.", "", ""),
        ("The network was pre-trained on the PondNet data set (L).", "", ""),
        ("Their code is available at H.", "", ""),
        ("The layers of the net are those in H.", "", ""),
        ("Images were taken with camera traps (Trapper 3; L).", "", ""),
        ("All computations were done on the MARSH cluster (L).", "", ""),
        # data, the authors' own or others'
        ("The data are available at L.", "", "L"),
        ("All recordings have been deposited in Zenodo (Z).", "", "Z"),
        ("The images were deposited at G.", "", "G"),
        ("All newt data of the survey can be found in a Git repository: G.", "", "G"),
        ("The recordings were downloaded from the Pond Archive (L).", "", "L"),
        ("We trained on the PondNet data set (L).", "", "L"),
        ("We used the NewtCalls corpus (L), which contains 300 hours.", "", "L"),
        ("We assembled training sets from Frogbase (L), Toadbase (M) and from a private collection.", "", "LM"),
        ("It is a clean subset from L.", "", "L"),
        ("We used the largest data sets of newts, PONDS and MARSH (Z).", "", "Z"),
        ("Survey records are available at L (accessed on 3 May 2021).", "", "L"),
        ("The labels are archived in Dryad (D).", "", "D"),
        ("We release the corpus at G.", "", "G"),
        ("We make our code, models and data public at G.", "G", "G"),
        ("We crawled pages from L.", "", "L"),
        ("We collected reviews from L.", "", "L"),
        ("We train on the recordings provided by the Marsh challenge (L).", "", "L"),
        ("The corpus is distributed by the Marsh consortium (L).", "", "L"),
        ("The splits can be downloaded at G.", "", "G"),
        # not data
        ("The supplementary material and further details are available at G.", "", ""),
        ("Data augmentation was done as in Marsh (L).", "", ""),
        ("For comparison, the accuracy of the baseline on this data set is 33.3 (L).", "", ""),
        ("Further material of this article is online at https://doi.org/10.9999/j.pond.2020.1.", "", ""),
        ("The data are available from the corresponding author on request.", "", ""),
        ("Image classification was run on the PondCloud platform (L).", "", ""),
        ("Audio samples are available at L.", "", ""),
        ("Videos showing the trained agents are available at L.", "", ""),
        ("The videos of the corpus are available at L.", "", "L"),
        ("Many databases of species, such as Frogbase (L) and Toadbase (M), provide records.", "", ""),
        ("We obtained records from databases such as Frogbase (L).", "", "L"),
        ("Training used MNIST (L).", "", "L"),
        ("The backbone was pre-trained on ImageNet (L).", "", ""),
        ("Details are in the appendix (Table 2; Z).", "", ""),
        ("The Frogbase records (a collection of the museum, L) were split at random.", "", "L"),
        # a data set of others that the authors use, their code not
        ("The data set was shared by Marsh et al. (2020) at H.", "", "H"),
        ("The code was shared by Marsh et al. (2020) at H, and we used their implementation.", "", ""),
        # code and data in one sentence
        ("The code is available at G and the data at Z.", "G", "Z"),
        ("Data are archived at D, and our code is hosted on GitHub (G).", "G", "D"),
        ("Code and data are available at G and Z, respectively.", "G", "Z"),
        ("Data and code can be found at D and G, respectively.", "G", "D"),
        ("Zenodo has the newt data and our scripts (Z).", "Z", "Z"),
        ("Both are on the web: G (code) and Z (data).", "G", "Z"),
        ("The recordings are at L; the scripts are at G.", "G", "L"),
        ("Our code is available at G and archived at Z.", "GZ", ""),
    ],
)
def test_the_clause_decides_what_a_link_leads_to(sentence: str, code: str, data: str) -> None:
    assert (read("code", sentence), read("data", sentence)) == (code, data)


@pytest.mark.parametrize(
    ("sentence", "code", "data"),
    [
        ("Source code is available on GitHub.", ["GitHub"], []),
        ("Many teams share their code on GitHub.", [], []),
        ("We downloaded 900 recordings from Xeno-canto.", [], ["Xeno-canto"]),
        ("Xeno-canto is a large collection of recordings.", [], []),
        ("The leaves are available at the Lake Museum repository.", [], ["Lake Museum repository"]),
        ("The leaves are available from the Lake Museum repository on request.", [], []),
        ("Labels are kept in the Google Firebase database (https://firebase.google.com/).", [], []),
        ("The data are available from the authors on reasonable request.", [], []),
    ],
)
def test_sites_that_are_only_named(sentence: str, code: list[str], data: list[str]) -> None:
    assert (hosts("code", sentence), hosts("data", sentence)) == (code, data)

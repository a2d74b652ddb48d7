"""What a paper's flags mean, in words."""

FLAGS = {
    "no_dl": "no deep learning of its own: read its verdicts with that in mind",
    "ocr": "read by OCR, from pictures of its pages: expect slips in quotes",
    "hidden_text": "holds text that nobody sees on the page; it was kept from the readers",
}

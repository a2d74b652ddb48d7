"""How well a sentence answers a question in anybody's words: what the question asks for, and a model learned over many questions.

Retrieval ranks passages with it and the embedded reader chooses sentences with it, for questions that are not built in.
"""

"""The review room: the matrix of a run while it goes on, every cell beside its page, and what people say of it.

`room` holds what there is to see and do, `api` and `pages` show it over HTTP, `guard` decides who may come in.
"""

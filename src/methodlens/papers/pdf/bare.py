"""PDFium's functions called with bare addresses. Runs only inside the worker process.

pypdfium2 gives each handle a type and checks it at every call, which costs as much as the call itself. That is right for most
calls and too slow for the few that are made once a character or once an object.
"""

import ctypes
from collections.abc import Callable
from typing import Any


def bare(function: Any) -> Callable[..., Any]:
    """The same function; handles and pointers are plain integers, None for null. The GIL is kept: no thread waits for it."""
    kinds = [_plain(kind) for kind in (function.restype, *function.argtypes)]
    return ctypes.PYFUNCTYPE(*kinds)(address(function))


def address(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def _plain(kind: Any) -> Any:
    return ctypes.c_void_p if kind is not None and hasattr(kind, "contents") else kind

"""PDFium functions called with plain addresses. Used only inside the worker process.

pypdfium2 gives each handle a type and checks it at every call, which costs as much as the call itself. That is too slow for
the few functions that are called once per character or object.
"""

import ctypes
from collections.abc import Callable
from typing import Any


def fast_call(function: Any) -> Callable[..., Any]:
    """The same function, with handles and pointers as plain integers and None for null. It does not release the GIL."""
    types = [_untyped(kind) for kind in (function.restype, *function.argtypes)]
    return ctypes.PYFUNCTYPE(*types)(address(function))


def address(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def _untyped(kind: Any) -> Any:
    return ctypes.c_void_p if kind is not None and hasattr(kind, "contents") else kind

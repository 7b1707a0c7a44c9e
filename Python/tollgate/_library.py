"""Finds, checks and calls the C library. Calls release the interpreter's lock."""

from __future__ import annotations

import ctypes
import os
import sys

from .errors import TollgateError, error

_ABI_VERSION = 1
_NAME = "libtollgate.dylib" if sys.platform == "darwin" else "libtollgate.so"


class Text(ctypes.Structure):
    """``tg_text``: JSON that ends with a zero byte and contains no other zero byte."""

    _fields_ = [("bytes", ctypes.c_char_p), ("count", ctypes.c_size_t)]


_pointer = ctypes.c_void_p
_text = ctypes.POINTER(Text)
_out = ctypes.POINTER(ctypes.c_void_p)
_json = [ctypes.c_char_p, ctypes.c_size_t]

_FUNCTIONS: dict[str, tuple[object, list[object]]] = {
    "tg_abi_version": (ctypes.c_uint32, []),
    "tg_version": (ctypes.c_char_p, []),
    "tg_text_free": (None, [Text]),
    "tg_config_compile": (ctypes.c_int32, [*_json, *_json, _out, _text]),
    "tg_config_describe": (ctypes.c_int32, [_pointer, _text]),
    "tg_config_free": (None, [_pointer]),
    "tg_decide": (ctypes.c_int32, [_pointer, *_json, _text]),
    "tg_explain": (ctypes.c_int32, [_pointer, *_json, _text]),
    "tg_render": (ctypes.c_int32, [_pointer, *_json, _text]),
    "tg_check": (ctypes.c_int32, [_pointer, *_json, _text]),
    "tg_cover": (ctypes.c_int32, [_pointer, *_json, _text]),
    "tg_sql": (ctypes.c_int32, [_pointer, *_json, _text]),
    "tg_diff": (ctypes.c_int32, [_pointer, _pointer, *_json, _text]),
    "tg_report_make": (ctypes.c_int32, [_out]),
    "tg_report_read": (ctypes.c_int32, [_pointer, _text]),
    "tg_report_free": (None, [_pointer]),
    "tg_plan_make": (ctypes.c_int32, [_pointer, *_json, _pointer, _out, _text]),
    "tg_plan_describe": (ctypes.c_int32, [_pointer, _text]),
    "tg_plan_schema": (ctypes.c_int32, [_pointer, _pointer, _text]),
    "tg_plan_decide": (ctypes.c_int32, [_pointer, _pointer, _pointer, _pointer, _pointer, _text]),
    "tg_plan_stream": (ctypes.c_int32, [_pointer, _pointer, _pointer, _pointer, _text]),
    "tg_plan_count": (ctypes.c_int32, [_pointer, _pointer, _text]),
    "tg_plan_free": (None, [_pointer]),
    "tg_array_stream": (ctypes.c_int32, [_pointer, _pointer, _pointer, _text]),
    "tg_python_setup": (None, [_pointer]),
    "tg_python_allocate": (_pointer, [ctypes.c_size_t]),
}


def _load() -> ctypes.CDLL:
    path = os.environ.get("TOLLGATE_LIBRARY") or os.path.join(
        os.path.dirname(__file__), "_native", _NAME
    )
    try:
        library = ctypes.CDLL(path)
    except OSError as problem:
        raise ImportError(
            f"the library of tollgate cannot be loaded: {problem}. "
            "Install a wheel for this platform, or set TOLLGATE_LIBRARY to a file that "
            "`Tools/link-library.sh` has built."
        ) from None
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path} has no function {name}: it is of another version") from None
        function.restype = result
        function.argtypes = arguments
    found = library.tg_abi_version()
    if found != _ABI_VERSION:
        raise ImportError(f"{path} has interface {found}, and this package needs {_ABI_VERSION}")
    return library


library = _load()
library.tg_python_setup(ctypes.cast(ctypes.pythonapi.PyCapsule_GetPointer, ctypes.c_void_p))

# These calls take less time than releasing the interpreter's lock.
_free = ctypes.PyDLL(None, handle=library._handle).tg_text_free
_free.restype, _free.argtypes = None, [Text]


def checked(status: int, text: Text) -> bytes:
    """Returns the answer of a library function and frees its text, or raises its error."""
    answer: bytes | None = text.bytes
    if answer is not None:
        _free(text)
    if status != 0:
        raise error(status, answer)
    return answer or b""


def version() -> str:
    text: bytes = library.tg_version()
    return text.decode()


__all__ = ["Text", "TollgateError", "checked", "library", "version"]

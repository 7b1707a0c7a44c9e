"""Arrow structures in capsules, for the Arrow PyCapsule interface.

Functions of the library free the capsules of this module, so a capsule may outlive the interpreter.
"""

from __future__ import annotations

import ctypes

from ._library import library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Schema(ctypes.Structure):
    """``struct ArrowSchema``"""

    _fields_ = [
        ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class Array(ctypes.Structure):
    """``struct ArrowArray``"""

    _fields_ = [
        ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
        ("buffers", ctypes.c_void_p), ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class Stream(ctypes.Structure):
    """``struct ArrowArrayStream``"""

    _fields_ = [
        ("get_schema", ctypes.c_void_p), ("get_next", ctypes.c_void_p),
        ("get_last_error", ctypes.c_void_p), ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


def _lasting(text: bytes) -> int:
    """A string that outlives the interpreter, because freeing a capsule compares its name."""
    address: int = library.tg_python_allocate(len(text) + 1)
    ctypes.memmove(address, text, len(text))
    return address


_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Kind:
    """A kind of structure: its name, its size, and the function that frees its capsules."""

    def __init__(self, name: bytes, structure: type[ctypes.Structure], free: str) -> None:
        self.name = name
        self._lasting = _lasting(name)
        self._size = ctypes.sizeof(structure)
        self._free = ctypes.cast(getattr(library, free), ctypes.c_void_p).value

    def make(self, fill: Callable[[int], None]) -> Any:
        """A capsule with a structure that ``fill`` writes at an address."""
        address: int | None = library.tg_python_allocate(self._size)
        if not address:
            raise MemoryError
        capsule = _new(address, self._lasting, self._free)
        fill(address)
        return capsule

    def address(self, capsule: object) -> int:
        """Returns the address of the structure in a capsule."""
        try:
            found: int | None = _pointer(capsule, self.name)
        except ValueError:
            found = None
        if not found:
            raise TypeError(f"expected a capsule '{self.name.decode()}', not {capsule!r}")
        return found


SCHEMA = Kind(b"arrow_schema", Schema, "tg_python_free_schema")
ARRAY = Kind(b"arrow_array", Array, "tg_python_free_array")
STREAM = Kind(b"arrow_array_stream", Stream, "tg_python_free_stream")

_get_next = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def drain(capsule: object) -> bool:
    """Reads a stream to its end, batch by batch, and discards the batches.

    :returns: whether the stream ended without an error.
    """
    address = STREAM.address(capsule)
    get_next = _get_next(Stream.from_address(address).get_next)
    batch = Array()
    try:
        while get_next(address, ctypes.addressof(batch)) == 0:
            if not batch.release:
                return True
            _release(batch.release)(ctypes.addressof(batch))
        return False
    finally:
        # Between two batches, Ctrl-C can interrupt the loop.
        if batch.release:
            _release(batch.release)(ctypes.addressof(batch))

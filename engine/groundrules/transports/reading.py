"""Bounded reading of one file.

Owns the size limit. Invariant: never more than `max_bytes` bytes in memory; a text that was cut ends at a line's end.
"""

from __future__ import annotations

import stat
from pathlib import Path

from groundrules.transports.places import PlaceError


def read_whole(path: Path, name: str, max_bytes: int) -> bytes:
    """All of a file. Raises PlaceError when it is larger: half a document is none."""
    body = _read(path, name, max_bytes + 1)
    if len(body) > max_bytes:
        raise PlaceError(f"{name} is larger than {max_bytes:,} bytes")
    return body


def read_lines(path: Path, name: str, max_bytes: int) -> tuple[bytes, bool]:
    """The file's first whole lines within the limit, and whether there are more."""
    body = _read(path, name, max_bytes + 1)
    if len(body) <= max_bytes:
        return body, False
    return body[: body.rfind(b"\n", 0, max_bytes) + 1], True


def _read(path: Path, name: str, size: int) -> bytes:
    try:
        # Before opening: to open a named pipe waits for a writer.
        if not stat.S_ISREG(path.stat().st_mode):
            raise PlaceError(f"{name} is not a regular file")
        with path.open("rb") as file:
            return file.read(size)
    except FileNotFoundError as error:
        raise PlaceError(f"there is no file {name}") from error
    except OSError as error:
        raise PlaceError(f"{name} cannot be read: {type(error).__name__}") from error

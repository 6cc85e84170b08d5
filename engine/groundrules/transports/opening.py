"""From a card's transport kind to the transport."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from groundrules.config.cards import FilesTransport, SqlTransport, ToolCard
from groundrules.ports import Transport
from groundrules.transports.entry_points import find_callable
from groundrules.transports.files import Files
from groundrules.transports.places import Places
from groundrules.transports.python import Python
from groundrules.transports.sql import Sql


def open_transport(card: ToolCard, root: Path, environ: Mapping[str, str]) -> Transport:
    """The transport of a card. It opens no file yet: what is missing shows when it is called."""
    places = Places(root, environ)
    settings = card.transport
    if isinstance(settings, FilesTransport):
        return Files(settings, places, card.limits.max_bytes)
    if isinstance(settings, SqlTransport):
        return Sql(settings, places, card.limits.max_bytes)
    return Python(settings, places, card.limits.max_bytes, find_callable)

"""What carries a tool call to files, to SQL over files, and to Python functions, and brings a RawResult back.

Invariant of every transport: it never raises, never waits longer than its card allows, and says why in `failure`
without quoting a secret.
"""

from groundrules.transports.opening import open_transport

__all__ = ["open_transport"]

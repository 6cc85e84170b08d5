"""The command line. Exit codes: 0 good, 1 findings or withheld, 2 usage or configuration, 3 internal or technical.

Owns the outermost guard: a known error is explained, an unknown one is named without a traceback unless
GROUNDRULES_DEBUG is set. Imports of the parts happen inside the commands, so that `--help` is fast.
"""

from __future__ import annotations

import io
import os
import sys

GOOD, FINDINGS, USAGE, INTERNAL = 0, 1, 2, 3


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # An answer in Chinese on a terminal that cannot show it is escaped, not an internal error.
            stream.reconfigure(errors="backslashreplace")
    code = run_command(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
    sys.exit(code)


def run_command(arguments: list[str]) -> int:
    """Run one command and return its exit code; nothing escapes."""
    import typer

    from groundrules.cli.app import app

    try:
        result = app(arguments, standalone_mode=False)
    except typer.Exit as exit_request:
        return exit_request.exit_code
    except (SystemExit, BrokenPipeError):
        # typer ends so when the reader of our pipe has gone: what it wanted, it has.
        _forget_output()
        return GOOD
    except KeyboardInterrupt:
        _say("cancelled")
        return FINDINGS
    except Exception as error:  # the edge of the process: a defect of ours is named, not dumped
        if os.environ.get("GROUNDRULES_DEBUG"):
            raise
        return _explained(error)
    return result if isinstance(result, int) else GOOD


def _explained(error: Exception) -> int:
    """Say what went wrong; the exit code that it means."""
    import typer

    from groundrules.errors import ConfigurationError, GroundrulesError, UsageError

    match error:
        case typer.Abort():
            _say("aborted")
            return FINDINGS
        case typer.TyperException() | ConfigurationError() | UsageError():
            _say(f"groundrules: {error}")
            return USAGE
        case GroundrulesError():
            _say(f"groundrules: {error}")
        case OSError():
            _say(f"groundrules: {error.strerror or type(error).__name__}")
        case _:
            name = type(error).__name__
            _say(f"groundrules: internal error ({name}). Set GROUNDRULES_DEBUG=1 to see where, and please report it.")
    return INTERNAL


def _forget_output() -> None:
    """The reader of our pipe has gone: what it wanted, it has. The closing flush must not fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")

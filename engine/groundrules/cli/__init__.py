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
    from groundrules.errors import ConfigurationError, GroundrulesError, UsageError

    try:
        result = app(arguments, standalone_mode=False)
    except typer.Exit as exit_request:
        return exit_request.exit_code
    except typer.TyperException as error:
        _say(f"groundrules: {error}")
        return USAGE
    except typer.Abort:
        _say("aborted")
        return FINDINGS
    except (ConfigurationError, UsageError) as error:
        _say(f"groundrules: {error}")
        return USAGE
    except GroundrulesError as error:
        _say(f"groundrules: {error}")
        return INTERNAL
    except BrokenPipeError:
        _forget_output()
        return GOOD
    except OSError as error:
        _say(f"groundrules: {error.strerror or type(error).__name__}")
        return INTERNAL
    except KeyboardInterrupt:
        _say("cancelled")
        return FINDINGS
    except Exception as error:  # the edge of the process: a defect of ours is named, not dumped
        if os.environ.get("GROUNDRULES_DEBUG"):
            raise
        _say(
            f"groundrules: internal error ({type(error).__name__}). "
            "Set GROUNDRULES_DEBUG=1 to see where, and please report it."
        )
        return INTERNAL
    return result if isinstance(result, int) else GOOD


def _forget_output() -> None:
    """The reader of our pipe has gone: what it wanted, it has. The closing flush must not fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")

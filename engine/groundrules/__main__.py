"""`python -m groundrules` is the command line."""

from __future__ import annotations

from groundrules.cli import main

if __name__ == "__main__":
    main()

"""Blocking work under a time limit.

Owns the thread. A daemon thread, not `asyncio.to_thread`: the loop's own pool is joined when the loop ends, so one
callable that hangs would keep the process from ending. Invariant: the caller waits at most the limit; work that goes on
after it has no way back into the run.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from groundrules.records.evidence import RawResult


def nothing_to_interrupt() -> None:
    """For work that cannot be told to stop."""


async def run_blocking(
    work: Callable[[], RawResult], timeout_s: float, interrupt: Callable[[], None] = nothing_to_interrupt
) -> RawResult:
    """What the work returns, or a failed result when it raises or takes too long. Never raises but when cancelled."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[RawResult] = loop.create_future()

    def deliver(result: RawResult) -> None:
        if not answer.done():
            answer.set_result(result)

    def run() -> None:
        result = guarded(work)
        try:
            loop.call_soon_threadsafe(deliver, result)
        except RuntimeError:
            return  # the loop ended while the work went on: nobody waits for it

    threading.Thread(target=run, name="groundrules-transport", daemon=True).start()
    try:
        async with asyncio.timeout(timeout_s):
            return await answer
    except TimeoutError:
        return RawResult(failure=f"no answer within {timeout_s:g} s")
    finally:
        if not answer.done() or answer.cancelled():
            interrupt()


def guarded(work: Callable[[], RawResult]) -> RawResult:
    """The one guard around foreign code. The exception's text may hold a secret, so only its type is said."""
    try:
        return work()
    except BaseException as error:  # noqa: BLE001  # SystemExit of a tool must not end a thread silently either
        return RawResult(failure=f"the tool raised {type(error).__name__}")

"""The ModelClient of an OpenAI-compatible server: tries, waits, adapts, reads.

Owns the loop around single tries. Refuses to try again what a server refused for good. Invariant: the number of tries
is bounded by the card's `max_retries` and the steps that a dialect has; waiting depends on nothing but their count and
what the server asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from pydantic import SecretStr

from groundrules.config.model_cards import ModelCard
from groundrules.errors import ModelError, UsageError
from groundrules.models.openai.dialect import Dialect, chat_body, weaker_dialect
from groundrules.models.openai.reply import read_reply
from groundrules.models.openai.server import Answer, ChatServer, Failure
from groundrules.records.exchange import ModelReply, ModelRequest

Sleep = Callable[[float], Awaitable[None]]
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
LONGEST_ASKED_WAIT_S = 60.0


class OpenAIClient:
    """A ModelClient that remembers only what the server turned out not to understand."""

    def __init__(self, card: ModelCard, server: ChatServer, sleep: Sleep) -> None:
        self._card, self._server, self._sleep = card, server, sleep
        self._dialect = Dialect(card.response_format)

    def __repr__(self) -> str:
        return f"OpenAIClient({self._card.name!r}, model={self._card.model!r}, base_url={self._card.base_url!r})"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request. Raises ModelError when the server gives none that can be used."""
        answer = await self._ask(request)
        try:
            return read_reply(answer.body, request, self._card.model)
        except ModelError as error:
            raise ModelError(f"model `{self._card.name}`: {error}") from None

    async def _ask(self, request: ModelRequest) -> Answer:
        failures = 0
        while True:
            dialect = self._dialect
            body = chat_body(request, self._card, dialect)
            outcome = await self._server.post(body)
            if isinstance(outcome, Answer):
                return outcome
            weaker = weaker_dialect(dialect, body, outcome.refusal)
            if weaker is not None:
                self._adapt(dialect, weaker)
                continue
            failures += 1
            if not outcome.retryable or failures > self._card.max_retries:
                raise ModelError(self._account(outcome, failures))
            await self._sleep(wait_s(failures, outcome.retry_after_s))

    def _adapt(self, tried: Dialect, weaker: Dialect) -> None:
        # A request that ran beside this one may have learnt more meanwhile.
        if self._dialect == tried:
            self._dialect = weaker

    def _account(self, failure: Failure, tries: int) -> str:
        told = f" (tried {tries} times)" if tries > 1 else ""
        hint = (
            f". Its key comes from {self._card.key_env}" if failure.status in (401, 403) and self._card.key_env else ""
        )
        return f"model `{self._card.name}`: {failure.message}{told}{hint}"


def open_openai(card: ModelCard, environ: Mapping[str, str], *, sleep: Sleep = asyncio.sleep) -> OpenAIClient:
    """The client of a card. Raises UsageError when its key is not set, ModelError when the SDK is not installed."""
    if card.kind != "openai" or card.base_url is None:
        raise UsageError(f"model `{card.name}` is of kind {card.kind}, not openai")
    key = _key(card.key_env, environ)
    return OpenAIClient(card, ChatServer(card.base_url, key, card.timeout_s), sleep)


def wait_s(failures: int, asked_s: float | None) -> float:
    """How long to wait after the given number of failures: what the server asks for, else twice as long each time."""
    if asked_s is not None:
        return min(asked_s, LONGEST_ASKED_WAIT_S)
    return min(FIRST_WAIT_S * 2.0 ** (failures - 1), LONGEST_WAIT_S)


def _key(name: str | None, environ: Mapping[str, str]) -> SecretStr | None:
    if name is None:
        return None
    key = environ.get(name, "").strip()
    if not key:
        raise UsageError(f"the environment variable {name} is not set; it holds the key of the model's server")
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"the environment variable {name} holds characters that no key has")
    return SecretStr(key)

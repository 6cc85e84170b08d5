"""One try at a chat-completions server, through the official SDK.

Owns the connection and what can go wrong with it. Refuses to follow redirects (the key and the request are meant for
one server), to take organisation or key from the SDK's own environment variables, and to read bodies without end.
Invariant: a try ends in time with an answer or a failure; a failure's message and repr hold no key and no payload.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache
from ssl import SSLContext
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from groundrules.errors import ModelError
from groundrules.models.openai.reply import BODY_LIMITS

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from pydantic import SecretStr

REFUSAL_CHARS = 4000
_ADVICE = {
    401: "the key is missing or refused",
    403: "the key may not use this model",
    404: "the model or the path of base_url is unknown there",
    413: "the request is too large for it",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server sent with a 2xx status."""

    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a try gave no answer."""

    message: str
    retryable: bool
    status: int = 0
    """HTTP status; 0 when there was no answer."""
    retry_after_s: float | None = None
    refusal: str = field(default="", repr=False)
    """The server's words about a request that it does not understand: to adapt to, never to show."""


class ChatServer:
    """A server, its key and the time that one try may take."""

    def __init__(self, base_url: str, key: SecretStr | None, timeout_s: float) -> None:
        """Raises ModelError when the SDK is not installed."""
        self._sdk = _import_sdk()
        self._http = _http_library(self._sdk)
        self._base_url, self._key, self._timeout_s = base_url, key, timeout_s
        self._tls = _certificates(self._http)
        self._address = urlsplit(base_url).netloc.rpartition("@")[2]

    async def post(self, body: Mapping[str, Any]) -> Answer | Failure:
        """Send one request and read its whole answer."""
        sdk, http = self._sdk, self._http
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._send(body)
        except TimeoutError:
            return Failure(f"no answer within {self._timeout_s:g} s", retryable=True)
        except sdk.APIStatusError as error:
            return _refused(error)
        except (sdk.APIConnectionError, http.RequestError, OSError):
            reason = f"the connection to {self._address} failed or was cut; `groundrules doctor` tries it"
            return Failure(reason, retryable=True)
        except (sdk.OpenAIError, http.InvalidURL, ImportError, ValueError) as error:
            return Failure(f"the request cannot be sent ({type(error).__name__})", retryable=False)

    async def _send(self, body: Mapping[str, Any]) -> Answer | Failure:
        # A connection lives as long as its try: the port has no close, and event loops come and go.
        async with self._open() as sdk:
            create = sdk.chat.completions.with_streaming_response.create
            async with create(**body, extra_headers=self._headers()) as response:
                return await _read(response.iter_bytes())

    def _open(self) -> AsyncOpenAI:
        http_client = self._sdk.DefaultAsyncHttpxClient(verify=self._tls, follow_redirects=False)
        client: AsyncOpenAI = self._sdk.AsyncOpenAI(
            base_url=self._base_url,
            api_key="set-by-header",
            http_client=http_client,
            timeout=None,
            max_retries=0,
        )
        return client

    def _headers(self) -> dict[str, Any]:
        """Headers that win over what the SDK takes from its environment variables."""
        omit = self._sdk.Omit()
        return {
            "Authorization": f"Bearer {self._key.get_secret_value()}" if self._key else omit,
            "OpenAI-Organization": omit,
            "OpenAI-Project": omit,
            # The bound on the body is a bound on what was sent only when nothing inflates.
            "Accept-Encoding": "identity",
        }


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: a number, or a date counted from the answer's own date."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        until, now = _date(value), _date(headers.get("date", ""))
        seconds = (until - now).total_seconds() if until and now else math.nan
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else None


def _refused(error: APIStatusError) -> Failure:
    status = error.status_code
    advice = _ADVICE.get(status)
    refusal = f"{error.message} {error.body}"[:REFUSAL_CHARS] if status in (400, 422) else ""
    return Failure(
        message=f"the server answered HTTP {status}" + (f": {advice}" if advice else ""),
        retryable=status == 429 or status >= 500,
        status=status,
        retry_after_s=retry_after_s(error.response.headers),
        refusal=refusal,
    )


async def _read(parts: AsyncIterator[bytes]) -> Answer | Failure:
    body = bytearray()
    async with aclosing(parts) as chunks:  # type: ignore[type-var]  # the SDK's iterators are async generators
        async for chunk in chunks:
            body += chunk
            if len(body) > BODY_LIMITS.max_bytes:
                return Failure(f"the answer is larger than {BODY_LIMITS.max_bytes} bytes", retryable=False)
    return Answer(bytes(body))


def _import_sdk() -> ModuleType:
    try:
        import openai
    except ImportError as error:
        message = "the openai package is not installed. Install it with `pip install groundrules[openai]`"
        raise ModelError(message) from error
    return openai


@cache
def _certificates(http: ModuleType) -> SSLContext:
    """Whom to trust. Reading it takes a tenth of a second: once per process, not once per try."""
    context: SSLContext = http.create_ssl_context()
    return context


def _http_library(sdk: ModuleType) -> ModuleType:
    """The library whose errors come out of the SDK unwrapped while a body is read: httpx2, or httpx before openai 3."""
    client = next(base for base in sdk.DefaultAsyncHttpxClient.__mro__ if base.__name__ == "AsyncClient")
    return sys.modules[client.__module__.partition(".")[0]]

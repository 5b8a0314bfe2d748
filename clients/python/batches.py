"""Imports of many orders with the key of a customer: `POST /api/market/orders/import/batch`, NDJSON."""

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

import httpx

from .client import AuthenticatedClient
from .models import ErrorResponse, ImportRequest, OrderSummary

PATH = "/api/market/orders/import/batch"
MEDIA_TYPE = "application/x-ndjson"
MAX_LINES = 256
MAX_BYTES = 4_194_304
# The bytes of a line without its end: no batch has room for a longer one.
MAX_LINE_BYTES = MAX_BYTES - 1
# A limit, an overload, a verdict that takes longer than a request.
MAY_PASS = {408, 429, 502, 503, 504}
# To a line that had not begun when the key ended: it is of the key, not of the order.
OF_KEY = 401
LONGEST_WAIT = 30.0


@dataclass(frozen=True)
class ImportedOrder:
    """What became of one of many orders."""

    # Its place among those that were given, from 0.
    index: int
    # 201, or the status of the refusal.
    status: int
    body: OrderSummary | ErrorResponse


class KeyEndedError(httpx.HTTPError):
    """The key was revoked or replaced before all lines of a batch had begun: send the rest with another."""


class UnexpectedAnswerError(httpx.HTTPError):
    """No answer of the service's: a proxy's page, or one of another release."""


def import_orders(
    client: AuthenticatedClient, orders: Iterable[ImportRequest], *, attempts: int = 8, timeout: float = 120.0
) -> Iterator[ImportedOrder]:
    """Yields what became of each order, in order; what may pass by itself is sent again.

    Raises httpx.HTTPError after `attempts` requests in a row after which no order came further;
    httpx.HTTPStatusError at once where the service refuses the whole request, KeyEndedError where the key
    ended in the middle of one, and UnexpectedAnswerError where the service is not what answers. However it
    ends, what was decided is yielded before.
    """
    for batch in _batches(orders):
        yield from _imported(client, batch, attempts, timeout)


def _batches(orders: Iterable[ImportRequest]) -> Iterator[dict[int, bytes | None]]:
    """The lines by index; None: no batch has room for it."""
    batch: dict[int, bytes | None] = {}
    size = 0
    for index, order in enumerate(orders):
        line = json.dumps(order.to_dict(), ensure_ascii=False).encode() + b"\n"
        own = len(line) if len(line) <= MAX_BYTES else 0
        if len(batch) == MAX_LINES or (batch and size + own > MAX_BYTES):
            yield batch
            batch, size = {}, 0
        batch[index] = line if own else None
        size += own
    if batch:
        yield batch


def _imported(
    client: AuthenticatedClient, batch: dict[int, bytes | None], attempts: int, timeout: float
) -> Iterator[ImportedOrder]:
    final = {index: _too_long(index) for index, line in batch.items() if line is None}
    waiting = list(batch)
    failures = 0
    while len(final) < len(batch):
        left = [index for index in batch if index not in final]
        before = len(final)
        wait, error = _send_once(client, batch, left, final, timeout)
        while waiting and waiting[0] in final:
            yield final[waiting.pop(0)]
        failures = 0 if len(final) > before else failures + 1
        if error is not None and (not _may_pass(error) or failures >= attempts):
            for index in waiting:
                if index in final:
                    yield final[index]
            raise error
        if len(final) < len(batch):
            time.sleep(max(wait, min(LONGEST_WAIT, 0.25 * 2 ** max(1, failures))))
    for index in waiting:
        yield final[index]


def _send_once(
    client: AuthenticatedClient,
    batch: dict[int, bytes | None],
    left: list[int],
    final: dict[int, ImportedOrder],
    timeout: float,
) -> tuple[float, httpx.HTTPError | None]:
    """Notes the final answers as they arrive; what is left has the seconds to wait, and why."""
    wait, error, ended = 0.0, None, None
    answered: set[int] = set()
    content = b"".join(batch[index] or b"" for index in left)
    headers = {"content-type": MEDIA_TYPE}
    try:
        with client.get_httpx_client().stream(
            "POST", PATH, content=content, headers=headers, timeout=timeout
        ) as response:
            if not response.is_success:
                response.read()
            response.raise_for_status()
            media_type = response.headers.get("content-type", "")
            if not media_type.lower().startswith(MEDIA_TYPE):
                raise UnexpectedAnswerError(f"an answer of the type {media_type or 'nothing'}, not {MEDIA_TYPE}")
            for line in _lines(response.iter_bytes()):
                index, answer = _answer(line, left)
                answered.add(index)
                status, body = answer["status"], answer["body"]
                if status == OF_KEY:
                    ended = KeyEndedError(f"line {answer['line']}: {body.get('message')}")
                elif status in MAY_PASS:
                    wait = max(wait, float(answer["retryAfterSeconds"] or 1))
                    error = RetriedError(f"line {answer['line']}: status {status}: {body.get('message')}")
                else:
                    final[index] = _imported_as(index, status, body)
    except httpx.HTTPStatusError as refused:
        return _seconds(refused.response.headers.get("retry-after", "")), refused
    except httpx.HTTPError as away:
        return wait, away
    if ended is None and len(answered) < len(left):
        error = RetriedError(f"the answer has {len(answered)} of {len(left)} lines")
    return wait, ended or error


class RetriedError(httpx.HTTPError):
    """Lines are left that may be sent again."""


def _may_pass(error: httpx.HTTPError) -> bool:
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in MAY_PASS
    return isinstance(error, httpx.TransportError | RetriedError)


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a body; what has no end was cut."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines


def _answer(line: bytes, left: list[int]) -> tuple[int, dict]:
    """The order that a line of an answer is of, by its index, and the answer. Raises UnexpectedAnswerError."""
    try:
        answer = json.loads(line)
        number, status, body = answer["line"], answer["status"], answer["body"]
        wait = answer.setdefault("retryAfterSeconds", None)
        fits = isinstance(number, int) and isinstance(status, int) and isinstance(wait, int | None)
        if not fits or not isinstance(body, dict):
            raise TypeError("a value of another type")
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise UnexpectedAnswerError("a line of an answer that is not the service's") from cause
    if not 1 <= number <= len(left):
        raise UnexpectedAnswerError(f"an answer to line {number}, which was not sent")
    return left[number - 1], answer


def _imported_as(index: int, status: int, body: dict) -> ImportedOrder:
    try:
        read = OrderSummary.from_dict(body) if status == 201 else ErrorResponse.from_dict(body)
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise UnexpectedAnswerError("a line of an answer whose order is of another release") from cause
    return ImportedOrder(index, status, read)


def _too_long(index: int) -> ImportedOrder:
    """As the service answers a line of which a batch has room, and an import has not."""
    message = f"the line is larger than {MAX_LINE_BYTES} bytes"
    body = {"statusCode": 413, "error": "Payload Too Large", "message": message, "code": "PAYLOAD_TOO_LARGE"}
    return _imported_as(index, 413, body)


def _seconds(retry_after: str) -> float:
    """Of a Retry-After: seconds or a date (RFC 9110, 10.2.3)."""
    if retry_after.isdigit():
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    # "-0000" as its zone leaves it without one.
    date = date if date.tzinfo else date.replace(tzinfo=timezone.utc)
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())

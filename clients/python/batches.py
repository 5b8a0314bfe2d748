"""Imports of many orders with the key of a customer: `POST /api/market/orders/import/batch`, NDJSON."""

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import httpx

from .client import AuthenticatedClient
from .models import ErrorResponse, ImportRequest, OrderSummary

PATH = "/api/market/orders/import/batch"
MOST_LINES = 256
MOST_BYTES = 4_194_304
# A limit, an overload, a verdict that takes longer than a request.
MAY_PASS = {429, 502, 503, 504}
LONGEST_WAIT = 30.0


@dataclass(frozen=True)
class ImportedOrder:
    """What became of one of many orders."""

    # Its place among those that were given, from 0.
    index: int
    # 201, or the status of the refusal.
    status: int
    body: OrderSummary | ErrorResponse


def import_orders(
    client: AuthenticatedClient, orders: Iterable[ImportRequest], *, attempts: int = 8, timeout: float = 120.0
) -> Iterator[ImportedOrder]:
    """Yields what became of each order, in order; what may pass by itself is sent again.

    Raises httpx.HTTPError after `attempts` requests in a row after which no order came further, and
    httpx.HTTPStatusError at once where the service refuses the whole request.
    """
    for batch in _batches(orders):
        yield from _imported(client, batch, attempts, timeout)


def _batches(orders: Iterable[ImportRequest]) -> Iterator[dict[int, bytes]]:
    batch: dict[int, bytes] = {}
    size = 0
    for index, order in enumerate(orders):
        line = json.dumps(order.to_dict(), ensure_ascii=False).encode() + b"\n"
        if len(batch) == MOST_LINES or (batch and size + len(line) > MOST_BYTES):
            yield batch
            batch, size = {}, 0
        batch[index] = line
        size += len(line)
    if batch:
        yield batch


def _imported(
    client: AuthenticatedClient, batch: dict[int, bytes], attempts: int, timeout: float
) -> list[ImportedOrder]:
    final: dict[int, ImportedOrder] = {}
    failures = 0
    while True:
        left = [index for index in batch if index not in final]
        before = len(final)
        wait, error = _send_once(client, batch, left, final, timeout)
        if len(final) == len(batch):
            return [final[index] for index in batch]
        failures = 1 if len(final) > before else failures + 1
        if failures >= attempts and error is not None:
            raise error
        time.sleep(max(wait, min(LONGEST_WAIT, 0.25 * 2**failures)))


def _send_once(
    client: AuthenticatedClient,
    batch: dict[int, bytes],
    left: list[int],
    final: dict[int, ImportedOrder],
    timeout: float,
) -> tuple[float, Exception | None]:
    """Notes the final answers; what is left has the seconds to wait, and why."""
    wait, error = 0.0, None
    try:
        response = client.get_httpx_client().post(
            PATH,
            content=b"".join(batch[index] for index in left),
            headers={"content-type": "application/x-ndjson"},
            timeout=timeout,
        )
        response.raise_for_status()
    except httpx.HTTPStatusError as refused:
        if refused.response.status_code not in MAY_PASS:
            raise
        retry_after = refused.response.headers.get("retry-after", "")
        return (float(retry_after) if retry_after.isdigit() else 0.0), refused
    except httpx.TransportError as away:
        return 0.0, away
    for line in response.content.splitlines():
        answer = json.loads(line)
        status = answer["status"]
        if status in MAY_PASS:
            wait = max(wait, float(answer["retryAfterSeconds"] or 1))
            error = httpx.HTTPError(f"line {answer['line']}: status {status}: {answer['body']['message']}")
            continue
        body = OrderSummary.from_dict(answer["body"]) if status == 201 else ErrorResponse.from_dict(answer["body"])
        index = left[answer["line"] - 1]
        final[index] = ImportedOrder(index, status, body)
    return wait, error

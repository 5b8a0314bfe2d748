"""Generates the client into a folder of its own, imports every module, and runs the README against the origin given."""

import contextlib
import importlib
import inspect
import io
import json
import os
import pkgutil
import re
import sys
import tempfile
import time
import traceback
from email.utils import formatdate
from pathlib import Path

CLIENT = Path("clients/python")
ORIGIN = "https://market.example"
# Sent by clients/python/batches.py.
BY_HAND = {"importBatch"}
DESCRIPTION = Path("docs/openapi.json")

origin = sys.argv[1]
sys.path.insert(0, str(CLIENT))
sys.dont_write_bytecode = True


def generated(folder):
    from generate import generate

    generate(DESCRIPTION, Path(folder, "psbt_market_client"))
    sys.path.insert(0, folder)


def every_operation_is_there():
    import psbt_market_client.api as api

    modules = {one.name for one in pkgutil.walk_packages(api.__path__, f"{api.__name__}.")}
    for name in modules:
        importlib.import_module(name)
    document = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    ids = {operation["operationId"] for item in document["paths"].values() for operation in item.values()}
    there = {name.rsplit(".", 1)[1].replace("_", "") for name in modules}
    missing = {one for one in ids - BY_HAND if one.lower() not in there}
    assert not missing, f"operations without a module: {missing}"


def a_client_has_a_timeout():
    from psbt_market_client import AuthenticatedClient, Client

    for client in Client(ORIGIN), AuthenticatedClient(ORIGIN, token="x"):
        assert client.get_httpx_client().timeout.read == 20, client
        assert client.get_async_httpx_client().timeout.read == 20, client


def the_package_is_typed():
    import psbt_market_client

    assert Path(psbt_market_client.__file__).with_name("py.typed").exists()


class Batches:
    """Imports with `answers` to the requests in turn, then 400 to each line; keeps what was sent, waited and yielded."""

    def __init__(self, *answers):
        self.answers, self.sent, self.waits, self.yielded, self.error = list(answers), [], [], [], None

    def run(self, orders, **options):
        import httpx
        from psbt_market_client import AuthenticatedClient, batches
        from psbt_market_client.models import ImportRequest

        def answer(request):
            lines = request.content.splitlines()
            self.sent.append(len(lines))
            assert request.headers["authorization"] == "Bearer mkc_key"
            assert len(self.sent) < 99, "it is repeated for ever"
            return (self.answers.pop(0) if self.answers else each(400))(len(lines))

        class Time:
            sleep = staticmethod(self.waits.append)

        batches.time = Time
        client = AuthenticatedClient("https://market.example", token="mkc_key")
        headers = {"authorization": "Bearer mkc_key"}
        client.set_httpx_client(
            httpx.Client(base_url="https://market.example", headers=headers, transport=httpx.MockTransport(answer))
        )
        try:
            for one in batches.import_orders(client, [ImportRequest(psbt=psbt) for psbt in orders], **options):
                self.yielded.append(one)
        except Exception as error:
            self.error = error
        return self

    def indexes(self):
        return [one.index for one in self.yielded]


def answer_of(line, status):
    body = {"statusCode": status, "error": "x", "message": "no"}
    return json.dumps({"line": line, "status": status, "retryAfterSeconds": 0, "body": body}) + "\n"


def ndjson(content, **headers):
    import httpx

    return httpx.Response(200, headers={"content-type": "application/x-ndjson", **headers}, content=content)


def each(*statuses):
    """A status for each line; the last one for all others."""
    return lambda count: ndjson(
        "".join(answer_of(at + 1, statuses[min(at, len(statuses) - 1)]) for at in range(count)).encode()
    )


def refused(status, **headers):
    import httpx

    return lambda _count: httpx.Response(status, headers=headers, json={"message": "no"})


def broken_after(count):
    import httpx

    def pieces():
        yield "".join(answer_of(at + 1, 400) for at in range(count)).encode()
        yield b'{"line":'
        raise httpx.ReadError("the connection broke")

    return lambda _count: ndjson(pieces())


def batches_are_sent_until_each_line_is_answered():
    # Of the first request the second line may pass by itself.
    it = Batches(each(400, 429, 400)).run([str(n) for n in range(300)])
    assert it.error is None, it.error
    assert it.indexes() == list(range(300)), it.indexes()
    assert {one.status for one in it.yielded} == {400}, it.yielded
    assert it.sent == [256, 1, 44], it.sent


def batches_keep_what_was_answered_before_a_connection_broke():
    it = Batches(broken_after(2), broken_after(1), broken_after(1)).run("abcde", attempts=2)
    assert it.error is None, it.error
    assert it.sent == [5, 3, 2, 1], it.sent
    assert it.indexes() == [0, 1, 2, 3, 4], it.indexes()


def batches_yield_what_was_decided_before_they_fail():
    for then in [refused(401)], [each(503)] * 3, [broken_after(0)] * 3:
        it = Batches(each(400, 503, 400), *then).run("abcd", attempts=3)
        assert it.error is not None
        assert it.indexes() == [0, 2, 3], it.indexes()
        assert len(it.sent) == 1 + len(then), it.sent


def batches_end_where_the_key_ends():
    from psbt_market_client.batches import KeyEndedError

    it = Batches(each(400, 401, 400, 503, 401)).run("abcde")
    assert isinstance(it.error, KeyEndedError), it.error
    assert it.indexes() == [0, 2] and len(it.sent) == 1, (it.indexes(), it.sent)


def batches_end_on_answers_that_lack_lines():
    it = Batches(*[lambda _count: ndjson(b"")] * 9).run("ab", attempts=3)
    assert "the answer has 0 of 2 lines" in str(it.error), it.error
    assert len(it.sent) == 3 and len(it.waits) == 2 and min(it.waits) > 0, (it.sent, it.waits)


def batches_end_at_once_where_the_service_is_not_what_answers():
    import httpx
    from psbt_market_client.batches import UnexpectedAnswerError

    page = httpx.Response(200, headers={"content-type": "text/html"}, content=b"<html></html>\n")
    lines = [b"welcome\n", b'{"id":1}\n', b"[]\n", answer_of(9, 400).encode(), b'{"line":1,"status":201,"body":{}}\n']
    for answer in [page, *map(ndjson, lines)]:
        it = Batches(lambda _count, answer=answer: answer).run("a")
        assert isinstance(it.error, UnexpectedAnswerError), (answer.content, it.error)
        assert it.sent == [1], it.sent


def batches_that_are_refused_for_a_while_are_sent_again():
    for status in 408, 429, 502, 503, 504:
        it = Batches(refused(status)).run("a")
        assert it.error is None and it.sent == [1, 1], (status, it.error)
    date = formatdate(time.time() + 90, usegmt=True)
    for retry_after, least in (("17", 17), (date, 80)):
        it = Batches(refused(503, **{"retry-after": retry_after})).run("a")
        assert it.error is None and least <= it.waits[0] <= least + 10, (retry_after, it.waits)


def batches_refuse_an_order_that_none_has_room_for():
    it = Batches().run(["a", "x" * 5 * 2**20, "b"])
    assert it.error is None, it.error
    assert [one.status for one in it.yielded] == [400, 413, 400], it.yielded
    assert it.yielded[1].body.message == "the line is larger than 4194303 bytes", it.yielded[1]
    assert it.sent == [2], it.sent


def readme_does_what_it_says():
    readme = (CLIENT / "README.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"^```python\n(.*?)^```", readme, re.M | re.S))
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(program.replace(ORIGIN, origin), "README.md", "exec"), {})
    said = output.getvalue().splitlines()
    assert said[0] == "health: active", said
    assert sum(line.startswith("live: ") for line in said) > 2, said
    assert said[-3:] == ["error: ORDER_NOT_FOUND", "imported: True first", "imported: True true"], said


def samples_of_the_reference_fit():
    """Reads that need no token are answered; of the others the call has the names and types of the client."""
    os.environ["TOKEN"] = "token"
    for name, sample in json.loads(os.environ["SAMPLES"]).items():
        program = sample["text"].replace("http://127.0.0.1:8080", origin)
        begin, call = re.split(r"^(?=print\(|for )", program, maxsplit=1, flags=re.M)
        names = {}
        exec(compile(begin, name, "exec"), names)
        if sample["isRead"] and "TOKEN" not in program and name != "streamActivity":
            output = io.StringIO()
            # A file is saved where the program runs.
            with tempfile.TemporaryDirectory() as here, contextlib.chdir(here), contextlib.redirect_stdout(output):
                exec(compile(call, name, "exec"), names)
            assert output.getvalue().strip() not in ("", "None"), name
            assert not output.getvalue().startswith("ErrorResponse"), (name, output.getvalue())
        elif call.startswith("print("):
            function = re.match(r"print\((\w+)", call).group(1)
            arguments = eval(call.strip().removeprefix("print(").removesuffix(")"), {**names, function: Arguments})
            inspect.signature(names[function].sync).bind(**arguments)


class Arguments:
    """What a sample calls an operation with."""

    @staticmethod
    def sync(**given):
        return given


passed, failed = 0, 0
with tempfile.TemporaryDirectory() as folder:
    generated(folder)
    for check in (
        every_operation_is_there,
        a_client_has_a_timeout,
        the_package_is_typed,
        batches_are_sent_until_each_line_is_answered,
        batches_keep_what_was_answered_before_a_connection_broke,
        batches_yield_what_was_decided_before_they_fail,
        batches_end_where_the_key_ends,
        batches_end_on_answers_that_lack_lines,
        batches_end_at_once_where_the_service_is_not_what_answers,
        batches_that_are_refused_for_a_while_are_sent_again,
        batches_refuse_an_order_that_none_has_room_for,
        readme_does_what_it_says,
        samples_of_the_reference_fit,
    ):
        try:
            check()
            passed += 1
        except Exception:
            failed += 1
            traceback.print_exc()
print(f"Python client: {passed} passed, {failed} failed")
if "COUNTS" in os.environ:
    with open(os.environ["COUNTS"], "w", encoding="utf-8") as file:
        json.dump({"passed": passed, "failed": failed}, file)
sys.exit(1 if failed else 0)

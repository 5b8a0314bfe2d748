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
import traceback
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


def batches_are_sent_until_each_line_is_answered():
    import httpx
    from psbt_market_client import AuthenticatedClient
    from psbt_market_client.batches import import_orders
    from psbt_market_client.models import ImportRequest

    sent = []

    def answer(request):
        lines = request.content.splitlines()
        sent.append(len(lines))
        assert request.headers["authorization"] == "Bearer mkc_key"
        body = {"statusCode": 400, "error": "x", "message": "no"}
        # Of the first request the second line may pass by itself.
        statuses = [429 if len(sent) == 1 and at == 1 else 400 for at in range(len(lines))]
        answers = [
            {"line": at + 1, "status": status, "retryAfterSeconds": 0, "body": body}
            for at, status in enumerate(statuses)
        ]
        return httpx.Response(200, content="".join(json.dumps(one) + "\n" for one in answers))

    client = AuthenticatedClient("https://market.example", token="mkc_key")
    headers = {"authorization": "Bearer mkc_key"}
    client.set_httpx_client(
        httpx.Client(base_url="https://market.example", headers=headers, transport=httpx.MockTransport(answer))
    )
    answered = list(import_orders(client, [ImportRequest(psbt=str(n)) for n in range(300)]))
    assert [one.index for one in answered] == list(range(300)), answered
    assert {one.status for one in answered} == {400}, answered
    assert sent == [256, 1, 44], sent


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
            with contextlib.redirect_stdout(output):
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
        batches_are_sent_until_each_line_is_answered,
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

"""Generates a Python client of the market from its description.

python3 clients/python/generate.py docs/openapi.json psbt_market_client

The generator is openapi-python-client; the result needs httpx and attrs. It does not know that a schema may narrow another
(`allOf` of a reference and of what is fixed for one status), so the narrowing of error answers is taken out before.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Formatting is left to who keeps the result.
CONFIG = {"post_hooks": [], "content_type_overrides": {"application/vnd.apache.parquet": "application/octet-stream"}}


def without_narrowing(node):
    if isinstance(node, list):
        return [without_narrowing(one) for one in node]
    if not isinstance(node, dict):
        return node
    parts = node.get("allOf", [])
    if len(parts) == 2 and "$ref" in parts[0] and "type" not in parts[1]:
        return parts[0]
    return {key: without_narrowing(value) for key, value in node.items()}


def with_named_variants(document):
    """The generator makes the inline variants of a union twice, under one name: each becomes a schema."""
    schemas = document["components"]["schemas"]
    for name, schema in list(schemas.items()):
        for at, variant in enumerate(schema.get("oneOf", [])):
            if "properties" not in variant:
                continue
            schemas[f"{name}Variant{at}"] = variant
            schema["oneOf"][at] = {"$ref": f"#/components/schemas/{name}Variant{at}"}
    return document


def without_batches(document):
    """The generator knows no NDJSON: batches.py, which is copied beside what it makes, sends it."""
    for path, methods in list(document["paths"].items()):
        for method, operation in list(methods.items()):
            content = operation.get("requestBody", {}).get("content", {"application/json": {}})
            if "application/json" not in content:
                del methods[method]
        if not methods:
            del document["paths"][path]
    return document


def with_binary_files(document):
    """Parquet is no text: the generator reads it as a file by this format."""
    for methods in document["paths"].values():
        for operation in methods.values():
            for answer in operation["responses"].values():
                for media_type, content in answer.get("content", {}).items():
                    if media_type == "application/vnd.apache.parquet":
                        content["schema"]["format"] = "binary"
    return document


# The generator's own default switches the timeouts of httpx off.
NO_TIMEOUT = "_timeout: httpx.Timeout | None = field(default=None,"
TIMEOUT = "_timeout: httpx.Timeout | None = field(default=httpx.Timeout(20),"


def with_timeout(client: str) -> str:
    if client.count(NO_TIMEOUT) != 2:
        raise ValueError("the generator makes its clients otherwise")
    return client.replace(NO_TIMEOUT, TIMEOUT)


def generate(description: Path, package: Path) -> None:
    """Replaces the package. Raises CalledProcessError where the generator leaves anything out."""
    description_read = json.loads(description.read_text(encoding="utf-8"))
    document = with_binary_files(without_batches(with_named_variants(without_narrowing(description_read))))
    with tempfile.TemporaryDirectory() as folder:
        openapi, config = Path(folder, "openapi.json"), Path(folder, "config.json")
        openapi.write_text(json.dumps(document), encoding="utf-8")
        config.write_text(json.dumps(CONFIG), encoding="utf-8")
        options = ["--meta", "none", "--overwrite", "--fail-on-warning"]
        paths = ["--path", openapi, "--config", config, "--output-path", package]
        subprocess.run(
            [sys.executable, "-m", "openapi_python_client", "generate", *options, *paths],
            check=True,
        )
    client = package / "client.py"
    client.write_text(with_timeout(client.read_text(encoding="utf-8")), encoding="utf-8")
    # PEP 561: without it, type checkers take every answer for Any.
    (package / "py.typed").touch()
    shutil.copy(Path(__file__).with_name("batches.py"), package / "batches.py")


if __name__ == "__main__":
    generate(Path(sys.argv[1]), Path(sys.argv[2]))

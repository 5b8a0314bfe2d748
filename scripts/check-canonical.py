"""Fetches /circles/snapshot of each origin: its bytes must be what rfc8785 makes of its JSON, and their SHA-256 its ETag."""

import base64
import hashlib
import json
import os
import sys
import urllib.request

import rfc8785


def problems(origin):
    with urllib.request.urlopen(f"{origin}/circles/snapshot", timeout=30) as answer:
        body, headers = answer.read(), answer.headers
    digest = hashlib.sha256(body)
    with urllib.request.urlopen(f"{origin}/circles/state", timeout=30) as answer:
        state = json.load(answer)
    snapshot = json.loads(body)
    if rfc8785.dumps(snapshot) != body:
        yield "rfc8785 makes other bytes"
    if headers["ETag"] != f'"{digest.hexdigest()}"':
        yield f"ETag {headers['ETag']} is not the hash {digest.hexdigest()}"
    if headers["Content-Digest"] != f"sha-256=:{base64.b64encode(digest.digest()).decode()}:":
        yield f"Content-Digest {headers['Content-Digest']} is not of these bytes"
    if state["stateHash"] != digest.hexdigest() or state["revision"] != snapshot["revision"]:
        yield f"the state {state} is not of these bytes"


origins = sys.argv[1:]
found = {origin: list(problems(origin)) for origin in origins}
for origin, of_origin in found.items():
    for problem in of_origin:
        print(f"{origin}: {problem}")
failed = sum(1 for of_origin in found.values() if of_origin)
passed = len(origins) - failed
print(f"{passed} of {len(origins)} snapshots are canonical by rfc8785 {rfc8785.__version__}, to the byte")
if "COUNTS" in os.environ:
    with open(os.environ["COUNTS"], "w", encoding="utf-8") as file:
        json.dump({"passed": passed, "failed": failed}, file)
sys.exit(0 if passed == len(origins) > 0 else 1)

"""Holds manifests against kube-score: only what ALLOWED names may fail, and all that it names must.

    check-scores.py KUBE_SCORE KUBERNETES_VERSION MANIFEST...
"""

import json
import subprocess
import sys

PASSES = 10
ROLES = {"gateway", "ingest", "actors", "projector", "webhooks", "pairing", "circles"}

# The check of kube-score, whose workloads may fail it, and why.
ALLOWED = [
    (
        "container-resources",
        ROLES,
        "CPU limit is not set",
        "a limit of the processor slows verification while the machine is idle; requests share it when it is not, and the "
        "memory that could harm others is limited",
    ),
    (
        "container-image-pull-policy",
        ROLES,
        "ImagePullPolicy is not set to Always",
        "a tag of a release never moves, and an overlay may name a digest: a pod on a machine that has the image starts "
        "while the registry is away",
    ),
    (
        "deployment-replicas",
        {"gateway"},
        "Deployment few replicas",
        "its number is KEDA's, two at least, and a manifest that has one too sets it again with each apply",
    ),
    (
        "statefulset-has-servicename",
        {"pairing", "circles"},
        "StatefulSet does not have a valid serviceName",
        "their one pod is found through its Service, never by its own name, and `serviceName` of a set that exists cannot "
        "be changed",
    ),
]


def findings_of(program, version, path):
    """What kube-score finds wrong: (check, workload, text)."""
    command = [program, "score", "--output-format", "json", "--kubernetes-version", f"v{version}", path]
    scored = subprocess.run(command, capture_output=True, text=True, check=False)
    if not scored.stdout.startswith("["):
        raise SystemExit(f"{path}: kube-score: {scored.stderr}")
    for one in json.loads(scored.stdout):
        for check in one["checks"]:
            if check["skipped"] or check["grade"] >= PASSES:
                continue
            for comment in check["comments"] or [{"summary": check["check"]["name"]}]:
                yield check["check"]["id"], one["object_meta"]["name"], comment["summary"]


def main(program, version, *paths):
    problems = []
    used = set()
    for path in paths:
        for check, name, text in findings_of(program, version, path):
            allowed = [
                (known, name)
                for known, names, summary, _ in ALLOWED
                if known == check and name in names and text == summary
            ]
            used.update(allowed)
            if not allowed:
                problems.append(f"{path}: {check}: {name}: {text}")
    for check, names, _, _ in ALLOWED:
        problems += [f"{check}: {name} passes: allow it no more" for name in names - {n for c, n in used if c == check}]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


sys.exit(main(*sys.argv[1:]))

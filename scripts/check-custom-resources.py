"""Holds objects against the schemas of their custom resources, with no property that these do not name, mounts
against volumes, and pods against the priority classes that are made beside them.

    check-custom-resources.py DEFINITION... -- MANIFEST...

Kubernetes' own kinds are left to kubernetes-validate; a custom kind without a definition here is a failure, except those
that test/deploy compares field by field. Expressions of alerts are parsed as PromQL.
"""

import sys

import jsonschema
import promql_parser
import yaml

COMPARED_BY_TESTS = {("kafka.strimzi.io/v1", "KafkaTopic"), ("kafka.strimzi.io/v1", "KafkaUser")}
CUSTOM_GROUPS = (
    "gateway.networking.k8s.io/",
    "kafka.strimzi.io/",
    "keda.sh/",
    "monitoring.coreos.com/",
)


def strict(schema):
    """The schema, refusing properties that it does not name; as `kubectl --validate=strict` does."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: strict(value) for name, value in schema.items()}
    is_object = isinstance(schema.get("properties"), dict) and schema.get("type") == "object"
    is_open = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if is_object and not is_open:
        closed["additionalProperties"] = False
    if schema.get("x-kubernetes-int-or-string"):
        closed = {"type": ["integer", "string"]}
    return closed


def schemas_of(paths):
    """By (apiVersion, kind), of the version that is stored; `metadata` is Kubernetes' own and checked by the others."""
    schemas = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            spec = yaml.safe_load(file)["spec"]
        for version in spec["versions"]:
            if not version["storage"]:
                continue
            schema = strict(version["schema"]["openAPIV3Schema"])
            schema["properties"]["metadata"] = {"type": "object"}
            schemas[f'{spec["group"]}/{version["name"]}', spec["names"]["kind"]] = schema
    return schemas


def unmounted_in(document):
    """The volumes that a pod mounts and lacks, or has and does not mount: patches of components may do that."""
    pod = document["spec"]["template"]["spec"]
    claims = [claim["metadata"]["name"] for claim in document["spec"].get("volumeClaimTemplates", [])]
    volumes = {*claims, *(volume["name"] for volume in pod.get("volumes", []))}
    mounts = {mount["name"] for one in pod["containers"] for mount in one.get("volumeMounts", [])}
    return sorted(volumes ^ mounts)


def unclassed_in(documents):
    """Pods of a class that is neither made here nor Kubernetes' own, and pods without one where one is made."""
    made = {one["metadata"]["name"] for one in documents if one["kind"] == "PriorityClass"}
    for one in documents:
        if one["kind"] not in ("Deployment", "StatefulSet"):
            continue
        name = one["spec"]["template"]["spec"].get("priorityClassName")
        if name in made or (name is None and not made) or str(name).startswith("system-"):
            continue
        yield f'{one["kind"]} {one["metadata"]["name"]}: its priority class {name} is not one of {sorted(made)}'


def problems_in(document, schemas):
    name = f'{document["kind"]} {document["metadata"]["name"]}'
    key = (document["apiVersion"], document["kind"])
    if document["kind"] in ("Deployment", "StatefulSet"):
        for volume in unmounted_in(document):
            yield f"{name}: volume {volume} is not both there and mounted"
    if key not in schemas:
        if not key[0].startswith(CUSTOM_GROUPS) or key in COMPARED_BY_TESTS:
            return
        yield f"{name}: no definition of {key[0]} is known"
        return
    for error in jsonschema.Draft202012Validator(schemas[key]).iter_errors(document):
        yield f"{name}: {error.json_path}: {error.message}"
    if document["kind"] == "PrometheusRule":
        for group in document["spec"]["groups"]:
            for rule in group["rules"]:
                try:
                    promql_parser.parse(rule["expr"])
                except ValueError as error:
                    yield f'{name}: {rule["alert"]}: {error}'


def main(arguments):
    split = arguments.index("--")
    schemas = schemas_of(arguments[:split])
    checked = set()
    problems = []
    for path in arguments[split + 1 :]:
        with open(path, encoding="utf-8") as file:
            documents = list(yaml.safe_load_all(file))
        problems += [f"{path}: {problem}" for problem in unclassed_in(documents)]
        for document in documents:
            checked.add((document["apiVersion"], document["kind"]))
            problems += [f"{path}: {problem}" for problem in problems_in(document, schemas)]
    problems += [f"no {kind} was found to check" for _, kind in schemas.keys() - checked]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


sys.exit(main(sys.argv[1:]))

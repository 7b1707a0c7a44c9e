"""What the fuzzer of the contract cannot know by itself: which keys and names there are."""

import urllib.request

import schemathesis

KNOWN = {"key": "pk_sandbox", "project": "1", "name": "pk_sandbox", "identifier": "test-paywall"}


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    # Half of them stay what they are, by something that differs between cases.
    if path_parameters and len(str(path_parameters)) % 2 == 0:
        for name in path_parameters:
            path_parameters[name] = KNOWN.get(name, path_parameters[name])
    return path_parameters


@schemathesis.hook
def map_query(context, query):
    # The key is one application's, and all others are refused.
    if query and len(str(query)) % 4:
        query.pop("application", None)
    return query


@schemathesis.hook
def after_call(context, case, response):
    # Faults that were put would be taken for answers of what is asked next.
    if case.path == "/sandbox/faults" and case.method.upper() == "PUT":
        undo = urllib.request.Request(
            case.operation.base_url.rstrip("/") + case.path, b'{"faults":[]}', method="PUT",
            headers={"Authorization": "Bearer sk_sandbox"},
        )
        urllib.request.urlopen(undo, timeout=20).close()

"""What a request must respect beyond its JSON Schema: Schemathesis generates it at random."""

import schemathesis

issued = set()


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    # A cursor comes from the previous page of the same list.
    cursor = (case.query or {}).get("cursor")
    if cursor is not None and (case.operation.path, cursor) not in issued:
        del case.query["cursor"]
    # The function of tool_choice is one of the tools.
    body = case.body
    if isinstance(body, dict) and isinstance(body.get("tool_choice"), dict):
        names = [tool.get("function", {}).get("name") for tool in body.get("tools") or []]
        if body["tool_choice"].get("function", {}).get("name") not in names:
            del body["tool_choice"]


@schemathesis.hook
def after_call(context, case, response):
    try:
        cursor = response.json()["pagination"]["cursor"]
    except (KeyError, TypeError, ValueError):
        return
    if isinstance(cursor, str):
        issued.add((case.operation.path, cursor))

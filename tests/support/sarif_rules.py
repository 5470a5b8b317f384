"""The rules of the SARIF 2.1.0 schema for the objects that we write, as JSON Schema; no other property is allowed."""

from typing import Any


def _object(required: str, optional: str = "", **shapes: Any) -> dict[str, Any]:
    names = [*required.split(), *optional.split()]
    return {
        "type": "object",
        "required": required.split(),
        "additionalProperties": False,
        "properties": {name: shapes.get(name, {"type": "string"}) for name in names},
    }


def _array(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


_BAG = {"type": "object", "properties": {"tags": _array({"type": "string"}, uniqueItems=True)}}
_MESSAGE = _object("text", "markdown")
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_URI = {
    "type": "string",
    "pattern": r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]-]|%[0-9A-F]{2})+$",
}
_PHYSICAL = _object(
    "artifactLocation region",
    artifactLocation=_object("uri", uri=_URI),
    region=_object("startLine", startLine={"type": "integer", "minimum": 1}),
)
_LOCATION = _object(
    "physicalLocation",
    "logicalLocations",
    physicalLocation=_PHYSICAL,
    logicalLocations=_array(_object("name kind"), uniqueItems=True),
)
_RULE = _object(
    "id shortDescription fullDescription help defaultConfiguration properties",
    "helpUri",
    shortDescription=_MESSAGE,
    fullDescription=_MESSAGE,
    help=_MESSAGE,
    helpUri=_URI,
    defaultConfiguration=_object("level", level=_LEVEL),
    properties=_BAG,
)
_RESULT = _object(
    "ruleId ruleIndex level message locations partialFingerprints properties",
    "stacks",
    ruleIndex={"type": "integer", "minimum": 0},
    level=_LEVEL,
    message=_MESSAGE,
    locations=_array(_LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
    properties=_BAG,
    stacks=_array(_object("frames", frames=_array(_object("location", location=_LOCATION))), uniqueItems=True),
)
_RUN = _object(
    "tool columnKind results",
    tool=_object("driver", driver=_object("name version rules", rules=_array(_RULE, uniqueItems=True))),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results=_array(_RESULT),
)
LOG = _object("$schema version runs", version={"const": "2.1.0"}, runs=_array(_RUN, minItems=1))

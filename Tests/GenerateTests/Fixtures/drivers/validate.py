"""Reads lines of a schema's path, a tab and a payload; writes `valid` or `invalid` for each."""
import json
import sys

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend, validator_for


def max_bytes(validator, limit, instance, schema):
    if validator.is_type(instance, "string") and len(instance.encode("utf-8")) > limit:
        yield ValidationError(f"has more than {limit} bytes")


Validator = extend(Draft202012Validator, {"maxBytes": max_bytes})
# With formats: patterns are regular expressions, references are URIs.
meta_schema = Draft202012Validator(Draft202012Validator.META_SCHEMA, format_checker=FormatChecker())
validators = {}
for line in sys.stdin:
    path, payload = line.rstrip("\n").split("\t", 1)
    if path not in validators:
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        if validator_for(schema, default=None) is not Draft202012Validator:
            sys.exit(f"{path} does not say that it is JSON Schema 2020-12")
        meta_schema.validate(schema)
        validators[path] = Validator(schema)
    print("valid" if validators[path].is_valid(json.loads(payload)) else "invalid")

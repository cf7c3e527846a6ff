"""Reads lines of a schema's path, a tab and a payload; writes `valid` or `invalid` for each."""
import json
import sys

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend


def max_bytes(validator, limit, instance, schema):
    if validator.is_type(instance, "string") and len(instance.encode("utf-8")) > limit:
        yield ValidationError(f"has more than {limit} bytes")


Validator = extend(Draft202012Validator, {"maxBytes": max_bytes})
validators = {}
for line in sys.stdin:
    path, payload = line.rstrip("\n").split("\t", 1)
    if path not in validators:
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        Validator.check_schema(schema)
        validators[path] = Validator(schema)
    print("valid" if validators[path].is_valid(json.loads(payload)) else "invalid")

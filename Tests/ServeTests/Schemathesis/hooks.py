"""What Schemathesis does not know by itself."""

import json
from typing import Any

import schemathesis


@schemathesis.deserializer("application/x-ndjson")
def lines(context: schemathesis.DeserializationContext, response: schemathesis.Response) -> list[Any]:
    """A stream's schema is that of the array of its lines."""
    return [json.loads(line) for line in response.content.split(b"\n") if line]

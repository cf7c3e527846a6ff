"""Values for the parameters of events. Variant 0 has nothing that is optional; the others have the limits of the types."""
import datetime

VARIANTS = 5
WAYS = ["too much", "wrong type", "missing", "half a character", "too deep", "no JSON"]

zone = datetime.timezone(datetime.timedelta(hours=9, minutes=30, seconds=15))
# The objects around the parameters of an event: the driver says how many.
levels_around_parameters = 0
limits = {"smallint": 16, "integer": 32, "bigint": 64}
real = 3.4028234663852886e38


def levels_left(key):
    """How many lists and dicts a value may have within each other."""
    place = key.split("/")[-1]
    return 127 - (0 if key.startswith("common/") else levels_around_parameters) - place.count(".") - place.count("[")


def nested(levels):
    value = []
    for level in range(1, levels):
        value = [value] if level % 2 else {"": value}
    return value


class Sample:
    def __init__(self, variant, broken=None, way=None, keys=None):
        self.variant, self.broken, self.way, self.keys = variant, broken, way, keys
        # Whether the value that was asked for could be broken in this way at all.
        self.is_broken = False

    def __call__(self, key, base, optional, maximum, inner):
        """`inner` is an Enum, a function that makes an object, the same for an element, or None."""
        if self.keys is not None:
            self.keys.append(key)
        if key == self.broken:
            value = self.bad(key, base, optional, maximum, inner)
            if self.is_broken:
                return value
        if optional and (key.endswith("[1]") if key.endswith("]") else self.variant == 0):
            return None
        if base == "object":
            return inner(self, key)
        if base == "array":
            count = maximum if maximum is not None else self.variant
            items = [self(f"{key}[{index}]", *inner) for index in range(count if self.variant else 0)]
            return items if self.variant % 2 else tuple(items)
        if inner is not None:
            return list(inner)[(self.variant + len(key)) % len(inner)]
        return self.good(key, base, maximum or 40)

    def good(self, key, base, maximum):
        v = self.variant
        if base in limits:
            bits = limits[base]
            return [0, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 1, 42][v]
        text = '"\\\n\r\t\x1f\x7f/\u2028😀</script>'
        while len(text.encode()) > maximum:
            text = text[:-1]
        day = [(2026, 11, 21), (1, 1, 2), (9999, 12, 30), (2000, 2, 29), (1999, 6, 30)][v]
        time = datetime.datetime(*day, 23, v, 59, 999999)
        return {
            "real": [0.0, real, -real, 5e-324, 10**20],
            "double": [0.0, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, 7],
            "boolean": [True, False, True, False, True],
            "string": ["", "é" * (maximum // 2) + "e" * (maximum % 2), "\0" * maximum, text, "x"],
            "date": [datetime.date(*day)] * 5,
            "timestamp": [time] * 5,
            "timestamptz": [time.replace(tzinfo=zone)] * 5,
            "any": [
                10**400, text, [1, [], False, "x", None, {"a": None, text: [{}]}], [nested(levels_left(key) - 1)], True,
            ],
            "json": [{}, {"": None, text: [None]}, 1.5, nested(levels_left(key)), [{"a": 10**400}]],
        }[base][v]

    def bad(self, key, base, optional, maximum, inner):
        self.is_broken = True
        is_listed = inner is not None and base not in ("object", "array")
        if self.way == "missing" and not optional:
            return None
        if self.way == "wrong type" and base != "json":
            return {"an": "object"} if base != "boolean" or is_listed else 1
        if not is_listed and self.way == "half a character" and base in ("string", "any", "json"):
            return "\ud800" if base == "string" else [["\ud800"]]
        if self.way == "too deep" and base in ("any", "json") and not is_listed:
            return [nested(levels_left(key))]
        if self.way == "no JSON" and base in ("any", "json") and not is_listed:
            return [{1: "key"}]
        if self.way == "too much" and base == "array" and maximum is not None:
            return [None] * (maximum + 1)
        if not is_listed and self.way == "too much":
            if base in limits:
                return 2 ** (limits[base] - 1)
            if base == "string" and maximum is not None:
                return "é" * (maximum // 2) + ("e" if maximum % 2 == 0 else "ee")
            values = {
                "real": 3.4028236e38, "double": 10**400, "any": [float("nan")], "json": {"": float("inf")},
                "timestamp": datetime.datetime.now(zone), "timestamptz": datetime.datetime(1, 1, 1, tzinfo=zone),
            }
            if base in values:
                return values[base]
        self.is_broken = False
        return None

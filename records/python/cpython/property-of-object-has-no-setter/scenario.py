"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    class Circle:
        def __init__(self, r):
            self.r = r

        @property
        def area(self):
            return 3 * self.r**2


    circle = Circle(1)
    circle.area = 12
    result = circle.area


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 12, f"the result is {names['result']!r}"

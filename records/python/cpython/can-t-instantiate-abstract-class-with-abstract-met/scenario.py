"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    import abc


    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self): ...


    class Square(Shape):
        def aera(self):
            return 4


    result = Square().area()


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 4, f"the result is {names['result']!r}"

"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    import xml

    result = xml.dom_of_nothing.minidom.__name__


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 'xml.dom.minidom', f"the result is {names['result']!r}"

"""Reading a scenario's settings."""

import pytest

from whyraise.errors import BadInput
from whyraise.prove.scenario import read_scenario


def test_an_error_in_a_scenario_names_the_setting_or_the_file() -> None:
    with pytest.raises(BadInput, match="IMPORTS is missing"):
        read_scenario("RANKS = 2\nLIBRARIES = {}\n")
    with pytest.raises(BadInput, match=r"here\.py: "):
        read_scenario("RANKS = (", "here.py")

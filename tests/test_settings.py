"""Settings from environment variables."""

import pytest

from whyraise.errors import BadInput
from whyraise.settings import from_environment


def test_a_setting_that_is_not_a_number_is_named() -> None:
    with pytest.raises(BadInput, match=r"WHYRAISE_MAX_FINDINGS is 'many'; give a whole number, 0 or more\."):
        from_environment({"WHYRAISE_MAX_FINDINGS": "many"})

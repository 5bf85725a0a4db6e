"""The contract tests for the adapters that need no extra of their own."""

from tests.doors.program_contract import *  # noqa: F403
from tests.doors.test_contract import *  # noqa: F403

"""`algoworlds commit`: a hash that binds a private suite before an evaluation; `algoworlds reveal` checks it afterwards."""

from algoworlds.cli.options import JsonOption, SuiteArgument
from algoworlds.cli.output import print_result


def commit(suite: SuiteArgument, json: JsonOption = False) -> None:
    """Print a hash to publish before an evaluation: it discloses nothing of a private suite and binds every byte of it."""
    from algoworlds.suites.commitment import compute_commitment

    commitment = compute_commitment(suite)
    print_result({"suite": str(suite), "commitment": commitment}, commitment, json)

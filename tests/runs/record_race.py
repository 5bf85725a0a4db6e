"""One writer of a race for the same record; a module of its own, because many processes import it."""

from algoworlds.errors import InputError
from algoworlds.runs.directory import write_final_file
from algoworlds.runs.schedule import Slot


def try_to_write(task):
    folder, number = task
    try:
        write_final_file(folder, Slot("w", 1), {"writer": number})
    except InputError:
        return "refused"
    return "written"

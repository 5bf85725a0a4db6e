"""Let each file operation of a command fail in turn: `python -m tests.runs.disk_faults FOLDER ERRNO STEP WORD...`.

`FOLDER` in the words of the command is replaced by a new folder for each operation. One process imports everything once and
forks twice for each operation below that folder: a child in which it fails, and a child that runs the same command again. It
prints one line of JSON for each operation: its name, and exit code, stdout and stderr of both children.
"""

import builtins
import io
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

OPERATIONS = ("write", "fsync", "link", "replace", "rename", "ftruncate", "mkdir", "unlink", "open", "close", "fchmod", "rmdir")


def fail_operation(folder: Path, number: int, code: int) -> None:
    """Count the file operations below `folder`, and let operation `number` fail; its name is kept in `folder`.failed."""
    count = 0

    def concerns_folder(target) -> bool:
        try:
            path = f"/proc/self/fd/{target}" if isinstance(target, int) else os.fspath(target)
            return os.path.realpath(path).startswith(str(folder))
        except (OSError, TypeError, ValueError):
            return False

    def fail_in_turn(name, operation, changes=lambda *arguments, **named: True):
        def call(*arguments, **named):
            nonlocal count
            if concerns_folder(arguments[0]) and changes(*arguments, **named):
                count += 1
                if count == number:
                    keep_name(name)
                    if name == "close":
                        operation(*arguments)  # the descriptor is gone even if closing it fails
                    raise OSError(code, os.strerror(code))
            return operation(*arguments, **named)

        return call

    plain_open = io.open

    def keep_name(name) -> None:
        with plain_open(f"{folder}.failed", "w") as file:
            file.write(name)

    def opens_for_writing(path, mode="r", *arguments, **named) -> bool:
        return isinstance(mode, str) and bool(set(mode) & set("wxa+"))

    for name in OPERATIONS:
        setattr(os, name, fail_in_turn(name, getattr(os, name)))
    builtins.open = io.open = fail_in_turn("io.open", plain_open, opens_for_writing)


def run_child(folder: Path, words: list[str], number: int = 0, code: int = 0) -> tuple[int, str, str]:
    """Run a command in a fork, and return its exit code, stdout and stderr; operation `number` fails, if given."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        return _run_child([stdout, stderr], folder, words, number, code)


def _run_child(streams, folder: Path, words: list[str], number: int, code: int) -> tuple[int, str, str]:
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            for stream, descriptor in zip(streams, (1, 2), strict=True):
                os.dup2(stream.fileno(), descriptor)
            from algoworlds.cli import main

            sys.argv = ["algoworlds", *words]
            if number:
                fail_operation(folder, number, code)
            main()
            status = 0
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 1
        except BaseException as problem:
            sys.stderr.write(f"Traceback of {problem!r}\n")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status or 0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    texts = []
    for stream in streams:
        stream.seek(0)
        texts.append(stream.read().decode("utf-8", "replace"))
    return status, *texts


def main(root: Path, code: int, step: int, template: list[str], copied: Path | None) -> None:
    """Let every `step`-th operation fail until a command makes fewer operations than that."""
    from algoworlds.cli import run_target  # noqa: F401  imported once, before any fork
    from algoworlds.runs import archive, judgement, model_run  # noqa: F401

    number = 1
    while True:
        folder = (root / f"operation-{number}").resolve()
        if copied is None:
            folder.mkdir()
        else:
            shutil.copytree(copied, folder)
        words = [word.replace("FOLDER", str(folder)) for word in template]
        failed = run_child(folder, words, number, code)
        marker = Path(f"{folder}.failed")
        if not marker.exists():
            break
        print(json.dumps([number, marker.read_text(), failed, run_child(folder, words)]), flush=True)
        number += step


if __name__ == "__main__":
    root, errno, step, source, *words = sys.argv[1:]
    main(Path(root), int(errno), int(step), words, None if source == "-" else Path(source))

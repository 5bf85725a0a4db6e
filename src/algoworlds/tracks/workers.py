"""Worker processes that run programs, one program at a time each.

The process that evaluates holds API keys and the sealed half of a suite; a fault in an engine must not meet them. A worker
starts with PATH, HOME and the cache directory as its whole environment, in an empty folder that is removed at once. Host
functions are answered by the parent process, except `solve`, which needs nothing but the model that it is given.

A worker that dies or takes too long is a fault of the infrastructure: the program runs once more in a new worker, with the
same answers, and then `SandboxFault` is raised.
"""

import atexit
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

import algoworlds
from algoworlds.cache import cache_directory
from algoworlds.core.canonical import JsonObject, compact_json
from algoworlds.errors import AlgoWorldsError, InputError
from algoworlds.tracks.sandbox import (
    AskHost,
    HostReply,
    ProgramResult,
    Question,
    compile_if_missing,
    load_sandbox,
    sandbox_identity,
)
from algoworlds.tracks.solving import answer_solve, solver_identity

MAX_PROGRAM_SECONDS = 900.0
"""Wall time after which a worker counts as hanging; the most that a program may compute takes about two minutes."""
SOLVE = "solve"
"""The function that workers answer themselves."""
_PARENT_CHECK_SECONDS = 1.0


class SandboxFault(AlgoWorldsError):
    """A program could not be run for a reason that is not the program's."""


class ProgramRequest(NamedTuple):
    """What a worker needs to run a program."""

    text: str
    values: Mapping[str, Any]
    functions: tuple[str, ...]
    """Names of the host functions that the program may call."""
    limit: int
    """Instructions."""
    ask_limit: int
    """Units that its questions may be charged before they are refused."""


# -- the side of the parent ---------------------------------------------------------------------------------------------


def run_in_worker(program: ProgramRequest, answers: Mapping[str, AskHost], recorded: Sequence[Question] = ()) -> ProgramResult:
    """Run a program in a worker of this process; its questions are answered from `recorded` as long as they are the same."""
    sandbox_identity()  # one line instead of a dead worker if a package is missing
    if SOLVE in program.functions:
        solver_identity()
    known = list(recorded)
    for attempts_left in (1, 0):
        answered: list[Question] = []
        try:
            return _pool(os.getpid()).run(program, _Answering(answers, known, answered))
        except _WorkerEnded as problem:
            known = answered if not recorded else known
            if not attempts_left:
                raise SandboxFault(f"a program could not be run, twice: {problem}") from None
    raise AssertionError


class _WorkerEnded(Exception):
    """A worker is gone or was ended for taking too long."""


class _Answering:
    """Answers the questions of one program: first from a record, as far as it fits, then from the host functions."""

    def __init__(self, answers: Mapping[str, AskHost], recorded: Sequence[Question], answered: list[Question]) -> None:
        self._answers, self._recorded, self._answered = answers, list(recorded), answered

    def answer(self, name: str, text: str) -> HostReply | None:
        """The answer to a question; None if the worker is to find it."""
        digest = hashlib.sha256(text.encode()).hexdigest()
        if self._recorded and self._recorded[0][:2] == (name, digest):
            question = self._recorded.pop(0)
            answer = HostReply(question.reply, question.units)
        elif name in self._answers:
            answer = self._answers[name](name, text)
        else:
            return None
        self._answered.append(Question(name, digest, answer.reply, answer.units))
        return answer


class SandboxWorkers:
    """At most as many workers as cores, started when they are needed. Threads may share a pool."""

    def __init__(self, size: int | None = None) -> None:
        self._idle: list[_Worker] = []
        self._slots = threading.BoundedSemaphore(size or os.cpu_count() or 1)
        atexit.register(self.close)

    def run(self, program: ProgramRequest, answering: _Answering) -> ProgramResult:
        """Run a program in an idle worker or a new one."""
        with self._slots:
            worker = self._idle.pop() if self._idle else _Worker()
            try:
                result = worker.run(program, answering)
            except BaseException:
                worker.kill()
                raise
            self._idle.append(worker)
            return result

    def close(self) -> None:
        """End the idle workers."""
        while self._idle:
            self._idle.pop().kill()


@lru_cache(maxsize=1)
def _pool(process_id: int) -> SandboxWorkers:
    """The pool of this process: a forked process must not share the pipes of its parent."""
    return SandboxWorkers()


class _Worker:
    """A worker process, as its parent sees it."""

    def __init__(self) -> None:
        folder = tempfile.mkdtemp(prefix="algoworlds-")
        environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        environment["NUMBA_CACHE_DIR"] = str(cache_directory().resolve())
        start = "import sys; sys.path.insert(0, sys.argv[1]); from algoworlds.tracks.workers import serve; serve()"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", start, str(Path(algoworlds.__file__).parents[1])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        try:
            refused = self._exchange(None).get("refused")
        except _WorkerEnded:
            self.kill()
            raise
        finally:
            with suppress(OSError):
                Path(folder).rmdir()
        if refused:
            self.kill()
            raise InputError(refused)

    def run(self, program: ProgramRequest, answering: _Answering) -> ProgramResult:
        """Run a program and answer its questions."""
        message = self._exchange({"program": program._asdict()})
        while "question" in message:
            answer = answering.answer(*message["question"])
            message = self._exchange({"answer": answer})
        end, output, error, instructions, questions = message["result"]
        return ProgramResult(end, output, error, instructions, tuple(Question(*question) for question in questions))

    def _exchange(self, message: JsonObject | None) -> JsonObject:
        """Send a message, if there is one, and wait for the worker's next."""
        timer = threading.Timer(MAX_PROGRAM_SECONDS, self._process.kill)
        timer.daemon = True
        timer.start()
        started = time.monotonic()
        try:
            if message is not None:
                _write_message(self._input, message)
            return _read_message(self._output)  # type: ignore[no-any-return]
        except (OSError, EOFError):
            late = time.monotonic() - started >= MAX_PROGRAM_SECONDS
            code = self._process.wait()
            how = f"after {MAX_PROGRAM_SECONDS:.0f} seconds" if late else f"with exit code {code}"
            raise _WorkerEnded(f"its worker process ended {how}") from None
        finally:
            timer.cancel()

    def kill(self) -> None:
        """End the worker, whatever it does."""
        self._process.kill()
        self._process.wait()
        for stream in (self._input, self._output):
            with suppress(OSError):
                stream.close()


# -- messages: the length in eight bytes, then JSON ----------------------------------------------------------------------


def _write_message(stream: IO[bytes], message: JsonObject) -> None:
    content = compact_json(message).encode()
    stream.write(len(content).to_bytes(8, "big") + content)
    stream.flush()


def _read_message(stream: IO[bytes]) -> Any:
    length = int.from_bytes(_read_exactly(stream, 8), "big")
    return json.loads(_read_exactly(stream, length))


def _read_exactly(stream: IO[bytes], length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content


# -- the side of the worker ----------------------------------------------------------------------------------------------


def serve() -> NoReturn:
    """Run the programs that arrive on standard input until it ends."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.Thread(target=_die_with_parent, args=(os.getppid(),), daemon=True).start()
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    try:
        if compile_if_missing():
            os.execv(sys.executable, sys.orig_argv)  # start again without the memory that compiling took
        sandbox = load_sandbox()
    except InputError as problem:
        _write_message(replies, {"refused": str(problem)})
        os._exit(1)
    with open(os.devnull, "r+b") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)  # what a library prints must not get between the messages
    _write_message(replies, {})

    def ask(name: str, text: str) -> HostReply:
        _write_message(replies, {"question": [name, text]})
        answer = _read_message(requests)["answer"]
        if answer is not None:
            return HostReply(*answer)
        return answer_solve(text)

    while True:
        try:
            program = ProgramRequest(**_read_message(requests)["program"])
        except EOFError:
            os._exit(0)
        functions = dict.fromkeys(program.functions, ask)
        result = sandbox.run_program(program.text, program.values, functions, program.limit, program.ask_limit)
        _write_message(replies, {"result": result})


def _die_with_parent(parent: int) -> None:
    """End this worker when its parent is gone, however the parent ended."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)

"""The sandbox: a Python interpreter as a WebAssembly component, with an exact count of instructions.

`run_program` is a pure function of the program, the values it is given, the replies of the host functions and the limit:
text and instruction count are the same on every machine. The bytes of the component define it; their digest is pinned in
`sandbox.json`, together with the results of two short programs that are compared before the first use.

wasmtime is imported on demand. What needs it raises InputError in one line if it is missing or of another version.
"""

import atexit
import ctypes
import hashlib
import json
import lzma
import platform
import stat
import threading
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from algoworlds.batch import require_posix
from algoworlds.cache import cache_directory
from algoworlds.core.canonical import JsonObject, compact_json
from algoworlds.disk import lock_file, read_regular_file, write_atomic
from algoworlds.errors import InputError, format_value

COMPONENT_FILE = Path(__file__).with_name("python.wasm.xz")
PINS_FILE = Path(__file__).with_name("sandbox.json")

MAX_OUTPUT_CHARS = 20_000
MAX_ERROR_CHARS = 4_000
MAX_QUESTIONS = 256
"""Calls of host functions that one program may make. They cost no instructions, so they are bounded by count."""
MAX_QUESTION_CHARS = 4_000_000
MAX_MEMORY_BYTES = 1 << 30

_WASM_STACK_BYTES = 256 << 20
"""CPython guards its stack by addresses in linear memory, which are the same everywhere; native frames are not. With this
much native stack every recursion ends in Python's own RecursionError, never in the engine."""
_THREAD_STACK_BYTES = 2 * _WASM_STACK_BYTES + (64 << 20)
_INSTALL = "install it with: pip install 'algoworlds[code]'"


class Question(NamedTuple):
    """One call of a host function: its name, a digest of the arguments, the reply, and what it is charged."""

    name: str
    digest: str
    reply: JsonObject
    units: int

    @property
    def json(self) -> JsonObject:
        """The form in records."""
        return self._asdict()


class HostReply(NamedTuple):
    """What a host function replies (`{"answer": ...}` or `{"error": ..., "kind": ...}`), and its charge."""

    reply: JsonObject
    units: int = 0


AskHost = Callable[[str, str], HostReply]
"""Answers a question by function name and JSON text of [arguments, options]."""


class ProgramResult(NamedTuple):
    """How a program ended, what it printed, its error, the instructions it took, and its questions."""

    end: str
    output: str
    error: str
    instructions: int
    questions: tuple[Question, ...]


FINISHED, LIMIT, FLOOD, QUESTIONS, STOPPED = "finished", "limit", "flood", "questions", "stopped"

ERROR_OF_END = {
    LIMIT: "The program reached its limit and was stopped.",
    FLOOD: "The program went on printing beyond what is shown and was stopped.",
    QUESTIONS: "The program asked too often and was stopped.",
    STOPPED: "The program was stopped: it asked for something that is not here (files, network, the clock, chance, other "
    "processes), or broke the interpreter.",
}


class _EndProgram(Exception):
    """Raised by a host function to end the program; arrives unchanged."""


@cache
def pins() -> JsonObject:
    """The pinned digest of the component and the pinned results of the self-test."""
    return json.loads(PINS_FILE.read_bytes())  # type: ignore[no-any-return]


def sandbox_identity() -> dict[str, str]:
    """What identifies the sandbox: the digest of the component and the version of wasmtime."""
    require_posix("programs in the sandbox")
    return {"sandbox": pins()["sha256"], "wasmtime": _wasmtime_version()}


def installed_version(package: str) -> str | None:
    """The version of an installed package; None if it is missing."""
    from importlib.metadata import PackageNotFoundError, version  # takes 20 ms, and bare worlds need none of it

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _wasmtime_version() -> str:
    installed = installed_version("wasmtime")
    if installed is None:
        raise InputError(f"programs need wasmtime: {_INSTALL}")
    wanted = pins()["wasmtime"]
    if installed.partition(".")[0] != wanted.partition(".")[0]:
        raise InputError(f"programs need wasmtime {wanted}, not {format_value(installed)}: {_INSTALL}")
    return installed


def create_engine(target: str | None = None, optimize: bool = True) -> Any:
    """A wasmtime engine with the settings that make execution deterministic; `target` is another target than this machine."""
    from wasmtime import Config, Engine, _bindings

    library: Any = _bindings.dll
    config = Config()
    config.consume_fuel = True
    config.wasm_threads = False
    config.wasm_relaxed_simd = False
    config.cranelift_nan_canonicalization = True
    # The Python package has no setter for the native stack, which must be larger than the WebAssembly stack: without it the
    # constructor of the engine aborts the process.
    set_native_stack = getattr(library, "wasmtime_config_async_stack_size_set", None)
    if set_native_stack is None:
        raise InputError(f"this build of wasmtime {_wasmtime_version()} cannot set its stack: {_INSTALL}")
    set_native_stack.argtypes, set_native_stack.restype = [ctypes.c_void_p, ctypes.c_size_t], None
    set_native_stack(config.ptr(), _WASM_STACK_BYTES + (1 << 20))
    config.max_wasm_stack = _WASM_STACK_BYTES
    if target:
        config.target = target
    if not optimize:
        config.cranelift_opt_level = "none"
    return Engine(config)


def read_component() -> bytes:
    """The bytes of the component; InputError unless they have the pinned digest."""
    try:
        content = lzma.decompress(read_regular_file(COMPONENT_FILE))
    except (OSError, lzma.LZMAError):
        content = b""
    if hashlib.sha256(content).hexdigest() != pins()["sha256"]:
        raise InputError(f"{format_value(COMPONENT_FILE)} is missing or altered: install algoworlds again")
    return content


class Sandbox:
    """An engine with the compiled component."""

    def __init__(self, engine: Any, component: Any) -> None:
        self._engine, self._component = engine, component

    @classmethod
    def without_cache(cls, target: str | None = None, optimize: bool = True) -> "Sandbox":
        """Compile the component anew, without the cache."""
        from wasmtime.component import Component

        _wasmtime_version()
        engine = create_engine(target, optimize)
        return cls(engine, Component(engine, read_component()))

    def close(self) -> None:
        """Free the compiled code."""
        self._component.close()
        self._engine.close()

    def run_program(
        self,
        program: str,
        values: Mapping[str, Any],
        functions: Mapping[str, AskHost],
        limit: int,
        ask_limit: int | None = None,
    ) -> ProgramResult:
        """Run a program with the names in `values` set, in a thread with room for deep recursion; `limit` is in instructions.

        Host functions are no longer answered when their charges reach `ask_limit`.
        """
        results: list[ProgramResult | BaseException] = []

        def target() -> None:
            try:
                results.append(self._run(program, values, functions, limit, ask_limit))
            except BaseException as problem:  # passed on to the caller's thread
                results.append(problem)

        with _STACK_SIZE_LOCK:
            before = threading.stack_size(_THREAD_STACK_BYTES)
            try:
                thread = threading.Thread(target=target, daemon=True)
                thread.start()
            finally:
                threading.stack_size(before)
        thread.join()
        (result,) = results
        if isinstance(result, BaseException):
            raise result
        return result

    def _run(
        self, program: str, values: Mapping[str, Any], functions: Mapping[str, AskHost], limit: int, ask_limit: int | None
    ) -> ProgramResult:
        from wasmtime import Store, Trap, WasmtimeError
        from wasmtime.component import Linker

        printed: list[str] = []
        questions: list[Question] = []
        room, attempts = MAX_OUTPUT_CHARS, 0

        def say(store: Any, text: str) -> bool:
            nonlocal room
            if room <= 0:
                raise _EndProgram(FLOOD)
            printed.append(text[:room])
            room -= max(1, len(printed[-1]))  # the guest sends no empty text; a program that does is bounded all the same
            return room > 0

        def ask(store: Any, name: str, text: str) -> str:
            nonlocal attempts
            attempts += 1
            if attempts > MAX_QUESTIONS or len(text) > MAX_QUESTION_CHARS:
                raise _EndProgram(QUESTIONS)
            if name not in functions:
                return compact_json({"error": f"{format_value(name)} is not available on this track", "kind": "ValueError"})
            if ask_limit is not None and sum(question.units for question in questions) >= ask_limit:
                return compact_json({"error": "nothing is left to compute with", "kind": "ValueError"})
            answer = functions[name](name, text)
            digest = hashlib.sha256(text.encode()).hexdigest()
            questions.append(Question(name, digest, answer.reply, answer.units))
            return compact_json(answer.reply)

        linker = Linker(self._engine)
        with linker.root() as root:
            root.add_func("say", say)
            root.add_func("ask", ask)
        store = Store(self._engine)
        store.set_limits(memory_size=MAX_MEMORY_BYTES, instances=64, memories=8, tables=64, table_elements=100_000)
        store.set_fuel(limit)
        end, error = FINISHED, ""
        try:
            run: Any = linker.instantiate(store, self._component).get_func(store, "run")
            error = run(store, program, compact_json({"values": values, "functions": list(functions)}))
        except _EndProgram as problem:
            end = str(problem)
        except (WasmtimeError, Trap) as problem:
            end = LIMIT if "all fuel consumed" in str(problem) else STOPPED
        instructions = limit - store.get_fuel()
        store.close()  # frees up to a gigabyte now, not at the next garbage collection
        linker.close()
        # A string of the guest can hold a surrogate if the program broke its interpreter; no text of ours may.
        error = (error or ERROR_OF_END.get(end, ""))[:MAX_ERROR_CHARS].encode("utf-8", "backslashreplace").decode()
        return ProgramResult(end, "".join(printed), error, instructions, tuple(questions))

    def run_self_test(self) -> None:
        """Run the pinned programs; InputError if text or instruction count differs."""
        for pin in pins()["self_test"]:
            result = self.run_program(pin["program"], {"answers": []}, {}, 10**10)
            if [result.output, result.instructions] != [pin["output"], pin["instructions"]]:
                reason = "the sandbox computes differently here than it should"
                raise InputError(f"{reason}, so programs would not be reproducible: {_INSTALL}")


_STACK_SIZE_LOCK = threading.Lock()
"""`threading.stack_size` applies to all threads that start meanwhile."""


@cache
def load_sandbox() -> Sandbox:
    """The sandbox of this process, from the cache of compiled code, compiled first if it is not there; tested once."""
    sandbox = _load_or_compile()[0]
    atexit.register(sandbox.close)  # wasmtime's own destructors fail when the interpreter ends
    sandbox.run_self_test()
    return sandbox


def compile_if_missing() -> bool:
    """Compile the sandbox into the cache if it is not there, which takes 400 MB; whether that was done."""
    return _load_or_compile()[1]


def _load_or_compile() -> tuple[Sandbox, bool]:
    engine_version = _wasmtime_version()
    from wasmtime.component import Component

    engine, folder = create_engine(), _cache_folder()
    key = f"{pins()['sha256'][:16]}-{engine_version}-{platform.system()}-{platform.machine()}".lower()
    compiled, digest = folder / f"{key}.compiled", folder / f"{key}.sha256"
    try:
        with lock_file(folder / f"{key}.lock"):
            component = _load_compiled(engine, compiled, digest)
            if component is not None:
                return Sandbox(engine, component), False
            component = Component(engine, read_component())
            content = bytes(component.serialize())
            write_atomic(compiled, content, durable=False, mode=0o600)
            write_atomic(digest, hashlib.sha256(content).hexdigest().encode(), durable=False, mode=0o600)
            return Sandbox(engine, component), True
    except OSError as problem:
        reason = f"the compiled sandbox cannot be kept in {format_value(folder)} ({problem.strerror})"
        raise InputError(f"{reason}: make room there, or set XDG_CACHE_HOME to another directory") from None


def _cache_folder() -> Path:
    """The folder of compiled code, which only this user may write: loading such a file runs it."""
    folder = cache_directory() / "algoworlds" / "sandbox"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as problem:
        advice = "set XDG_CACHE_HOME to a directory of your own"
        raise InputError(f"{format_value(folder)} cannot be used for compiled code ({problem.strerror}): {advice}") from None
    return folder


def _load_compiled(engine: Any, compiled: Path, digest: Path) -> Any | None:
    """The compiled component from the cache; None if it is missing, damaged or of another machine."""
    from wasmtime import WasmtimeError
    from wasmtime.component import Component

    try:
        if not stat.S_ISREG(compiled.lstat().st_mode):
            return None
        content = read_regular_file(compiled)
        if hashlib.sha256(content).hexdigest() != read_regular_file(digest).decode():
            return None
        return Component.deserialize_file(engine, str(compiled))
    except (FileNotFoundError, UnicodeDecodeError, WasmtimeError):
        return None

"""The inside of the sandbox: runs one program and prints through the host.

Everything that a program may import is imported here, before the snapshot of the interpreter is taken: at run time there
is no file to import from. Files, clock, entropy, network and processes end the program at the edge of the sandbox. What
programs often ask for is refused earlier, in Python, so that the mistake is an exception that its author can read.
"""

# ruff: noqa: F401
import abc
import argparse
import array
import ast
import base64
import binascii
import bisect
import builtins
import calendar
import cmath
import codecs
import collections
import collections.abc
import contextlib
import contextvars
import copy
import copyreg
import csv
import dataclasses
import datetime
import decimal
import difflib
import dis
import encodings.ascii
import encodings.base64_codec
import encodings.cp1252
import encodings.hex_codec
import encodings.latin_1
import encodings.unicode_escape
import encodings.utf_8
import encodings.utf_8_sig
import encodings.utf_16
import encodings.utf_16_be
import encodings.utf_16_le
import encodings.utf_32
import enum
import errno
import fnmatch
import fractions
import functools
import gc
import graphlib
import hashlib
import heapq
import inspect
import io
import itertools
import json
import keyword
import linecache
import logging
import math
import numbers
import operator
import os
import os.path
import pathlib
import pickle
import pprint
import queue
import random
import re
import reprlib
import shlex
import statistics
import string
import struct
import sys
import textwrap
import threading
import time
import timeit
import token
import tokenize
import traceback
import types
import typing
import unicodedata
import warnings
import weakref
import zlib

import cp_model
import wit_world

PROGRAM_FILE = "program.py"
MAX_PRINT_CHARS = 32_768
"""Characters of one write that go to the host: more than a page holds."""
MAX_SOURCE_CHARS, MAX_ERROR_CHARS = 200, 2_000
FIRST_LINES, LAST_LINES = 2, 5
"""Lines of the program that an error names, from the outermost and from the innermost call."""

sys.path[:] = []
sys.path_hooks[:] = []
sys.path_importer_cache.clear()
sys.dont_write_bytecode = True
os.environ.clear()

for _name in ("ortools", "ortools.sat", "ortools.sat.python"):
    sys.modules[_name] = types.ModuleType(_name)
sys.modules["ortools"].sat = sys.modules["ortools.sat"]
sys.modules["ortools.sat"].python = sys.modules["ortools.sat.python"]
sys.modules["ortools.sat.python"].cp_model = sys.modules["ortools.sat.python.cp_model"] = cp_model


class _AbsentModules:
    """The last finder: says in words that a module is missing."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        known = name.partition(".")[0] in sys.stdlib_module_names
        reason = "this module of the standard library is not here" if known else "only modules of the standard library are here"
        raise ModuleNotFoundError(f"No module named {name!r}: {reason}", name=name)


_BUILT_IN = ("BuiltinImporter", "FrozenImporter")
sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") in _BUILT_IN] + [_AbsentModules]

_REFUSED_EVENTS = {
    "open": "There are no files here",
    "os.listdir": "There are no files here",
    "os.scandir": "There are no files here",
    "socket.__new__": "There is no network here",
    "subprocess.Popen": "There are no other processes here",
}


def _refuse_event(event, arguments):
    """Audit hook. Also keeps the compiler from opening the source file to quote the line of a syntax error."""
    if event in _REFUSED_EVENTS:
        raise PermissionError(_REFUSED_EVENTS[event])


def _refuse_file(*arguments, **options):
    raise FileNotFoundError("There are no files here")


def _refuse_entropy(*arguments):
    raise NotImplementedError("There is no entropy here; the random module starts from the same seed every time")


sys.addaudithook(_refuse_event)
linecache.checkcache = lambda filename=None: None
linecache.updatecache = lambda filename, module_globals=None: []
for _name in ("stat", "lstat", "mkdir", "makedirs", "remove", "rename", "rmdir", "chdir", "access", "readlink", "utime"):
    setattr(os, _name, _refuse_file)
os.urandom = random._urandom = _refuse_entropy
os.getcwd = lambda: "/"


class Random(random.Random):
    """`random.Random`, seeded by 0 if no seed is given. The base class draws entropy in `__new__`."""

    def __new__(cls, x=None):
        return super().__new__(cls, 0 if x is None else x)

    def seed(self, a=None, version=2):
        super().seed(0 if a is None else a, version)


Random.__module__ = "random"
random.Random = Random
random.SystemRandom = Random
random.seed = lambda a=None, version=2: random._inst.seed(0 if a is None else a, version)


class Clock:
    """A clock that advances by a millisecond at every look, and by what is slept, so that waiting loops end."""

    milliseconds = 0

    def seconds(self):
        self.milliseconds += 1
        return self.milliseconds / 1000

    def nanoseconds(self):
        self.milliseconds += 1
        return self.milliseconds * 1_000_000

    def sleep(self, seconds):
        self.milliseconds += max(0, int(seconds * 1000))


_clock = Clock()
for _name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
    setattr(time, _name, _clock.seconds)
    setattr(time, _name + "_ns", _clock.nanoseconds)
time.sleep = _clock.sleep
timeit.default_timer = _clock.seconds


def replace_surrogates(text):
    """Text that can leave the sandbox, which takes UTF-8 only."""
    return text.encode("utf-8", "backslashreplace").decode()


class Output(io.TextIOBase):
    """Standard output: goes to the host at once, so that it is there however the program ends."""

    encoding, full = "utf-8", False

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text and not self.full:
            self.full = not wit_world.say(replace_surrogates(text[:MAX_PRINT_CHARS]))
        return len(text)


def format_error(problem, program):
    """Format an exception: the program's own lines, then type and message. Opens nothing, unlike `traceback`."""
    source = program.splitlines()

    def line(number):
        return source[number - 1].strip()[:MAX_SOURCE_CHARS] if 0 < number <= len(source) else ""

    lines, frames, trace = [], [], problem.__traceback__
    if isinstance(problem, SyntaxError):
        lines.append(f"line {problem.lineno}: {line(problem.lineno or 0)}")
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PROGRAM_FILE:
            frames.append((trace.tb_lineno, trace.tb_frame.f_code.co_name))
        trace = trace.tb_next
    if len(frames) > FIRST_LINES + LAST_LINES:
        frames[FIRST_LINES:-LAST_LINES] = [None]
    lines += ["..." if frame is None else f"line {frame[0]}, in {frame[1]}: {line(frame[0])}" for frame in frames]
    try:
        message = str(problem)
    except BaseException:
        message = ""
    return "\n".join([*lines, f"{type(problem).__name__}: {message}"[:MAX_ERROR_CHARS]])


class Refused(ValueError):
    """The host does not answer a question."""


class InstanceError(Refused):
    """Tables that are not an instance of the problem, or not one of this level."""


class TooLarge(Refused):
    """Tables that are larger than the exact algorithm can hold."""


_ERRORS = {"ValueError": ValueError, "InstanceError": InstanceError, "TooLarge": TooLarge}


def ask(name, arguments, options):
    """Ask the host and return its whole reply; raises what the host refuses."""
    reply = json.loads(wit_world.ask(name, json.dumps([arguments, options])))
    if "error" in reply:
        raise _ERRORS.get(reply.get("kind"), Refused)(reply["error"])
    return reply


def host_function(name, namespace):
    """A function of the program's namespace that the host answers."""

    def function(*arguments, **options):
        return ask(name, arguments, options)["answer"]

    def call(tool, arguments=None):
        """Call a tool of the task; an executed information call is appended to `answers`."""
        arguments = {} if arguments is None else arguments
        reply = ask("call", (tool, arguments), {})
        if reply.get("executed"):
            namespace["answers"].append({"tool": tool, "arguments": arguments, "answer": reply["answer"]})
        return reply["answer"]

    chosen = call if name == "call" else function
    chosen.__name__ = chosen.__qualname__ = name
    return chosen


class WitWorld(wit_world.WitWorld):
    """The only export of the component."""

    def run(self, program: str, given: str) -> str:
        sys.stdout = sys.stderr = Output()
        sys.stdin, sys.argv = None, [PROGRAM_FILE]
        random.seed(0)
        cp_model.ask = ask
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        namespace = main.__dict__
        lines = [f"{line}\n" for line in program.splitlines()]
        linecache.cache[PROGRAM_FILE] = (len(program), None, lines, PROGRAM_FILE)
        try:
            start = json.loads(given)
            namespace.update(start["values"])
            namespace.update({name: host_function(name, namespace) for name in start["functions"]})
            exec(compile(program, PROGRAM_FILE, "exec"), namespace)
        except SystemExit as problem:
            return "" if problem.code in (None, 0) else replace_surrogates(f"SystemExit: {problem.code}"[:MAX_ERROR_CHARS])
        except BaseException as problem:
            return replace_surrogates(format_error(problem, program))
        return ""

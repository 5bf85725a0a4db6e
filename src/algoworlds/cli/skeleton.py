"""The distribution that `algoworlds family new` writes, from the templates in skeleton_files/."""

from collections.abc import Iterator
from importlib.resources import files as package_files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.families import FAMILIES, FAMILY_NAME_PATTERN

_SUFFIX = ".txt"


def write_skeleton(name: str, directory: Path) -> list[str]:
    """Write the distribution of a family called `name` into an empty directory; return the relative paths."""
    if not FAMILY_NAME_PATTERN.fullmatch(name):
        raise InputError(f"{quote_value(name)} is not a family name: use up to 40 lower-case letters, digits and underscores")
    if name in FAMILIES:
        raise InputError(f"{format_value(name)} is a built-in family: choose another name")
    try:
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise InputError(f"{format_value(directory)} is not an empty directory: choose another --out")
        paths = []
        for path, text in _render_files(name):
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).write_text(text, encoding="utf-8", newline="\n")
            paths.append(path)
        return paths
    except OSError as problem:
        raise InputError(f"cannot write {format_value(problem.filename or directory)}: {problem.strerror}") from None


def _render_files(name: str) -> Iterator[tuple[str, str]]:
    """Every file of the distribution: its path and its text, with the names filled in."""
    words = [word for word in name.split("_") if word]
    names = {
        "name": name,
        "package": f"algoworlds_{name}",
        "distribution": "-".join(["algoworlds", *words]),
        "title": " ".join(word.capitalize() for word in words),
        "Class": "".join(word.capitalize() for word in words),
        "CONSTANT": name.upper(),
    }
    moved = {"test_family.py": "tests/test_family.py"}
    for file in _sorted_files(package_files("algoworlds.cli") / "skeleton_files"):
        if file.is_dir():
            for module in _sorted_files(file):
                yield f"src/{names['package']}/{module.name.removesuffix(_SUFFIX)}", _fill(module, names)
        else:
            plain = file.name.removesuffix(_SUFFIX)
            yield moved.get(plain, plain), _fill(file, names)


def _sorted_files(directory: Traversable) -> list[Traversable]:
    return sorted(directory.iterdir(), key=lambda file: file.name)


def _fill(file: Traversable, names: dict[str, str]) -> str:
    return Template(file.read_text(encoding="utf-8")).substitute(names)

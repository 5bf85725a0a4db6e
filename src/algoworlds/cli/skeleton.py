"""What `algoworlds family new` writes: a whole distribution, from the files in skeleton_files/ with its names filled in."""

from collections.abc import Iterator
from importlib.resources import files as package_files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from algoworlds.errors import InputError, quoted, shown
from algoworlds.families import FAMILIES
from algoworlds.families.installed import NAME

_SUFFIX = ".txt"


def write(name: str, directory: Path) -> list[str]:
    """Write a family's distribution into an empty directory; the paths that it has there."""
    if not NAME.fullmatch(name):
        raise InputError(f"{quoted(name)} is no name for a family: use up to 40 lower-case letters, digits and underscores")
    if name in FAMILIES:
        raise InputError(f"{shown(name)} is one of the families built in: choose another name")
    try:
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise InputError(f"{shown(directory)} is not an empty directory: choose another --out")
        return [_written(directory, path, text) for path, text in _files(_names(name))]
    except OSError as problem:
        raise InputError(f"cannot write {shown(problem.filename or directory)}: {problem.strerror}") from None


def _names(name: str) -> dict[str, str]:
    words = [word for word in name.split("_") if word]
    return {
        "name": name,
        "package": f"algoworlds_{name}",
        "distribution": "-".join(["algoworlds", *words]),
        "title": " ".join(word.capitalize() for word in words),
        "Class": "".join(word.capitalize() for word in words),
        "CONSTANT": name.upper(),
    }


def _files(names: dict[str, str]) -> Iterator[tuple[str, str]]:
    root = package_files("algoworlds.cli") / "skeleton_files"
    places = {"test_family.py": "tests/test_family.py"}
    for each in _sorted(root):
        if each.is_dir():
            for part in _sorted(each):
                yield f"src/{names['package']}/{part.name.removesuffix(_SUFFIX)}", _filled(part, names)
        else:
            plain = each.name.removesuffix(_SUFFIX)
            yield places.get(plain, plain), _filled(each, names)


def _sorted(directory: Traversable) -> list[Traversable]:
    return sorted(directory.iterdir(), key=lambda each: each.name)


def _filled(file: Traversable, names: dict[str, str]) -> str:
    return Template(file.read_text(encoding="utf-8")).substitute(names)


def _written(directory: Path, path: str, text: str) -> str:
    (directory / path).parent.mkdir(parents=True, exist_ok=True)
    (directory / path).write_text(text, encoding="utf-8", newline="\n")
    return path

"""A suite as a dataset: its public half as parquet with a card and Croissant metadata, a canary in every row.

Answers go into a dataset of their own, since the Hub gates whole datasets: nobody should have to ask for questions, and nobody
get answers by asking for them. A private suite's are never written.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from algoworlds.disk import write_whole
from algoworlds.errors import InputError, shown
from algoworlds.suites.documents import CANARY
from algoworlds.suites.opened import Opened
from algoworlds.suites.public import PublicSuite
from algoworlds.suites.suite import default_suite

SPLIT = "test"

Columns = dict[str, str]
"""Every column of a dataset with what it holds; those of integers are told by their values."""

WORLDS: Columns = {
    "canary": "Says that this is benchmark data, not for training corpora.",
    "suite": "The root digest of the suite that the world belongs to.",
    "id": "The world's id in its suite.",
    "family": "The family of problems.",
    "level": "The level of difficulty, from 0.",
    "index": "The number of the instance among those of its family and level.",
    "interface": "How facts are presented: direct, mediated or split.",
    "question": "The task as an agent reads it.",
    "tools": "The tools by name, description and JSON schema of their parameters, as JSON.",
    "prices": "The prices of the tools that cost anything, as JSON.",
    "budget": "What may be spent on calls in all.",
    "call_cap": "Information calls that may be executed.",
    "attempt_cap": "Calls of any kind that may be made.",
}
ANSWERS: Columns = {
    "canary": WORLDS["canary"],
    "suite": WORLDS["suite"],
    "id": WORLDS["id"],
    "optimum": "The certified optimal value.",
    "decision": "The optimal decision, which is the only one, as JSON.",
    "reference_value": "The value of the myopic reference decision.",
}


class Dataset(NamedTuple):
    """A dataset to be written: its config, columns and rows."""

    config: str
    columns: Columns
    rows: list[dict[str, Any]]
    gated: bool


def worlds_of(suite: PublicSuite) -> Dataset:
    """The public half of a suite."""
    rows = []
    for name in suite.entries:
        seen = suite.presented(name)
        told = {each: getattr(seen.entry, each) for each in ("id", "family", "level", "index", "interface")}
        spelled = {"tools": json.dumps(seen.tools), "prices": json.dumps(seen.prices)}
        limits = {each: getattr(seen, each) for each in ("question", "budget", "call_cap", "attempt_cap")}
        rows.append({"canary": CANARY, "suite": suite.manifest.root} | told | spelled | limits)
    return Dataset("worlds", WORLDS, rows, gated=False)


def answers_of(suite: Opened) -> Dataset:
    """The answers of a suite that anyone with the code can regenerate; InputError for any other."""
    if suite.suite.seed != default_suite().seed or suite.suite.pepper:
        raise InputError(f"{shown(suite.directory)} is a private suite: its answers are never exported")
    rows = []
    for entry in suite.manifest.worlds:
        key, family = suite.key(entry), suite.world(entry).family
        spelled = {"decision": json.dumps(family.decision.arguments(key.decision))}
        values = {"optimum": key.optimum, "reference_value": key.reference_value}
        rows.append({"canary": CANARY, "suite": suite.manifest.root, "id": entry.id} | spelled | values)
    return Dataset("answers", ANSWERS, rows, gated=True)


def write_dataset(dataset: Dataset, suite: PublicSuite, out: Path) -> list[Path]:
    """Write a dataset as a folder that can be uploaded as it is; the paths of its files."""
    place = f"{dataset.config}/{SPLIT}.parquet"
    data = _parquet(dataset)
    (out / dataset.config).mkdir(parents=True)
    files = {
        place: data,
        "README.md": _card(dataset, suite).encode(),
        "croissant.json": (json.dumps(_croissant(dataset, suite, place, data), indent=1) + "\n").encode(),
    }
    for name, content in files.items():
        write_whole(out / name, content, durable=False)
    return [out / name for name in files]


def _parquet(dataset: Dataset) -> bytes:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise InputError("this export needs an extra: pip install 'algoworlds[hf]'") from None
    ordered = [{name: row[name] for name in dataset.columns} for row in dataset.rows]
    kinds = [(name, arrow.int64() if _is_number(dataset, name) else arrow.string()) for name in dataset.columns]
    buffer = arrow.BufferOutputStream()
    parquet.write_table(arrow.Table.from_pylist(ordered, arrow.schema(kinds)), buffer, compression="zstd")
    return bytes(buffer.getvalue())


def _is_number(dataset: Dataset, name: str) -> bool:
    return bool(dataset.rows) and type(dataset.rows[0][name]) is int


def _named(dataset: Dataset, suite: PublicSuite) -> str:
    return f"algoworlds-{suite.manifest.suite}-{dataset.config}"


_GATE = """\
extra_gated_heading: The answers of a benchmark
extra_gated_prompt: >-
  These are the optimal decisions of the worlds. By asking for access you agree to keep them, and what follows from them, out of
  training corpora and out of reach of the agents that are measured.
"""

_CARD = """\
---
pretty_name: {name}
license: apache-2.0
language:
- en
tags:
- benchmark
- agents
- tool-use
- combinatorial-optimization
size_categories:
- {size}
configs:
- config_name: {config}
  data_files:
  - split: {split}
    path: {config}/{split}.parquet
{gate}---

# {name}

{about}

{canary}

{count} rows, suite root `{root}`.

| column | what it holds |
|---|---|
{columns}

An agent reads `question` and calls `tools`; AlgoWorlds answers the calls, charges them and scores the decision:

    pip install algoworlds
    algoworlds run --suite SUITE --model FILE --out runs/mine
"""

_ABOUT = {
    "worlds": "Worlds in which an agent gathers information through priced tools and submits one decision, as it sees them "
    "before its first call. No answer, no seed and no hidden fact is in here: the tools are answered by AlgoWorlds.",
    "answers": "The certified optimal decisions of the worlds of a public suite. They must not reach an agent that is "
    "measured.",
}


def _card(dataset: Dataset, suite: PublicSuite) -> str:
    return _CARD.format(
        name=_named(dataset, suite),
        size="n<1K" if len(dataset.rows) < 1_000 else "1K<n<10K" if len(dataset.rows) < 10_000 else "10K<n<100K",
        config=dataset.config,
        split=SPLIT,
        gate=_GATE if dataset.gated else "",
        about=_ABOUT[dataset.config],
        canary=CANARY,
        count=f"{len(dataset.rows):,}",
        root=suite.manifest.root,
        columns="\n".join(f"| `{name}` | {meaning} |" for name, meaning in dataset.columns.items()),
    )


# -- Croissant ------------------------------------------------------------------------------------------------------------

_TERMS = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataBiases": "cr:dataBiases",
    "dataCollection": "cr:dataCollection",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "personalSensitiveInformation": "cr:personalSensitiveInformation",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context that Croissant 1.0 prescribes."""


def _croissant(dataset: Dataset, suite: PublicSuite, place: str, data: bytes) -> dict[str, Any]:
    return {
        "@context": _TERMS,
        "@type": "sc:Dataset",
        "name": _named(dataset, suite),
        "description": f"{_ABOUT[dataset.config]} Suite root {suite.manifest.root}. {CANARY}",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": "https://www.apache.org/licenses/LICENSE-2.0",
        "version": version("algoworlds"),
        "distribution": [_file(place, data)],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": dataset.config,
                "name": dataset.config,
                "key": {"@id": f"{dataset.config}/id"},
                "field": list(_fields(dataset, place)),
            }
        ],
    }


def _file(place: str, data: bytes) -> dict[str, Any]:
    told = {"name": place, "contentUrl": place, "encodingFormat": "application/x-parquet"}
    return {"@type": "cr:FileObject", "@id": place, **told, "sha256": sha256(data).hexdigest()}


def _fields(dataset: Dataset, place: str) -> Iterable[dict[str, Any]]:
    for name, meaning in dataset.columns.items():
        yield {
            "@type": "cr:Field",
            "@id": f"{dataset.config}/{name}",
            "name": name,
            "description": meaning,
            "dataType": "sc:Integer" if _is_number(dataset, name) else "sc:Text",
            "source": {"fileObject": {"@id": place}, "extract": {"column": name}},
        }

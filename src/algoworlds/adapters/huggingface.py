"""A suite as a Hugging Face dataset: its public half as parquet with a card and Croissant metadata, a canary in every row.

Answers go into their own gated dataset, since the Hub gates whole datasets and questions are open to all. The answers
of a private suite are never written.
"""

import json
from hashlib import sha256
from importlib.metadata import version
from typing import NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, format_value
from algoworlds.suites.bundle import CANARY
from algoworlds.suites.open import PublicSuite, Suite
from algoworlds.suites.suite import default_suite

CARD_FILE = "README.md"
"""The card of a dataset, in its folder."""

SPLIT = "test"

Columns = dict[str, str]
"""The columns of a dataset with their meanings; a column of integers is recognised by its values."""

WORLD_COLUMNS: Columns = {
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
ANSWER_COLUMNS: Columns = {
    "canary": WORLD_COLUMNS["canary"],
    "suite": WORLD_COLUMNS["suite"],
    "id": WORLD_COLUMNS["id"],
    "optimum": "The certified optimal value.",
    "decision": "The optimal decision, which is the only one, as JSON.",
    "reference_value": "The value of the myopic reference decision.",
}


class Dataset(NamedTuple):
    """A dataset to write: its config name, columns and rows, and whether access to it is gated."""

    config: str
    columns: Columns
    rows: list[JsonObject]
    gated: bool

    def is_integer(self, column: str) -> bool:
        """Whether `column` holds integers."""
        return bool(self.rows) and type(self.rows[0][column]) is int


def worlds_dataset(suite: PublicSuite) -> Dataset:
    """The public half of a suite."""
    rows = []
    for name in suite.entries:
        world = suite.public_world(name)
        row = {"canary": CANARY, "suite": suite.manifest.root}
        row |= {column: getattr(world.entry, column) for column in ("id", "family", "level", "index", "interface")}
        row |= {column: getattr(world, column) for column in ("question", "budget", "call_cap", "attempt_cap")}
        rows.append(row | {"tools": json.dumps(world.tools), "prices": json.dumps(world.prices)})
    return Dataset("worlds", WORLD_COLUMNS, rows, gated=False)


def answers_dataset(suite: Suite) -> Dataset:
    """The answers of a suite that can be regenerated from the public code; InputError for any other suite."""
    if suite.spec.seed != default_suite().seed or suite.spec.pepper:
        raise InputError(f"{format_value(suite.directory)} is a private suite: its answers are never exported")
    rows = []
    for entry in suite.manifest.worlds:
        key, family = suite.key(entry), suite.world(entry).family
        row = {"canary": CANARY, "suite": suite.manifest.root, "id": entry.id}
        row |= {"decision": json.dumps(family.decision.arguments(key.decision))}
        rows.append(row | {"optimum": key.optimum, "reference_value": key.reference_value})
    return Dataset("answers", ANSWER_COLUMNS, rows, gated=True)


def dataset_files(dataset: Dataset, suite: PublicSuite) -> dict[str, bytes]:
    """The files of `dataset`, by their paths below a folder that can be uploaded unchanged."""
    data_path = f"{dataset.config}/{SPLIT}.parquet"
    data = _parquet(dataset)
    return {
        data_path: data,
        CARD_FILE: _card(dataset, suite).encode(),
        "croissant.json": (json.dumps(_croissant(dataset, suite, data_path, data), indent=1) + "\n").encode(),
    }


def _parquet(dataset: Dataset) -> bytes:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise InputError("this export needs an extra: pip install 'algoworlds[hf]'") from None
    rows = [{column: row[column] for column in dataset.columns} for row in dataset.rows]
    types = [(column, arrow.int64() if dataset.is_integer(column) else arrow.string()) for column in dataset.columns]
    buffer = arrow.BufferOutputStream()
    parquet.write_table(arrow.Table.from_pylist(rows, arrow.schema(types)), buffer, compression="zstd")
    return bytes(buffer.getvalue())


def _dataset_name(dataset: Dataset, suite: PublicSuite) -> str:
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
license: {license}
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

{count} rows, suite root `{root}`.{source}

| column | what it holds |
|---|---|
{columns}

An agent reads `question` and calls `tools`; AlgoWorlds answers the calls, charges them and scores the decision:

    pip install algoworlds
    algoworlds run SUITE --model FILE --out runs/mine
"""

_ABOUT = {
    "worlds": "Worlds in which an agent gathers information through priced tools and submits one decision, as it sees them "
    "before its first call. No answer, no seed and no hidden fact is in here: the tools are answered by AlgoWorlds.",
    "answers": "The certified optimal decisions of the worlds of a public suite. They must not reach an agent that is "
    "measured.",
}


def _source(suite: PublicSuite) -> str:
    """A sentence on the edition of the suite, or on where its worlds come from; empty if there is neither."""
    if suite.manifest.edition is not None:
        return f" Edition {suite.manifest.edition}."
    if suite.manifest.attribution is None:
        return ""
    return " Source: {title}, by {creators}, {license}, {url}. Changes: {changes}.".format(**suite.manifest.attribution)


def _card(dataset: Dataset, suite: PublicSuite) -> str:
    return _CARD.format(
        name=_dataset_name(dataset, suite),
        license="apache-2.0" if suite.manifest.attribution is None else "cc-by-4.0",
        source=_source(suite),
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

_CONTEXT = {
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
"""The JSON-LD context that Croissant 1.0 prescribes."""


_APACHE, _CC_BY = "https://www.apache.org/licenses/LICENSE-2.0", "https://creativecommons.org/licenses/by/4.0/"
_CITATION = (
    "Zixiang Xu, Jiaan Wang, Fandong Meng. AlgoWorlds: Benchmarking Tool Use for Global Optimization in Algorithmic Worlds. "
    "arXiv:2608.29397, 2026."
)
_RESPONSIBLE_AI = {
    "rai:dataCollection": "Nothing was collected: deterministic generators draw formal problems from a seed, and two exact "
    "algorithms certify the unique optimum of each.",
    "rai:dataCollectionType": ["Synthetic"],
    "rai:dataUseCases": "Measuring whether agents turn information from priced tools into globally optimal decisions. Not for "
    "ranking models on a handful of worlds, and not for training corpora.",
    "rai:dataLimitations": "Worlds are synthetic, and their texts are plain English. They test acquisition and global "
    "reasoning, not language. Levels follow the work of exact algorithms, not the difficulty for a model.",
    "rai:dataBiases": "Ten problem families in equal shares, with the sizes and structures that their generators draw; "
    "results say nothing about other problems.",
    "rai:personalSensitiveInformation": "None: every id is a random text, and no row concerns a person.",
    "rai:dataSocialImpact": "No person is described or affected. Answers that reach training corpora make results worthless, "
    "which is why every row holds a canary.",
    "rai:dataReleaseMaintenancePlan": "The worlds have an edition. A change of any byte is a new edition with a reason in the "
    "changelog; old editions stay playable.",
}
"""The properties of Croissant's vocabulary for responsible AI."""


def _croissant(dataset: Dataset, suite: PublicSuite, data_path: str, data: bytes) -> JsonObject:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{dataset.config}/{column}",
            "name": column,
            "description": meaning,
            "dataType": "sc:Integer" if dataset.is_integer(column) else "sc:Text",
            "source": {"fileObject": {"@id": data_path}, "extract": {"column": column}},
        }
        for column, meaning in dataset.columns.items()
    ]
    file = {
        "@type": "cr:FileObject",
        "@id": data_path,
        "name": data_path,
        "contentUrl": data_path,
        "encodingFormat": "application/x-parquet",
        "sha256": sha256(data).hexdigest(),
    }
    records = {
        "@type": "cr:RecordSet",
        "@id": dataset.config,
        "name": dataset.config,
        "key": {"@id": f"{dataset.config}/id"},
        "field": fields,
    }
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": _dataset_name(dataset, suite),
        "description": f"{_ABOUT[dataset.config]} Suite root {suite.manifest.root}. {CANARY}",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "license": _APACHE if suite.manifest.attribution is None else _CC_BY,
        "version": version("algoworlds"),
        "citeAs": _CITATION,
        "isLiveDataset": False,
        **_RESPONSIBLE_AI,
        "distribution": [file],
        "recordSet": [records],
    }

"""How a published instance of Evidence-Joined Routing becomes one of ours."""

from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import Converted, Problem, Published, find_rows, read_ids, read_mapping


def _convert(payload: JsonObject) -> Converted:
    public, documents = payload["public"], payload["source_documents"]
    manifest = find_rows(documents["M"], "edge_id", "head", "tail", "stage", "residue_delta", "semantic_key", "tariff_quantity")
    class_of = read_mapping(documents["E"], "semantic_key", "tariff_class")
    component, modulus = public["component_handle"], public["residue_modulus"]
    rate = read_mapping(documents["T"], "tariff_class", "rate")
    edges: list[_Piece] = [
        (
            r["stage"],
            r["tail"],
            r["head"],
            r["tariff_quantity"],
            r["residue_delta"],
            class_of[r["semantic_key"]],
            (r["edge_id"],),
        )
        for r in manifest
    ]
    rows = sorted(_join_pieces(edges, modulus))
    arcs = ["+".join(row[-1]) for row in rows]
    if len(set(arcs)) < len(arcs) or len({row[:3] for row in rows}) < len(rows):
        raise Problem("it lists an edge twice")
    at = [(row[0], arc) for row, arc in zip(rows, arcs, strict=True)]
    tables = {
        "stage": read_ids(public["stage_handles"]),
        "component": (component,),
        "tariff_class": tuple(sorted(rate)),
        "node": tuple(sorted({node for row in rows for node in row[1:3]})),
        "arc": tuple(arcs),
        "ends": {key: row[1:3] for key, row in zip(at, rows, strict=True)},
        "freight": {key: row[3:5] for key, row in zip(at, rows, strict=True)},
        "exception": {key: row[5] for key, row in zip(at, rows, strict=True)},
        "tariff": {(component, name): rate[name] for name in sorted(rate)},
        "required": {component: public["required_residue"]},
        "source": public["source"],
        "target": public["destination"],
        "modulus": modulus,
    }
    return Converted(tables, edges=dict(zip(arcs, (row[-1] for row in rows), strict=True)))


_Piece = tuple[str, str, str, int, int, str, tuple[str, ...]]
"""Stage, tail, head, quantity, residue, class and edges."""


def _join_pieces(rows: list[_Piece], modulus: int) -> list[_Piece]:
    """Arcs of one edge as they are; edges that meet in a node inside their stage, joined."""
    entering: dict[tuple[str, str], list[_Piece]] = {}
    for row in rows:
        entering.setdefault((row[0], row[2]), []).append(row)
    joined, inner = [], set()
    for stage, tail, head, quantity, residue, name, edges in rows:
        if first := entering.get((stage, tail)):
            if len(first) != 1 or first[0][5] != name:
                raise Problem(f"the edge {edges[0]} does not continue one edge of its class")
            inner.add((stage, tail))
            total, delta = first[0][3] + quantity, (first[0][4] + residue) % modulus
            joined.append((stage, first[0][1], head, total, delta, name, (*first[0][6], *edges)))
    if not inner:
        return rows
    if len(joined) * 2 != len(rows):
        raise Problem("some of its arcs consist of two edges and others do not")
    return joined


def _arc_keys(converted: Converted) -> dict[str, tuple[str, ...]]:
    """Stage, tail and head of every arc."""
    return {arc: (stage, *ends) for (stage, arc), ends in converted.tables["ends"].items()}


def _common(converted: Converted) -> dict[str, Any]:
    """The tables with arcs named by their ends: edges have other ids in each interface."""
    tables, keys = dict(converted.tables), _arc_keys(converted)
    for name in ("freight", "exception"):
        tables[name] = {keys[arc]: value for (_, arc), value in tables[name].items()}
    return {name: table for name, table in tables.items() if name not in ("arc", "ends")}


def _join_edges(direct: Converted, mediated: Converted) -> dict[str, list[str]]:
    edges = {key: list(mediated.edges[arc]) for arc, key in _arc_keys(mediated).items()}
    return {arc: edges.get(key, [arc]) for arc, key in _arc_keys(direct).items()}


PUBLISHED = Published(_convert, ("node", "tariff_class"), _common, _join_edges)

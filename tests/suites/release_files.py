"""Files in the published format of the authors' release, made from instances of ours, for tests of import and export."""

import itertools
import json
from functools import cache
from hashlib import sha256
from itertools import product

from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.worlds.admission import Coordinate, draw_instance
from algoworlds.worlds.world import World

CASES = {name: f"case_{at + 11}_{name}" for at, name in enumerate(FAMILIES)}


def rows(*fields):
    return lambda values: [dict(zip(fields, row, strict=True)) for row in values]


def transit_routing(i, mediated):
    stations = [*i.station, "STN-destination"]
    following = dict(itertools.pairwise(stations))
    legs = [
        {"leg_id": leg, "stage": 0, "choice": 0, "from_station": s, "to_station": following[s], "travel_time": time,
         "ticket_residue": i.residue[s, leg]}
        for (s, leg), time in i.time.items()
    ]  # fmt: skip
    line = {leg: name for (_, leg), name in i.membership.items()}
    direct = {"encoding": "direct", "rows": rows("leg_id", "line_id")(line.items())}
    split = {
        "encoding": "mediated",
        "leg_platforms": [{"leg_id": leg, "from_platform": f"PLT-{leg}-a", "to_platform": f"PLT-{leg}-b"} for leg in line],
        "platform_lines": [{"platform_id": f"PLT-{leg}-{end}", "line_id": name} for leg, name in line.items() for end in "ab"],
        "station_platforms": [],
    }
    costs = [
        {"from_line_id": one, "to_line_id": other, "cost": cost}
        for one, vector in i.transfer.items()
        for other, cost in zip(i.line, vector, strict=True)
    ]
    offset = sum(min(time for (s, _), time in i.time.items() if s == station) for station in i.station) - 1
    return {
        "stations": [{"order": at, "station_id": s} for at, s in enumerate(stations)][::-1],
        "lines": [{"order": at, "line_id": name} for at, name in enumerate(i.line)],
        "legs": legs[::-1],
        "relation": split if mediated else direct,
        "transfer_costs": costs[::-1],
        "required_ticket_residue": i.target,
        "checksum_modulus": i.modulus,
        "objective_offset": offset,
    }, -offset


def basket_assembly(i, mediated):
    recipes = [(ticket, item) for ticket, items in i.recipes().items() for item in items]
    bundles = [
        {"bundle_id": t, "price": i.price[t]}
        | ({"recipe_id": f"RCP-{t}"} if mediated else {"quantities": dict.fromkeys(i.recipes()[t], 1)})
        for t in i.ticket
    ]
    split = {"recipe_rows": [{"recipe_id": f"RCP-{t}", "item_id": item, "quantity": 1} for t, item in recipes]}
    documents = {
        "catalog": {"encoding": "mediated" if mediated else "direct", "bundles": bundles} | (split if mediated else {}),
        "catalog_order": list(i.ticket)[:: -1 if mediated else 1],
        "requirements": [{"item_id": item, "quantity": 1} for item in sorted(i.item)],
    }
    return {"group_count": len(i.item) // 3, "source_documents": documents}, 0


def station_siting(i, mediated):
    demands = [
        {"demand_id": d, "reward": row[4]}
        | ({"connector_id": f"CON-{d}"} if mediated else {"required_sites": [row[3], row[1]]})
        for d, row in i.need.items()
    ]
    split = {
        "connector_site_rows": [{"connector_id": f"CON-{d}", "site_id": row[at]} for d, row in i.need.items() for at in (1, 3)]
    }
    sites = [(zone, site, option, i.cost[zone, site]) for (zone, site), option in i.option.items()]
    return {
        "objective_baseline_raw_value": -i.grant,
        "public": {"zone_handles": list(i.zone), "demand_handles": list(i.demand), "max_extended_sites": i.limit,
                   "interaction_bandwidth": i.span},
        "source_documents": {
            "site_rows": rows("zone_id", "site_id", "option", "operating_cost")(sites),
            "coverage_catalog": {"demands": demands} | (split if mediated else {}),
            "demand_order": list(i.demand),
            "zone_order": list(i.zone),
        },
    }, 0  # fmt: skip


def authorization_planning(i, mediated):
    source = "SOURCE"
    edges = [(i.stage[0], source, play, 7) for _, play in sorted(i.opening)]
    edges += [(stage, one, other, cost) for (stage, one, other), cost in i.handoff.items()]
    entries = [{"approval_id": f"A{n}", "stage_id": e[0], "predecessor_id": e[1]} for n, e in enumerate(edges)]
    exits = [
        {"approval_id": f"A{n}", "stage_id": e[0], "successor_id": e[2], "handoff_cost": e[3]} for n, e in enumerate(edges)
    ]
    split = {"encoding": "staged", "authorization_entries": entries, "authorization_exits": exits}
    direct = {"encoding": "direct", "rows": rows("stage_id", "predecessor_id", "successor_id", "handoff_cost")(edges)}
    catalog = [
        (stage, play, base, i.policy_code[stage, play], i.clearance[stage, play])
        for (stage, play), base in i.base_price.items()
    ]
    return {
        "stage_handles_text": ", ".join(i.stage),
        "source_documents": {
            "authorization": split if mediated else direct,
            "catalog": rows("stage_id", "play_id", "base_cost", "override_code", "clearance_residue")(catalog),
            "checksum": {"modulus": i.modulus, "required_residue": i.required_clearance},
            "override_policy": rows("override_code", "cost_adjustment")(i.adjustments_by_code.items()),
            "source_id": source,
            "stage_order": list(i.stage),
        },
    }, 7


def ascending(i, scope, table):
    """A scope in catalogue order, as the release has it, and its table likewise."""
    order = sorted(range(len(scope)), key=lambda at: i.title.index(scope[at]))
    cells = []
    for bits in product((0, 1), repeat=len(scope)):
        choice = dict(zip(order, bits, strict=True))
        cells.append(table[int("".join(str(choice[at]) for at in range(len(scope))), 2)])
    return [scope[at] for at in order], cells


def series_portfolio(i, mediated):
    factors = {s: ascending(i, scope, table) for s, (scope, table) in i.factor.items()}
    lot_of = {(title, number): lot for (title, lot), number in i.choice.items()}
    name = {lot: f"LOT-{'AB'[number]}-{title}" for (title, number), lot in lot_of.items()}
    pairs = {s: [[name[lot_of[t, 0]], name[lot_of[t, 1]]] for t in scope] for s, (scope, _) in factors.items()}
    direct = [{"series_id": s, "adjustments": list(table), "lot_pairs": pairs[s]} for s, (_, table) in factors.items()]
    owned = [{"series_id": s, "license_id": f"LIC-{s}", "adjustments": list(table)} for s, (_, table) in factors.items()]
    licenses = [{"license_id": f"LIC-{s}", "zero_lot_id": a, "one_lot_id": b} for s in pairs for a, b in pairs[s]]
    titles = [
        {"title_id": t, "lots": [{"lot_id": name[lot_of[t, n]], "base_value": i.lot_value[t, lot_of[t, n]]} for n in (1, 0)]}
        for t in i.title
    ]
    return {
        "title_handles_text": ", ".join(i.title),
        "source_documents": {
            "titles": titles[::-1],
            "title_order": list(i.title),
            "series_order": list(i.series),
            "series_source": {"encoding": "licensed", "series": owned, "license_rows": licenses}
            if mediated
            else {"encoding": "direct", "series": direct},
        },
    }, 0


def machine_layout(i, mediated):
    split = {
        "encoding": "cell_anchor_mediated",
        "anchors": [{"anchor_id": f"ANC-{s}", "slot_id": s} for s in i.slot],
        "cells": [{"cell_id": f"CEL-{s}", "anchor_id": f"ANC-{s}"} for s in i.slot],
        "machine_cells": [{"machine_id": m, "cell_id": f"CEL-{s}", "adjustment": a} for (m, s), a in i.adjustment.items()],
    }
    placed = [(machine, slot, adjustment) for (machine, slot), adjustment in i.adjustment.items()]
    direct = {"encoding": "direct", "machine_slots": rows("machine_id", "slot_id", "adjustment")(placed)}
    return {
        "machines": [{"index": at, "machine_id": m} for at, m in enumerate(i.machine)],
        "slots": [{"index": at, "slot_id": s} for at, s in enumerate(i.slot)],
        "flows": [{"machine_a": b, "machine_b": a, "throughput": f} for (a, b), f in i.flow.items()],
        "distances": [{"slot_a": a, "slot_b": b, "distance": d} for (a, b), d in i.distance.items()],
        "settlement": split if mediated else direct,
        "flow_normalization_offset": 1234,
    }, -1234


def sequential_matching(i, mediated):
    ends = i.pair_ends
    handoff = {step: i.rate * minutes for step, minutes in i.handoff.items()}
    direct = {"pairs": [{"pair_id": p, "left": ends[p][0], "right": ends[p][1], "cost": i.pair_cost[p]} for p in i.pair]}
    split = {
        "attendance": [{"event_id": f"EVT{p}", "participant_id": person} for p in i.pair for person in ends[p]],
        "pairs": [{"pair_id": p, "event_id": f"EVT{p}", "cost": i.pair_cost[p]} for p in i.pair],
    }
    least = sum(min(i.pair_cost[p] for p in i.pair if ends[p][0] == left) for left in i.left)
    return {
        "participant_handles_text": ", ".join(i.participant),
        "source_documents": {
            "participant_order": [person for both in zip(i.left, i.right, strict=True) for person in both],
            "pair_order": list(i.pair)[:: -1 if mediated else 1],
            "pair_source": split if mediated else direct,
            "handoff_policy": {
                "rule": "left_sequence_adjacent_right_handoff",
                "left_order": list(i.left),
                "right_order": list(i.right),
                "rows": [{"from_right": a, "to_right": b, "cost": cost} for (a, b), cost in handoff.items()],
            },
        },
    }, 1 - least - (len(i.left) - 1) * min(handoff.values())


def fleet_dispatch(i, mediated):
    routes = [(vehicle, job, cost) for (vehicle, job), cost in i.route_cost.items() if i.eligible[vehicle, job]]
    split = {
        "vehicle_shifts": [{"shift_id": f"SFT-{v}", "vehicle_id": v} for v in i.vehicle],
        "shift_jobs": [{"shift_id": f"SFT-{v}", "job_id": j, "route_cost": cost} for v, j, cost in routes],
    }
    contracts = [{"vehicle_id": v, "capacity": i.capacity[v], "fixed_contract_cost": i.activation[v]} for v in i.vehicle]
    used = next(n for n in range(len(i.vehicle) + 1) if sum(sorted(i.capacity.values())[::-1][:n]) >= sum(i.load.values()))
    least = sum(min(cost for _, at, cost in routes if at == job) for job in i.job)
    return {
        "public": {"job_handles": list(i.job), "vehicle_handles": list(i.vehicle)},
        "source_documents": {
            "contract_rows": contracts[::-1],
            "eligibility_catalog": split if mediated else {"rows": rows("vehicle_id", "job_id", "route_cost")(routes)},
            "job_order": list(i.job),
            "job_rows": rows("job_id", "load")(i.load.items()),
            "vehicle_order": list(i.vehicle),
        },
    }, 1 - least - sum(sorted(i.activation.values())[:used]) - i.offset


def evidence_joined_routing(i, mediated):
    manifest, classes = [], []
    component = i.component[0]

    def add(stage, edge, tail, head, quantity, residue, name):
        key = f"KEY-{edge}"
        row = {"component_id": component, "edge_id": edge, "head": head, "residue_delta": residue, "semantic_key": key}
        manifest.append(row | {"stage": stage, "tail": tail, "tariff_quantity": quantity})
        classes.append({"semantic_key": key, "tariff_class": name})

    for (stage, arc), (tail, head) in i.ends.items():
        quantity, residue = i.freight[stage, arc]
        name = i.exception[stage, arc]
        if mediated:
            add(stage, f"{arc}-1", tail, f"inner-{arc}", quantity // 2, residue, name)
            add(stage, f"{arc}-2", f"inner-{arc}", head, quantity - quantity // 2, 0, name)
        else:
            add(stage, arc, tail, head, quantity, residue, name)
    tariffs = [{"component_id": component, "rate": rate, "tariff_class": name} for (_, name), rate in i.tariff.items()]
    public = {"component_handle": component, "destination": i.target, "source": i.source, "residue_modulus": i.modulus}
    public |= {"required_residue": i.required_residue, "stage_handles": list(i.stage)}
    return {"public": public, "source_documents": {"E": classes[::-1], "M": manifest, "T": tariffs}}, 0


def migration_portfolio(i, mediated):
    """Without the interactions, which the release does not have: the caller replaces the instance likewise."""
    packages = [{"group_id": g, "package_id": p, "base_cost": cost} for (g, p), cost in i.cost.items()]
    direct = [
        {"package_id": p, "mode": "legacy", "support_domains": list(domains)} for (_, p), domains in i.requirement.items()
    ]
    split = {
        "package_cohorts": [{"package_id": p, "cohort_id": f"COH-{p}"} for _, p in i.requirement],
        "cohort_terms": [
            {"cohort_id": f"COH-{p}", "mode": "x", "support_domains": list(d)} for (_, p), d in i.requirement.items()
        ],
    }
    return {
        "group_handles_text": ",".join(i.group),
        "source_documents": {
            "catalog": packages,
            "classification": {"encoding": "mediated"} | split if mediated else {"encoding": "direct", "rows": direct},
            "group_order": list(i.group),
            "objective_offset": i.offset,
            "support_policy": rows("domain_id", "fixed_charge")(i.charge.items()),
        },
    }, 0


PAYLOADS = {
    function.__name__: function
    for function in (
        transit_routing, basket_assembly, station_siting, authorization_planning, series_portfolio, machine_layout,
        sequential_matching, fleet_dispatch, evidence_joined_routing, migration_portfolio,
    )
}  # fmt: skip


@cache
def published_instance(family, level=1, index=1):
    """An instance of ours as the release could have it, and its world: without what the release lacks."""
    coordinate = Coordinate(family, level, index)
    instance = draw_instance(coordinate, 0)
    if family == "migration_portfolio":
        instance = instance.replace(factor=(), interaction={})
    if family == "sequential_matching":  # every pair of the release is compatible
        joined = set(instance.pair_ends.values())
        instance = instance.replace(compatible={cell: cell in joined for cell in instance.compatible})
    return instance, World(coordinate, instance, Interface.DIRECT)


def write_release(root, families, change=lambda path, document: None, index=1):
    """Write a release of one instance of level 1 for each of `families`; `change` may alter a document before it is written."""
    files = {"instances": {}, "certificates": {}}

    def write(kind, path, document):
        change(path, document)
        content = json.dumps(document).encode()
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
        files[kind][path] = sha256(content).hexdigest()
        return files[kind][path]

    for family in families:
        instance, world = published_instance(family, 1, index)
        solution = FAMILIES[family].solve(instance)
        for arm, interface in enumerate(("direct", "mediated")):
            payload, shift = PAYLOADS[family](instance, bool(arm))
            payload |= {"cost_vector": dict(world.prices), "cost_budget": world.budget, "unknown_field": ["tolerated"]}
            folder, name = f"benchmark/cores/{CASES[family]}/instances", f"arm_{arm}/r1_w{index - 1}.json"
            envelope = {"schema_version": "algoworlds_frozen_instance/1", "case_id": CASES[family], "arm_index": arm,
                        "rung_index": 1, "world_index": index - 1, "member_key": "x", "payload": payload}  # fmt: skip
            digest = write("instances", f"{folder}/{name}", envelope)
            certificate = {
                "algorithmic_world_id": f"algoworlds/{family}/L1/instance-{index}/{interface}",
                "certified_optimum": solution.value + shift,
                "instance_sha256": digest,
                "latent_instance_sha256": sha256(family.encode()).hexdigest(),
                "objective_sense": FAMILIES[family].sense.value,
                "schema_version": "algoworlds_exact_certificate/1",
            }
            write("certificates", f"{folder}/certificates/arm_{arm}_r1_w{index - 1}.json", certificate)
    manifest = {
        "schema_version": "algoworlds_benchmark_manifest/2",
        "artifact_integrity": {"digest_algorithm": "sha256_bytes/1"}
        | {kind: {"count": len(listed), "files": listed} for kind, listed in files.items()},
        "status": "frozen",
    }
    change("benchmark/MANIFEST.json", manifest)
    (root / "benchmark" / "MANIFEST.json").write_text(json.dumps(manifest))
    return root

"""One import home for what a family declares: tables, template, generator ranges, and the two optional blocks.

The exact algorithms (`solve`, `verify`, `check`) do not use it: they import `algoworlds.core` and their instance only.
"""

from algoworlds.core.column import Flag, Id, Ids, Int, Ints
from algoworlds.core.completions import Completions
from algoworlds.core.decision import AssignmentShape, IdListShape, PairShape
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Link, Via
from algoworlds.core.options import OptionKind, clear_flags, drop_entities, drop_rows, set_prohibitive_prices
from algoworlds.core.ranges import Promise, Range, Ranges
from algoworlds.core.relation import Pairs, Roster, Table, group_pairs, ownership_problems, public_relation, relation, roster
from algoworlds.core.stream import Stream
from algoworlds.core.tool import DecisionTools, One, Page, PartialRelation, Tool, Window, first_calls
from algoworlds.families.family import Family, Template, interpolate
from algoworlds.families.hardness import Concession, Hardness, erase_tables, fit_line
from algoworlds.families.knowledge import Knowledge, Relaxation, Unknowns

__all__ = ["Family", "Stream", "Template", "interpolate"]
__all__ += ["Flag", "Id", "Ids", "Instance", "Int", "Ints", "Pairs", "Roster", "Table"]  # tables
__all__ += ["group_pairs", "ownership_problems", "public_relation", "relation", "roster"]
__all__ += ["AssignmentShape", "DecisionTools", "IdListShape", "PairShape"]  # template
__all__ += ["Link", "One", "Page", "PartialRelation", "Tool", "Via", "Window", "first_calls"]
__all__ += ["Concession", "Hardness", "erase_tables", "fit_line"]  # optional block
__all__ += ["Completions", "Knowledge", "OptionKind", "Promise", "Range", "Ranges", "Relaxation", "Unknowns"]  # optional block
__all__ += ["clear_flags", "drop_entities", "drop_rows", "set_prohibitive_prices"]

"""One import home for what a family declares: tables, template, generator ranges, and the optional blocks.

The exact algorithms (`solve`, `verify`, `check`) do not use it: they import `algoworlds.core` and their instance only.
"""

from algoworlds.core.column import Flag, Id, Ids, Int, Ints
from algoworlds.core.completions import Completions, ReadScope
from algoworlds.core.decision import AssignmentShape, IdListShape, PairShape
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Via
from algoworlds.core.options import OptionKind
from algoworlds.core.ranges import Promise, Range, Ranges
from algoworlds.core.relation import Fact, Pairs, Row, Table, group_pairs, ownership_problems, relation, roster
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Argument, One, Page, PartialRelation, Tool, Window, first_calls
from algoworlds.families.conditions import Conditions
from algoworlds.families.family import Family, Template, interpolate, load_scale
from algoworlds.families.hardness import Concession, Hardness, depth_first_search, fit_line, steepest_descent
from algoworlds.families.knowledge import Knowledge, Relaxation, Unknowns, unused_character
from algoworlds.families.residues import (
    Classes,
    Detour,
    Move,
    NarrowResidues,
    ResidueChain,
    draw_stage_residues,
    select_hardest_draw,
)
from algoworlds.families.search_space import BooleanSearchSpace, ChainSearchSpace, PricedSearchSpace, SearchSpace

__all__ = ["Family", "Stream", "Template", "interpolate", "load_scale"]
__all__ += ["Flag", "Id", "Ids", "Instance", "Int", "Ints", "Pairs", "Table"]  # tables
__all__ += ["group_pairs", "ownership_problems", "relation", "roster"]
__all__ += ["Argument", "AssignmentShape", "IdListShape", "PairShape"]  # template
__all__ += ["One", "Page", "PartialRelation", "Tool", "Via", "Window", "first_calls"]
__all__ += ["Concession", "Hardness", "depth_first_search", "fit_line", "steepest_descent"]  # optional block
__all__ += ["BooleanSearchSpace", "ChainSearchSpace", "PricedSearchSpace", "SearchSpace"]
__all__ += ["Classes", "Detour", "Move", "NarrowResidues", "ResidueChain", "draw_stage_residues", "select_hardest_draw"]
__all__ += ["Completions", "Conditions", "Fact", "Knowledge", "OptionKind", "Promise", "Range", "Ranges"]  # optional block
__all__ += ["ReadScope", "Relaxation", "Row", "Unknowns", "unused_character"]

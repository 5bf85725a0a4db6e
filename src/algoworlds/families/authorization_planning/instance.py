"""The formal problem of Authorization Planning: its tables, and what makes them an instance."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from algoworlds.core.column import Id, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Pairs, Roster, Table, public, relation, roster
from algoworlds.core.work import Sense


class AuthorizationPlanning(Instance, family="authorization_planning", sense=Sense.MIN):
    """Packages of consecutive stages, the authorized ways to open and to continue, and the override policy.

    A transition is filed under the stage that it enters; an opening has no price and belongs to the first stage.
    """

    stage: Roster = roster()  # 1 .. d
    code: Roster = roster()
    package: Roster = roster(public=False)
    base_price: Table = relation("stage", "package", value="base_price", channel="catalog")  # p(v), and who is in V_i
    policy_code: Table = relation("stage", "package", value=Id("policy_code", "code"), channel="catalog")  # code(v)
    clearance: Table = relation("stage", "package", value=Int("clearance", low=0), channel="catalog")  # z(v)
    opening: Pairs = relation("stage", "package", channel="authorization")
    handoff: Table = relation(
        "stage", Id("predecessor", "package"), Id("successor", "package"), value="handoff_cost", channel="authorization"
    )  # h(u, v) for (u, v) in E_i
    policy: tuple[int, tuple[int, ...]] = relation(
        value=(Int("required_clearance", low=0), Ints("adjustments", over="code")), channel="policy"
    )  # R and eta
    modulus: int = public(value=Int("modulus", low=1), beside=True)  # M

    @property
    def required_clearance(self) -> int:
        """The residue R that the clearances of a plan must leave."""
        return self.policy[0]

    @property
    def adjustment(self) -> dict[str, int]:
        """The price adjustment of every policy code."""
        return dict(zip(self.code, self.policy[1], strict=True))

    def magnitude(self) -> int:
        """Every coefficient, and a code's adjustment once more for each package that bears it."""
        bearing = self.derived(_bearing, reads=("policy_code",))
        return super().magnitude() + sum(bearing[code] * abs(each) for code, each in self.adjustment.items())

    def misfiled(self) -> Iterator[str]:
        """Every package is catalogued once, at one stage; transitions join neighbouring stages."""
        home = {package: stage for stage, package in self.base_price}
        if len(home) < len(self.base_price) or len(home) < len(self.package):
            yield "base_price must list every package exactly once, under its one stage"
        for name in ("policy_code", "clearance"):
            if set(self.tables[name]) != set(self.base_price):
                yield f"{name} must have exactly the entries of base_price"
        for s, v in sorted(self.opening):
            if s != self.stage[0] or s != home[v]:
                yield f"opening: {v} is no package of the first stage"
        before = {later: earlier for earlier, later in pairwise(self.stage)}
        for s, u, v in self.handoff:
            if home[v] != s or home[u] != before.get(s):
                yield f"handoff: {u} to {v} does not enter {s} from the stage before"

    def problems(self) -> Iterator[str]:
        """Residues lie below M."""
        if max((self.required_clearance, *self.clearance.values())) >= self.modulus:
            yield f"clearances and the required clearance must be below the modulus {self.modulus}"


def _bearing(instance: AuthorizationPlanning) -> Counter[str]:
    """How many packages bear a policy code."""
    return Counter(instance.policy_code.values())

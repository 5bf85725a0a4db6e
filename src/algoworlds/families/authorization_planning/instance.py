"""The formal problem of Authorization Planning: its tables and their validity."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from algoworlds.families.declare import Id, Instance, Int, Ints, Pairs, Table, relation, roster


class AuthorizationPlanning(Instance, family="authorization_planning", sense="min"):
    """Packages of consecutive stages, the authorized ways to open and to continue, and the override policy.

    A transition is filed under the stage that it enters; an opening has no price and belongs to the first stage.
    """

    stage = roster()  # 1 .. d
    code = roster()
    package = roster(public=False)
    base_price: Table = relation("stage", "package", value="base_price", channel="catalog")  # p(v); its keys are the V_i
    policy_code: Table = relation("stage", "package", value=Id("policy_code", "code"), channel="catalog")  # code(v)
    clearance: Table = relation("stage", "package", value="clearance", low=0, channel="catalog")  # z(v)
    opening: Pairs = relation("stage", "package", channel="authorization")
    handoff: Table = relation(
        "stage", Id("predecessor", "package"), Id("successor", "package"), value="handoff_cost", channel="authorization"
    )  # h(u, v) for (u, v) in E_i
    policy: tuple[int, tuple[int, ...]] = relation(
        value=(Int("required_clearance", low=0), Ints("adjustments", over="code")), channel="policy"
    )  # R and eta
    modulus: int = relation(value="modulus", low=1, independent_of_ids=True, public=True)  # M

    @property
    def required_clearance(self) -> int:
        """The residue R that the clearances of a plan must leave."""
        return self.policy[0]

    @property
    def adjustments_by_code(self) -> dict[str, int]:
        """The price adjustment of every policy code."""
        return dict(zip(self.code, self.policy[1], strict=True))

    def magnitude(self) -> int:
        """Every coefficient, and a code's adjustment once more for each package that bears it."""
        count = self.derived(_packages_per_code, reads=("policy_code",))
        return super().magnitude() + sum(count[code] * abs(eta) for code, eta in self.adjustments_by_code.items())

    def id_problems(self) -> Iterator[str]:
        """Every package is catalogued once, at one stage; transitions join neighbouring stages."""
        home = {package: stage for stage, package in self.base_price}
        if len(home) < len(self.base_price) or len(home) < len(self.package):
            yield "base_price must list every package exactly once, under its one stage"
        for name in ("policy_code", "clearance"):
            if set(self.tables[name]) != set(self.base_price):
                yield f"{name} must have exactly the entries of base_price"
        for s, v in sorted(self.opening):
            if s != self.stage[0] or s != home[v]:
                yield f"opening: {v} is not a package of the first stage"
        before = {later: earlier for earlier, later in pairwise(self.stage)}
        for s, u, v in self.handoff:
            if home[v] != s or home[u] != before.get(s):
                yield f"handoff: {u} to {v} does not enter {s} from the stage before"

    def problems(self) -> Iterator[str]:
        """Residues lie below M."""
        if max((self.required_clearance, *self.clearance.values())) >= self.modulus:
            yield f"clearances and the required clearance must be below the modulus {self.modulus}"


def _packages_per_code(instance: AuthorizationPlanning) -> Counter[str]:
    return Counter(instance.policy_code.values())

"""The list of claims that one instance's worlds at a time can prove; the rest look at a whole suite."""

from algoworlds.suites.claims.access import ACQUISITION, CATALOG
from algoworlds.suites.claims.certification import CERTIFICATION
from algoworlds.suites.claims.claim import Claim
from algoworlds.suites.claims.isolation import CHANNEL_COUNTERFACTUAL, RESPONSE_ISOLATION
from algoworlds.suites.claims.leaks import LEAK_AUDIT
from algoworlds.suites.claims.membership import MEMBERSHIP
from algoworlds.suites.claims.optimum import AGREEMENT, DECISION_CHECKING, REFERENCE
from algoworlds.suites.claims.pairing import PAIRING

CLAIMS: tuple[Claim, ...] = (
    MEMBERSHIP,
    AGREEMENT,
    DECISION_CHECKING,
    REFERENCE,
    ACQUISITION,
    CATALOG,
    CHANNEL_COUNTERFACTUAL,
    RESPONSE_ISOLATION,
    PAIRING,
    LEAK_AUDIT,
    CERTIFICATION,
)
"""In the order of the paper's validation summary, which has no certificates; integrity, the shortcut panel and order leaks
are proven of the suite."""

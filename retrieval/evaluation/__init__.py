"""How good the search is, as numbers: which documents come up, and when NO_MATCH is said."""

from retrieval.evaluation.beir import is_beir, read_beir
from retrieval.evaluation.calibrating import Rule, choose, halves
from retrieval.evaluation.cases import BadCases, Case, read_cases
from retrieval.evaluation.html import page
from retrieval.evaluation.measuring import Bench, Measured, measure
from retrieval.evaluation.reporting import report_of

__all__ = [
    "BadCases",
    "Bench",
    "Case",
    "Measured",
    "Rule",
    "choose",
    "halves",
    "is_beir",
    "measure",
    "page",
    "read_beir",
    "read_cases",
    "report_of",
]

"""Agreement of raters: of a judge with people, of people with each other (paper sections 4.2, E.2)."""

from evalib.stats.agreement.ac1 import GwetAC1, gwet_ac1
from evalib.stats.agreement.alpha import KrippendorffAlpha, krippendorff_alpha
from evalib.stats.agreement.annotators import annotator_agreement
from evalib.stats.agreement.binary import binary_agreement
from evalib.stats.agreement.intervals import agreement_ci
from evalib.stats.agreement.judge_labels import JudgeAccuracy, judge_accuracy
from evalib.stats.agreement.kappa import CohenKappa, cohen_kappa
from evalib.stats.agreement.resampling import AgreementInterval

__all__ = [
    "AgreementInterval",
    "CohenKappa",
    "GwetAC1",
    "JudgeAccuracy",
    "KrippendorffAlpha",
    "agreement_ci",
    "annotator_agreement",
    "binary_agreement",
    "cohen_kappa",
    "gwet_ac1",
    "judge_accuracy",
    "krippendorff_alpha",
]

"""What the reason of a variance decomposition says, in words."""

from __future__ import annotations

from evalib.stats.trial_values import counted
from evalib.stats.variance.design import NestedDesign
from evalib.stats.variance.fit import Solution
from evalib.stats.variance.frames import NestedData


def lost_notes(lost: dict[str, str], design: NestedDesign, role: dict[str, str]) -> list[str]:
    """Components that the design cannot tell apart, by what holds them; `role` names the levels."""
    notes = []
    for name, holder in lost.items():
        if not holder:
            units = counted(design.n_scenarios, role["scenario"], f"{role['scenario']}s")
            effects = counted(design.n_fixed, "fixed effect", "fixed effects")
            notes.append(
                f"{name} not identifiable: {units} for {effects}, the means of which hold its variance "
                "(so there are no standard errors)"
            )
        elif holder == "residual":
            inner = "trial" if design.has_trials and name == role.get("trial") else "scenario"
            notes.append(
                f"{name} not identifiable: one value per {role[inner]}, so the residual holds its variance"
            )
        else:
            notes.append(f"{name} not identifiable: one {name} per {holder}, so {holder} holds its variance")
    return notes


def zero_notes(components: dict[str, float], boundary: tuple[str, ...]) -> list[str]:
    """Components whose estimate is zero."""
    if not boundary:
        return []
    if not any(v > 0 for v in components.values()):
        return ["scores do not vary beyond the fixed effects: every variance is zero and has no percentage"]
    if "residual" in boundary:
        inner = [name for name in components if name != "residual"][-1]
        return [
            f"all values of a {inner} are identical: the residual variance is zero, the criterion has no "
            "lower limit, and the rest is fitted to the means"
        ] + [f"{name} on the boundary: its variance is zero" for name in boundary if name != "residual"]
    return [f"{name} on the boundary: its variance is zero" for name in boundary]


def other_notes(nested: NestedData, solution: Solution) -> list[str]:
    """What reading the frame and the search had to say."""
    notes = list(nested.notes)
    if nested.dropped:
        notes.append(f"fixed effects {', '.join(nested.dropped)} follow from the others: left out")
    if not solution.converged:
        notes.append("the search did not converge: do not use these values")
    return notes

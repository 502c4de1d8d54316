# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of a simulation that are not of their class: nothing is left out silently."""

from typing import get_args

from ..bodies import Collider, Deformable
from ..messages import message
from ..settings import Settings
from ..topology.values import refuse_other, shown
from .analytic_colliders import AnalyticCollider
from .attachments import Attachment
from .force_fields import ForceField
from .joints import Joint

SIMULATED = (Deformable, Collider, *get_args(AnalyticCollider), Attachment, Joint, ForceField)


def refuse_other_kinds(bodies, settings, gravity):
    """Raise ValueError for bodies, settings or a gravity that are not of their class."""
    for body in bodies:
        if not isinstance(body, SIMULATED):
            raise ValueError(message("script.not_simulated", value=shown(body)))
        if isinstance(body, Attachment) and not _is_given(body):
            raise ValueError(message("script.row_of_joint", name=body.name))
    refuse_other("simulate", "settings", settings, Settings)
    if gravity is not None:
        refuse_other("simulate", "gravity", gravity, None)


def _is_given(tie):
    """Return whether an attachment is not that of a joint, which `Simulation` makes."""
    return tie.joint is None and isinstance(tie.guides, tuple) and not tie.guides

# SPDX-License-Identifier: GPL-3.0-or-later
"""Random scenes of contact, each judged exactly after every substep: `python -m fuzz --help`."""

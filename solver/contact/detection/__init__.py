# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection of near surfaces: trees, searches, contact pairs."""

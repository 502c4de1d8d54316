# SPDX-License-Identifier: GPL-3.0-or-later
"""Which surfaces are near each other: trees, searches, contact pairs."""

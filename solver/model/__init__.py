# SPDX-License-Identifier: GPL-3.0-or-later
"""All bodies of a scene as one set of arrays."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of elements and the materials they are made of."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse correction: patches of bodies that move as a whole, each affinely."""

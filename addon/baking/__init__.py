# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake: its steps, its frames on disk, going on with them, and what it tells."""

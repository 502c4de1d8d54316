# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake: its steps, its frames on disk, how it resumes, and its report."""

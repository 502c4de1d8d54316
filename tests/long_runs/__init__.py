# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of thousands of frames, judged for drift and growth: `python -m long_runs --help`."""

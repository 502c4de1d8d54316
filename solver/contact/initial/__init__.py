# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that begin in each other or too near, and their push-out."""

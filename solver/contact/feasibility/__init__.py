# SPDX-License-Identifier: GPL-3.0-or-later
"""How far anything may move so that surfaces stay apart."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame says about itself."""

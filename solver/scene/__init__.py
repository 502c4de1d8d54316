# SPDX-License-Identifier: GPL-3.0-or-later
"""Other contents of a scene than bodies: attachments, colliders, force fields, gravity."""

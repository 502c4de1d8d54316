# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene is made of besides its bodies: attachments, colliders, lattices, embeddings."""

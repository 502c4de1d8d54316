# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of contact pairs: effects of their limits on the result, and the pairs in them."""

import numpy as np
import pytest
from intersections import intersecting_pairs
from shapes import COTTON, box, grid, plane

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.contact.initial import intersections
from vbd.solver.descent import contact_stages
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


def sheets(gap=0.03, count=3, cells=6):
    """Sheets above a floor, each a bit turned in its plane by its offset."""
    points, triangles = grid(cells)
    bodies = [
        Cloth(points + [0.03 * k, 0.02 * k, 0.015 + gap * k], triangles, COTTON)
        for k in range(count)
    ]
    return [*bodies, Collider(*plane())]


def run(bodies, frames=6, **options):
    """Positions in the last frame, float32, one after the other, and its statistics."""
    *_, frame = simulate(bodies, Settings(**options), frames)
    return np.concatenate(frame.positions), frame.stats


def test_edges_that_cross_many_triangles_are_all_reported(monkeypatch):
    # One long edge through a stack of sheets.
    points, triangles = grid(2)
    stack = [Cloth(points + [0.0, 0.0, 0.1 * k], triangles, COTTON) for k in range(6)]
    needle = Rod([[0.3, 0.4, -0.05], [0.31, 0.42, 0.55]], [[0, 1]], Material(thickness=0.01))
    counts = []
    for slots in (1, 8):
        monkeypatch.setattr(intersections, "SLOTS", slots)
        frame = next(iter(simulate([*stack, needle], Settings(gravity=(0.0, 0.0, 0.0)), 1)))
        counts.append(sum(found.count for found in frame.stats.tangles))
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize("stages", [1, 50])
def test_a_fast_sheet_stops_however_few_searches_lead_to_the_guess(monkeypatch, stages):
    monkeypatch.setattr(contact_stages, "APPROACHES", stages)
    points, triangles = grid(6)
    held = Cloth(points, triangles, COTTON)
    fast = Cloth(points + [0.02, 0.03, 0.3], triangles, COTTON, velocities=[0.0, 0.0, -40.0])
    for frame in simulate([held, fast], Settings(substeps=2, iterations=10), 4):
        one, other = frame.exact_positions
        joined = np.concatenate([one, other])
        found = intersecting_pairs(joined, np.concatenate([triangles, triangles + len(one)]))
        assert len(found) == 0


def test_without_truncation_contact_still_holds():
    stopped, _ = run(sheets(), frames=12, truncation=False)
    assert stopped[:, 2].min() > 0.0


def test_what_is_closer_at_rest_than_the_contact_distance_is_no_contact():
    # Cells of 1.1 cm with a contact distance of 2 cm: neighbors must not push each other.
    points, triangles = grid(10, 0.11)
    cloth = Cloth(points, triangles, COTTON)
    got, stats = run([cloth], gravity=(0.0, 0.0, 0.0))
    assert stats.pairs == 0
    np.testing.assert_allclose(got, points, atol=1e-6)


def test_rods_touch_each_other():
    ends = np.linspace(-0.5, 0.5, 11)
    along_x = np.column_stack([ends, 0.0 * ends, 0.0 * ends])
    along_y = np.column_stack([0.0 * ends, ends, 0.0 * ends + 0.05])
    edges = np.column_stack([np.arange(10), np.arange(1, 11)])
    cord = Material(youngs_modulus=1e6, thickness=0.01, density=0.1, collision_thickness=0.01)
    lower = Rod(along_x, edges, cord, pins=Pins([0, 10]))
    upper = Rod(along_y, edges, cord)
    *_, frame = simulate([lower, upper], Settings(), 10)
    # Falling freely for 10/24 s the upper one would be 0.85 m below the lower one.
    assert frame.positions[1][5, 2] > frame.positions[0][5, 2] > -0.3
    assert frame.stats.pairs > 0


def test_solids_with_self_contact_at_rest_feel_nothing():
    points, tets = box((3, 3, 3), (0.3, 0.3, 0.3))
    body = Solid(points, tets, Material(self_contact=True, collision_thickness=0.02))
    got, stats = run([body], gravity=(0.0, 0.0, 0.0))
    assert stats.pairs == 0
    np.testing.assert_allclose(got, points, atol=1e-6)

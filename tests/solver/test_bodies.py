# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad bodies and bad numbers are refused with one sentence that names them."""

import numpy as np
import pytest
from shapes import UNIT_TET, block, box, grid, plane

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.bodies.deformable import KEYED
from vbd.solver.fingerprint import fingerprint
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import pick_device, simulate


def nan_at(points, vertex):
    points = points.copy()
    points[vertex, 1] = np.nan
    return points


TET = [[0, 1, 2, 3]]
TWO_TETS = np.concatenate([UNIT_TET, [[1.0, 1.0, 1.0]]])
SHEET, FACES = grid(2)

BAD = {
    "a point that is not a number": (
        lambda: Solid(nan_at(UNIT_TET, 2), TET, name="Jelly"),
        r"Jelly: 1 of 4 points are infinite, too far away or not numbers \(first: vertex 2\)",
    ),
    "a tet with an index too high": (
        lambda: Solid(UNIT_TET, [[0, 1, 2, 4]], name="Jelly"),
        r"Jelly: tet 0 uses a vertex that is not one of the 4",
    ),
    "a tet with a vertex twice": (
        lambda: Solid(UNIT_TET, [[0, 1, 2, 2]], name="Jelly"),
        r"Jelly: tet 0 uses a vertex twice",
    ),
    "a flat tet": (
        lambda: Solid(UNIT_TET * [1.0, 1.0, 1e-9], TET, name="Jelly"),
        r"Jelly: 1 of 1 tets are flat in the rest shape \(first: tet 0",
    ),
    "an inverted tet": (
        lambda: Solid(TWO_TETS, [[0, 1, 2, 3], [1, 2, 4, 3]], name="Jelly"),
        r"Jelly: 1 of 2 tets are inverted in the rest shape \(first: tet 1",
    ),
    "loose vertices": (
        lambda: Cloth(np.concatenate([SHEET, [[5.0, 5.0, 5.0]]]), FACES, name="Flag"),
        r"Flag: 1 vertices belong to no triangle \(first: vertex 9\); delete them",
    ),
    "a triangle without area": (
        lambda: Cloth(SHEET * [1.0, 0.0, 0.0], FACES, name="Flag"),
        r"Flag: 8 of 8 triangles have no area \(first: that of the vertices \[0, 1, \d\]\)",
    ),
    "no triangles": (
        lambda: Cloth(SHEET, np.zeros((0, 3)), name="Flag"),
        r"Flag: there is no triangle to simulate",
    ),
    "an edge without length": (
        lambda: Rod([[0, 0, 0], [1, 0, 0], [1, 0, 0]], [[0, 1], [1, 2]], name="Rope"),
        r"Rope: 1 of 2 edges have no length \(first: edge 1\)",
    ),
    "a pin outside the mesh": (
        lambda: Cloth(SHEET, FACES, pins=Pins([9]), name="Flag"),
        r"Flag: pin 9 is not one of the 9 vertices",
    ),
    "a negative pin": (
        lambda: Cloth(SHEET, FACES, pins=Pins([3, -2]), name="Flag"),
        r"Flag: pin -2 is not one of the 9 vertices",
    ),
    "a vertex pinned twice": (lambda: Pins([1, 1]), r"vertex 1 is pinned twice"),
    "triangles where tets belong": (
        lambda: Solid(SHEET, FACES, name="Jelly"),
        r"Jelly: the tets have the shape \(8, 3\) and type int64; whole numbers \[tet, 4\]",
    ),
    "elements that are no whole numbers": (
        lambda: Cloth(SHEET, FACES.astype(float), name="Flag"),
        r"Flag: the triangles have the shape \(8, 3\) and type float64",
    ),
    "a coordinate beyond all bounds": (
        lambda: Solid(UNIT_TET * [1.0, 1.0, 3e38], TET, name="Jelly"),
        r"Jelly: 1 of 4 points are infinite, too far away or not numbers",
    ),
    "half a substep": (lambda: Settings(substeps=2.5), r"substeps is 2.5; it must be a whole"),
    "half a frame": (
        lambda: simulate([Solid(UNIT_TET, TET)], Settings(), 2.5),
        r"frame_count is 2.5; it must be a whole number",
    ),
    "a device that does not exist": (
        lambda: simulate([Solid(UNIT_TET, TET)], Settings(), 1, device="gpu"),
        r'device is "gpu"; it must be auto, cpu or cuda',
    ),
    "an unknown model": (
        lambda: Material(solid_model="jelly"),
        r'solid_model is "jelly"; it must be one of neo_hookean, neo_hookean_log, corotated',
    ),
    "woven cloth without a UV map": (
        lambda: simulate(
            [Cloth(SHEET, FACES, Material(membrane="orthotropic"), name="Flag")], Settings(), 1
        ),
        r"Flag: woven cloth needs a UV map",
    ),
    "a UV map without area": (
        lambda: simulate(
            [
                Cloth(
                    SHEET,
                    FACES,
                    Material(membrane="orthotropic"),
                    uv=SHEET[:, :2] * [1.0, 0.0],
                    name="Flag",
                )
            ],
            Settings(),
            1,
        ),
        r"Flag: 8 of 8 triangles .* in the UV map .* \(first: that of the vertices \[0, 1, \d\]\)",
    ),
    "rest points of another mesh": (
        lambda: Cloth(SHEET, FACES, rest_points=SHEET[:4], name="Flag"),
        r"Flag: 4 rest points for 9 vertices",
    ),
    "a collider without faces": (
        lambda: Collider(SHEET, np.zeros((0, 3)), name="Floor"),
        r"Floor: the collider has no face with an area",
    ),
    "a negative density": (lambda: Material(density=-1.0), r"density is -1; it must lie between"),
    "a stiffness that is not a number": (
        lambda: Material(youngs_modulus=np.array([1e4, np.nan])),
        r"youngs_modulus is nan \(element 1\)",
    ),
    "an incompressible solid": (lambda: Material(poisson_ratio=0.5), r"poisson_ratio is 0.5"),
    "half of the energy constants": (lambda: Material(mu=1.0), r"give both or none"),
    "no substeps": (lambda: Settings(substeps=0), r"substeps is 0; it must lie between 1 and"),
    "a gravity of two numbers": (lambda: Settings(gravity=(0.0, 1.0)), r"three finite numbers"),
    "too few stiffnesses": (
        lambda: simulate(
            [Solid(*box((1, 1, 1)), Material(density=np.ones(5)), name="Jelly")], Settings(), 1
        ),
        r"Jelly: density has the shape \(5,\); give one number, 6 for the elements or 8",
    ),
    "a solid without λ": (
        lambda: simulate(
            [Solid(UNIT_TET, TET, Material.from_energy(mu=1.0, lam=0.0), name="Jelly")],
            Settings(),
            1,
        ),
        r"Jelly: Keeps Volume must be above 0 .*λ",
    ),
    "nothing but colliders": (
        lambda: simulate([Collider(*plane())], Settings(), 1),
        r"nothing to simulate",
    ),
    "no frames": (lambda: simulate([Solid(UNIT_TET, TET)], Settings(), 0), r"frame_count is 0"),
    "a flat collider face": (
        lambda: simulate(
            [Solid(UNIT_TET, TET), Collider(SHEET * [1, 0, 0], FACES, name="Floor")], Settings(), 1
        ),
        r"Floor: 8 of 8 triangles have no area",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_in_words(what):
    make, message = BAD[what]
    with pytest.raises(ValueError, match=message):
        make()


def test_tets_of_the_other_orientation_are_turned():
    body = Solid(UNIT_TET, [[0, 2, 1, 3]])
    *_, frame = simulate([body], Settings(gravity=(0, 0, 0)), 2)
    np.testing.assert_allclose(frame.positions[0], UNIT_TET, atol=1e-6)


def test_a_collider_whose_vertex_count_changes_stops_with_its_name_and_frame():
    sheet, faces = plane()
    floor = Collider([sheet, sheet, sheet[:3]], faces, name="Floor")
    frames = simulate([Solid(UNIT_TET + [0, 0, 1], TET), floor], Settings(), 2)
    assert next(frames).index == 1
    with pytest.raises(ValueError, match=r"Floor: the collider has 3 vertices in frame 2"):
        next(frames)


def test_too_few_frames_of_a_moving_collider_are_refused():
    points, faces = block((1, 1, 1), (0, 0, -2))
    frames = simulate([Solid(UNIT_TET, TET), Collider([points] * 2, faces)], Settings(), 2)
    next(frames)
    with pytest.raises(ValueError, match=r"has 2 frames"):
        next(frames)


def test_cuda_is_refused_in_words_where_there_is_none(monkeypatch):
    monkeypatch.setattr("warp.is_cuda_available", lambda: False)
    assert pick_device("auto") == "cpu"
    with pytest.raises(ValueError, match=r"No NVIDIA GPU .* Automatic or CPU"):
        pick_device("cuda")


def test_cloth_with_doubled_faces_is_simulated():
    doubled = np.concatenate([FACES, FACES[:2, ::-1]])
    *_, frame = simulate([Cloth(SHEET, doubled)], Settings(), 2)
    assert np.isfinite(frame.positions[0]).all()


def test_a_simulation_does_not_change_the_fingerprint_of_a_body():
    body = Solid(*box((2, 2, 2)), Material(youngs_modulus=1e4), name="Jelly")
    before = fingerprint(body)
    list(simulate([body, Collider(*plane())], Settings(substeps=1, iterations=1), 1))
    assert "boundary" in vars(body)  # which a property keeps
    assert fingerprint(body) == before


@pytest.mark.parametrize("name", KEYED)
def test_a_keyed_value_belongs_to_the_fingerprint(name):
    points, tets = box((1, 1, 1))
    still, keyed, other = (
        fingerprint(Solid(points, tets, keyed=values))
        for values in (None, {name: lambda time: 0.5}, {name: lambda time: 0.6})
    )
    assert len({still, keyed, other}) == 3

# SPDX-License-Identifier: GPL-3.0-or-later
"""Behavior of a run: frames, cancelling, threads, devices, numbers that diverge."""

import numpy as np
import pytest
import warp as wp
from shapes import UNIT_TET, block, box, grid, mesh_names, plane, tet_mesh

from vbd.solver.bodies import Cloth, Collider, Pins, Solid
from vbd.solver.contact import load
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


def scene():
    """A soft block and a pinned cloth above a moving block."""
    points, tets = box((4, 4, 4), (0.3, 0.3, 0.3))
    sheet, triangles = grid(12)
    collider, faces = block((1.0, 1.0, 0.2), (0.5, 0.5, -0.3))
    moving = [collider + [0.0, 0.0, 0.02 * k] for k in range(20)]
    cloth = Material(youngs_modulus=1e6, density=0.2, bending_stiffness=1e-4)
    return [
        Solid(points + [0.3, 0.3, 0.2], tets, Material(youngs_modulus=3e4, damping=0.01)),
        Cloth(sheet, triangles, cloth, pins=Pins([0, 12])),
        Collider(moving, faces),
    ]


def test_frames_count_from_one_and_keep_the_order_of_bodies_and_points():
    bodies = scene()
    frames = list(simulate(bodies, Settings(gravity=(0, 0, 0)), 3))
    assert [frame.index for frame in frames] == [1, 2, 3]
    for frame in frames:
        assert [p.dtype for p in frame.positions] == [np.float32, np.float32]
        np.testing.assert_allclose(frame.positions[0], bodies[0].points, atol=1e-5)
        np.testing.assert_allclose(frame.positions[1], bodies[1].points, atol=1e-5)
    assert frames[0].model.vertices == 125 + 169
    assert frames[0].model.tets == 384
    assert frames[0].model.triangles == 288
    assert frames[0].model.colors >= 4


def test_far_from_the_origin_the_result_is_the_same():
    points, tets = box((2, 2, 2), (0.3, 0.3, 0.3))
    far = np.array([4096.0, -2048.0, 1024.0])  # float32 holds these exactly
    settings = Settings(use_ground=True, ground_height=-0.02)
    *_, near = simulate([Solid(points, tets)], settings, 8)
    there = Settings(use_ground=True, ground_height=1024.0 - 0.02)
    *_, away = simulate([Solid(points + far, tets)], there, 8)
    # float32 shows 0.25 mm at 4096 m; inside, positions are relative to the bodies.
    np.testing.assert_allclose(away.positions[0] - far, near.positions[0], atol=3e-4)
    near, away = near.exact_positions[0], away.exact_positions[0]
    np.testing.assert_allclose(away - far, near, atol=1e-6)


def test_a_cancelled_run_ends_between_substeps():
    asked = []
    frames = simulate(
        scene(),
        Settings(substeps=4),
        10,
        cancelled=lambda: len(asked) >= 6 or asked.append(1),
        preparing=lambda _: asked.clear(),
    )
    assert [frame.index for frame in frames] == [1]


def test_any_number_of_threads_gives_the_same_bits(monkeypatch):
    monkeypatch.setattr("vbd.solver.device.launches.WORTH_SPLITTING", 1.0)
    results = [
        [frame.positions for frame in simulate(scene(), Settings(threads=threads), 6)]
        for threads in (1, 2, 3)
    ]
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            for a, b in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(a, b)


def test_the_same_scene_twice_gives_the_same_bits():
    one, two = ([f.positions[0] for f in simulate(scene(), Settings(), 5)] for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_light_and_small_meshes_move_like_large_ones(monkeypatch):
    # A millimetre jelly in free fall onto a floor a millimetre below: time scales with √length.
    ends, rising, lasting = [], load.MULTIPLIER_TIME, load.STIFFENING_TIME
    for scale in (1.0, 1e-3):
        monkeypatch.setattr(load, "MULTIPLIER_TIME", rising * np.sqrt(scale))
        monkeypatch.setattr(load, "STIFFENING_TIME", lasting * np.sqrt(scale))
        points, tets = box((2, 2, 2), (scale, scale, scale))
        material = Material(
            youngs_modulus=3e4 * scale, collision_thickness=0.01 * scale, density=1000.0
        )
        settings = Settings(
            frame_time=np.sqrt(scale) / 24,
            use_ground=True,
            ground_height=-0.1 * scale,
            collision_stiffness=1e5 * scale**2,
            friction_velocity=0.01 * np.sqrt(scale),
        )
        *_, frame = simulate([Solid(points, tets, material)], settings, 12)
        ends.append(frame.positions[0] / scale)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-3)


def test_a_step_that_is_not_finite_is_refused_counted_and_named():
    points, tets = box((1, 1, 1))
    torn = 3e11 * np.random.default_rng(1).standard_normal(points.shape)
    wild = Solid(points, tets, velocities=torn, name="Wild")
    calm = Solid(points + [3.0, 0.0, 0.0], tets, name="Calm")
    # Truncation would limit the steps before they overflow.
    for frame in simulate([wild, calm], Settings(truncation=False), 3):
        assert all(np.isfinite(p).all() for p in frame.positions)
    assert frame.stats.rejected > 0
    assert frame.stats.rejected_bodies == ("Wild",)


def test_tets_inside_out_are_counted_and_their_body_is_named():
    points, tets = box((1, 1, 1))
    mirrored = points * [1.0, 1.0, -1.0]
    pins = Pins(np.arange(len(points)), targets=lambda _: mirrored)
    bodies = [Solid(points, tets, name="Turned", pins=pins)]
    bodies.append(Solid(points + [3.0, 0.0, 0.0], tets, name="Calm"))
    (frame,) = simulate(bodies, Settings(gravity=(0.0, 0.0, 0.0)), 1)
    assert frame.stats.inverted == len(tets)
    assert frame.stats.inverted_bodies == ("Turned",)


def test_calm_scenes_reject_nothing():
    for frame in simulate(scene(), Settings(), 10):
        assert frame.stats.rejected == 0
        assert frame.stats.rejected_bodies == ()


def test_residual_falls_with_iterations():
    residuals = []
    # After 20 only rounding is left, 1e-3, which falls no more.
    for iterations in (1, 3, 10):
        points, tets = box((2, 2, 8), (0.1, 0.1, 0.4))
        held = Pins(np.flatnonzero(points[:, 2] < 1e-6))
        body = Solid(points[:, [2, 0, 1]], tets, Material(youngs_modulus=1e6), pins=held)
        *_, frame = simulate([body], Settings(iterations=iterations, accuracy=0.0), 4)
        residuals.append(frame.stats.residual)
    assert residuals[0] > 2.0 * residuals[1] > 8.0 * residuals[2]


def test_a_body_that_is_pinned_whole_follows_its_targets():
    points, triangles = grid(2)
    lifted = [points + [0.0, 0.0, 0.1 * k] for k in range(3)]
    *_, frame = simulate([Cloth(points, triangles, pins=Pins(np.arange(9), lifted))], Settings(), 2)
    np.testing.assert_allclose(frame.positions[0], lifted[2], atol=1e-6)
    assert frame.stats.residual == 0.0


@pytest.mark.skipif(not mesh_names(), reason="no tet meshes lie beside this checkout")
@pytest.mark.parametrize("name", mesh_names())
def test_every_mesh_falls_and_comes_to_rest_above_the_floor(name):
    points, tets = tet_mesh(name)
    low = points[:, 2].min()
    settings = Settings(use_ground=True, ground_height=low - 0.05, collision_stiffness=1e6)
    for frame in simulate([Solid(points, tets)], settings, 12):
        assert frame.stats.rejected == 0
        assert frame.positions[0][:, 2].min() > low - 0.05


def test_a_collapsed_tet_recovers_from_a_plane():
    flat = UNIT_TET * [1.0, 1.0, 0.0]
    body = Solid(flat, [[0, 1, 2, 3]], rest_points=UNIT_TET)
    *_, frame = simulate([body], Settings(gravity=(0, 0, 0), iterations=50), 24)
    edges = frame.positions[0][1:] - frame.positions[0][0]
    assert abs(np.linalg.det(edges)) == pytest.approx(1.0, rel=0.2)


@pytest.mark.skipif(not wp.is_cuda_available(), reason="needs a CUDA device")
def test_cuda_gives_what_the_cpu_gives():
    *_, here = simulate(scene(), Settings(), 10, device="cpu")
    *_, there = simulate(scene(), Settings(), 10, device="cuda")
    for a, b in zip(here.positions, there.positions, strict=True):
        # Other rounding, and a fall that amplifies it: a millimetre.
        np.testing.assert_allclose(a, b, atol=1e-3)


def test_a_cloth_does_not_fall_through_a_floor_of_two_triangles():
    points, triangles = grid(10)
    cloth = Cloth(points + [-0.5, -0.5, 1.0], triangles, Material(density=0.2, damping=0.01))
    for frame in simulate([cloth, Collider(*plane())], Settings(substeps=2), 24):
        assert frame.positions[0][:, 2].min() > 0.0

# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact on a surface embedded in a lattice cage."""

import numpy as np
import pytest
import warp as wp
from intersections import intersecting_pairs, joined
from shapes import UNIT_TET, block, bumpy_ball, caged, grid, in_cells, plane
from teams import IN_TURN, become

from vbd.solver.bodies import Cloth, Collider, EmbeddedSurface, Solid
from vbd.solver.contact.contact import Contact
from vbd.solver.contact.surface import contact_surface
from vbd.solver.device.launches import Launches
from vbd.solver.device.threads import Workers
from vbd.solver.kernels.contact.analytic_colliders import ContactModel
from vbd.solver.kernels.contact.pair_forces import Contacts, pair_forces
from vbd.solver.kernels.device.teams import ALONE, SIZE
from vbd.solver.lattice.contact_mesh import split
from vbd.solver.model.assembly import assemble
from vbd.solver.model.model import Model
from vbd.solver.scene.moving_colliders import AnalyticMotion
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


def visible(bodies, frame):
    """The surfaces of the first bodies as meshes."""
    return [
        (body.surface.points(x, skin), body.surface.triangles)
        for body, x, skin in zip(bodies, frame.exact_positions, frame.skins, strict=False)
    ]


of_tets_or_cells = pytest.mark.parametrize("body", [caged, in_cells])


@of_tets_or_cells
def test_the_visible_surfaces_never_meet(body):
    points, triangles = bumpy_ball(0.3)
    bodies = [
        body(points + [0.0, 0.0, 0.2], triangles, name="Low"),
        body(points + [0.05, 0.02, 0.56], triangles, name="High"),
    ]
    floor, pairs, lowest = Collider(*plane(2.0)), 0, []
    for frame in simulate([*bodies, floor], Settings(substeps=4, iterations=10), 16):
        meshes = [*visible(bodies, frame), plane(2.0)]
        assert not len(intersecting_pairs(*joined(meshes)[:2])), frame.index
        pairs = max(pairs, frame.stats.pairs)
        lowest.append(meshes[0][0][:, 2].min())
    assert pairs > 10
    assert max(lowest[3:]) < 0.005  # the cage alone would hold it higher


@of_tets_or_cells
def test_visible_surfaces_that_begin_inside_each_other_come_apart(body):
    points, triangles = bumpy_ball(0.3, rows=8)
    bodies = [body(points, triangles, 4), body(points + [0.02, 0.02, 0.26], triangles, 4)]
    settings = Settings(gravity=(0.0, 0.0, 0.0), substeps=3, iterations=6)
    found = []
    for frame in simulate(bodies, settings, 20):
        meshes = visible(bodies, frame)
        found.append((len(frame.stats.tangles), len(intersecting_pairs(*joined(meshes)[:2]))))
    assert found[0][0] == 1
    assert found[-1] == (0, 0)


@of_tets_or_cells
def test_cloth_lies_on_the_visible_surface(body):
    points, triangles = bumpy_ball(0.3, rows=10)
    body = body(points + [0.0, 0.0, 0.156], triangles)
    sheet, sheet_triangles = grid(12, 0.5)
    material = Material(youngs_modulus=2e4, density=0.2, collision_thickness=0.004)
    cloth = Cloth(sheet + [-0.25, -0.25, 0.33], sheet_triangles, material)
    ground = Settings(substeps=4, iterations=8, use_ground=True)
    for frame in simulate([body, cloth], ground, 8):
        meshes = [*visible([body], frame), (frame.exact_positions[1], sheet_triangles)]
        assert not len(intersecting_pairs(*joined(meshes)[:2])), frame.index
        assert meshes[0][0][:, 2].min() > 0.0
    assert frame.stats.pairs > 5
    assert meshes[0][0][:, 2].min() < 0.005


@pytest.mark.parametrize("kinds", [(caged, caged), (in_cells, in_cells), (in_cells, caged)])
def test_bodies_that_collide_in_free_space_keep_their_momentum(kinds):
    points, triangles = bumpy_ball(0.3, rows=8)
    bodies = [
        kinds[0](points, triangles, velocities=[2.0, 0.0, 0.0]),
        kinds[1](points + [0.4, 0.06, 0.05], triangles, velocities=[-1.0, 0.0, 0.0]),
    ]
    settings = Settings(gravity=(0.0, 0.0, 0.0), frame_time=1.0 / 200.0, substeps=1, iterations=30)
    mass = assemble(bodies, settings)
    mass = np.concatenate([mass.mass[mine] for mine in mass.vertices])[:, None]
    one = 2.0 * mass[: len(bodies[0].points)].sum()
    states, pairs = [np.concatenate([body.points for body in bodies])], 0
    for frame in simulate(bodies, settings, 50):
        states.append(np.concatenate(frame.exact_positions))
        pairs = max(pairs, frame.stats.pairs)
    assert pairs > 0
    x, v = np.array(states[1:]), np.diff(states, axis=0) / settings.frame_time
    momentum = (mass * v).sum(axis=1)
    assert np.abs(momentum - momentum[0]).max() < 1e-4 * one
    # Implicit Euler's own loss of spin is left out, as in test_sliding.py.
    torque = (mass * np.cross(x[1:], v[1:] - v[:-1])).sum(axis=1)
    assert np.abs(np.cumsum(torque, axis=0)).max() < 1e-3 * one * 0.15


def evaluation(width, team, lanes):
    """The kernel that evaluates the forces of pairs on vertices, added up over the lanes of a
    team.
    """
    on_points = pair_forces(width, team=team)

    @wp.kernel(enable_backward=False, module="unique")
    def evaluate(
        x: wp.array[wp.vec3],
        contacts: Contacts,
        model: ContactModel,
        # out
        force: wp.array[wp.vec3],
    ):
        i = wp.tid()
        for lane in range(lanes):
            if become(lane) == lane:
                f, _hessian, _touching, _active_set, _margin = on_points(
                    i,
                    x,
                    wp.vec3(0.0),
                    wp.vec3(0.0),
                    wp.vec2i(0, 0),
                    contacts,
                    model.embedding,
                    model.law,
                )
                force[i] = force[i] + f

    return evaluate


def forces_of_contact(bodies, team, lanes):
    """Contact forces on all vertices [N] by the solver, added up over the lanes of a team; its
    pairs; and E, so that the surface vertices are E x.
    """
    settings = Settings()
    scene = assemble(bodies, settings)
    surface = contact_surface(scene, bodies, [], settings)
    analytic = AnalyticMotion([], scene, settings, "cpu").struct
    model = Model(scene, settings, surface, analytic, Launches("cpu", Workers(1)))
    contact = Contact(model, ["A", "B"], settings)
    contact.search()
    contact.refresh()
    force = wp.zeros(model.kinematic_end, dtype=wp.vec3, device="cpu")
    wp.launch(
        evaluation(surface.points.width, team, lanes),
        dim=model.kinematic_end,
        inputs=[model.x, model.objective.contacts, model.contact_model],
        outputs=[force],
        device="cpu",
    )
    points = surface.points
    E = np.eye(len(model.x), model.kinematic_end)
    for point, corner, weight in zip(*points.parents(), strict=True):
        E[model.kinematic_end + point, corner] = weight
    lists = model.lists
    near = lists.state.numpy()["near"][: lists.count] != 0
    return force.numpy(), lists.touches.numpy()[: lists.count][near], E, model.x.numpy()


@pytest.mark.parametrize(("team", "lanes"), [(ALONE, 1), (IN_TURN, SIZE)])
@pytest.mark.parametrize("kinds", [(caged, caged), (in_cells, in_cells), (caged, in_cells)])
def test_the_forces_on_the_cage_are_those_on_the_surface_carried_over(kinds, team, lanes):
    points, triangles = bumpy_ball(0.3, rows=8)
    bodies = [
        kinds[0](points, triangles, resolution=3),
        kinds[1](points + [0.305, 0.013, 0.0], triangles, resolution=4),
    ]
    force, pairs, E, x = forces_of_contact(bodies, team, lanes)
    on_surface, touching = np.zeros((len(E), 3)), 0
    for pair in pairs:
        d = pair["normal"] @ (pair["weights"] @ x[pair["vertices"]].astype(np.float64))
        if d < pair["radius"]:
            touching += 1
            half = 0.5 * pair["radius"]
            load = pair["stiffness"] * (pair["radius"] - d if d > half else half**2 / d)
            np.add.at(
                on_surface, pair["vertices"], load * np.outer(pair["weights"], pair["normal"])
            )
    size = np.abs(on_surface).max()
    assert touching > 1
    assert force == pytest.approx(E.T @ on_surface, abs=1e-4 * size)
    assert np.abs(force.sum(axis=0)).max() < 1e-4 * size


@pytest.mark.parametrize(
    ("corners", "weights", "complaint"),
    [
        ([[0, 1, 2, 3]] * 3, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.5]], "do not add up to 1"),
        ([[0, 1, 2, 4]] * 3, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], "not those of one tet"),
        ([[0, 1, 2, 3]] * 3, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "must be"),
        ([[0, 1, 2, 3]] * 3, [[1, 0, 0, 0], [0, 1, 0, 0], [0.5, 0.5, 0, 0]], "no area"),
    ],
)
def test_a_surface_that_is_not_in_the_tets_is_refused(corners, weights, complaint):
    surface = EmbeddedSurface(corners, weights, [[0, 1, 2]])
    with pytest.raises(ValueError, match=complaint):
        Solid(UNIT_TET, [[0, 1, 2, 3]], surface=surface)


@of_tets_or_cells
def test_an_embedding_body_falls_above_the_ground_as_without_it(body):
    # Also with coarse steps, which check every vertex of its lattice.
    ends = []
    for use_ground in (False, True):
        ball = body(*bumpy_ball(0.3), resolution=10)
        ball.points = ball.points + [0.0, 0.0, 1.0]
        settings = Settings(substeps=2, iterations=5, use_ground=use_ground)
        *_, frame = simulate([ball], settings, 3)
        assert frame.stats.coarse_share > 0.0
        ends.append(frame.exact_positions[0])
    assert np.abs(ends[1] - ends[0]).max() < 1e-5


@pytest.mark.parametrize("friction", [0.1, 1.0])
def test_a_body_of_cells_slides_on_a_mesh_unless_friction_holds_it(friction):
    points, triangles = block((0.2, 0.2, 0.1), (0.0, 0.0, 0.052))
    material = Material(youngs_modulus=1e5, collision_thickness=0.004, friction=friction)
    body = in_cells(*split(points, triangles, 0.05), 4, material=material)
    slope = 0.3  # rad; gravity is turned instead of the floor
    gravity = 9.81 * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    floor = Collider(*plane(4.0), friction=friction)
    settings = Settings(gravity=tuple(gravity), substeps=4, iterations=10)
    start = body.surface.points(body.points)
    *_, frame = simulate([body, floor], settings, 24)
    now = body.surface.points(frame.exact_positions[0], frame.skins[0])
    assert now[:, 2].min() > 0.0
    way = (now - start)[:, 0].mean()
    acceleration = 9.81 * max(np.sin(slope) - friction * np.cos(slope), 0.0)
    assert way == pytest.approx(0.5 * acceleration, rel=0.1, abs=0.01)


def hairpin(length=0.25, width=0.1, thick=0.03, radius=0.04):
    """A strip bent round by half a turn, one leg over the other, on the ground."""
    half = 0.5 * np.pi * radius
    points, triangles = block((2.0 * (half + length), width, thick), (0.0, 0.0, 0.0))
    points, triangles = split(points, triangles, 0.03)
    s, y, z = points.T
    angle = np.clip(0.5 * np.pi * (s + half) / half, 0.0, np.pi)
    straight = np.abs(s) - half
    x = np.where(straight > 0.0, -straight, (radius - z) * np.sin(angle))
    height = radius - (radius - z) * np.cos(angle)
    return np.stack([x, y, height + 0.5 * thick + 0.006], axis=1), triangles


def test_a_leg_of_cells_comes_to_lie_on_the_other_leg_of_its_body():
    points, triangles = hairpin()
    material = Material(youngs_modulus=4e3, collision_thickness=0.004, self_contact=True)
    body = in_cells(points, triangles, 16, material=material)
    touched = 0
    for frame in simulate([body], Settings(substeps=4, iterations=10, use_ground=True), 16):
        now = body.surface.points(frame.exact_positions[0], frame.skins[0])
        assert not len(intersecting_pairs(*joined([(now, triangles)])[:2])), frame.index
        assert now[:, 2].min() > 0.0
        touched = max(touched, frame.stats.pairs)
    assert touched > 5

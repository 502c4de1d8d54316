# SPDX-License-Identifier: GPL-3.0-or-later
"""Constants of elements and penalties of springs as a scene is joined."""

import numpy as np
import pytest
from shapes import UNIT_TET, box, bumpy_ball, caged, chain, grid

from vbd.solver.bodies import Cloth, Rod, Solid
from vbd.solver.contact.surface import contact_surface
from vbd.solver.model.assembly import assemble
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation


def test_constants_per_vertex_and_per_element_go_together():
    points, tets = box((1, 1, 1))
    material = Material(
        youngs_modulus=np.linspace(1e5, 2e5, len(points)), poisson_ratio=np.full(len(tets), 0.3)
    )
    young = material.youngs_modulus[tets].mean(axis=1)
    scene = assemble([Solid(points, tets, material)], Settings())
    np.testing.assert_allclose(scene.tets.lame_mu, young / 2.6)


def test_thickness_of_cloth_scales_its_stiffness_triangle_by_triangle():
    points, triangles = grid(2)
    thickness = np.linspace(1e-3, 2e-3, len(points))
    for membrane in ("stvk", "orthotropic"):
        thin, varied = (
            assemble([Cloth(points, triangles, material, uv=points[:, :2])], Settings())
            for material in (
                Material(thickness=1e-3, membrane=membrane),
                Material(thickness=thickness, membrane=membrane),
            )
        )
        ratio = thickness[triangles].mean(axis=1) / 1e-3
        expected = ratio[:, None] * thin.elements["triangles"].stiffness
        np.testing.assert_allclose(varied.elements["triangles"].stiffness, expected)


def test_what_belongs_to_vertices_is_theirs_in_the_order_of_the_solver():
    points, edges = chain(4, 0.1)
    own = np.array([1.0, 2.0, 3.0, 4.0])
    material = Material(friction=own, drag=2.0 * own, air_friction=own, collision_thickness=own)
    scene = assemble([Rod(points, edges, material), Rod(points + 1.0, edges)], Settings())
    mine, other = scene.vertices
    np.testing.assert_array_equal(scene.friction[mine], own)
    np.testing.assert_array_equal(scene.friction[other], Settings().friction)
    np.testing.assert_array_equal(scene.drag[mine], 2.0 * own)
    np.testing.assert_array_equal(scene.air_friction[mine], own)
    np.testing.assert_array_equal(scene.thickness[mine], own)


@pytest.mark.parametrize(
    ("name", "what"),
    [("friction", "friction"), ("drag", "drag"), ("collision_thickness", "collision thickness")],
)
def test_values_of_vertices_of_a_wrong_length_are_refused_by_name(name, what):
    rod = Rod(*chain(4, 0.1), Material(**{name: np.ones(3)}), name="Rope")
    with pytest.raises(ValueError, match=rf"Rope: {what} has the shape \(3,\)"):
        assemble([rod], Settings())


def test_points_of_an_embedded_surface_have_what_is_around_them():
    body = caged(*bumpy_ball(1.0, rows=8), resolution=2)
    points = body.points
    body.material = Material(friction=1.0 + points[:, 2] - points[:, 2].min())
    scene = assemble([body], Settings())
    surface = contact_surface(scene, [body], [], Settings())
    at = body.surface.points(points)
    mine = surface.friction[surface.point_start :]
    np.testing.assert_allclose(mine, 1.0 + at[:, 2] - points[:, 2].min(), rtol=1e-6)


def test_embedded_surfaces_begin_where_their_corners_carry_them():
    """Far from the origin that is not where float32 rounds them: others may begin in between."""
    near = caged(*bumpy_ball(1.0, rows=8), resolution=2)
    far = Solid(UNIT_TET + 1e6, [[0, 1, 2, 3]])
    model = Simulation([near, far], Settings(threads=1)).model
    begin = model.x.numpy().copy()
    model.followers.follow(0, model.vertex_count)
    np.testing.assert_array_equal(model.x.numpy(), begin)


def test_elastic_constants_of_a_wrong_length_are_refused_by_name():
    points, tets = box((1, 1, 1))
    body = Solid(points, tets, Material(poisson_ratio=np.full(5, 0.3)), name="Jelly")
    with pytest.raises(ValueError, match=r"Jelly: poisson ratio has the shape \(5,\)"):
        assemble([body], Settings())


def test_a_neo_hookean_membrane_takes_the_constants_of_its_energy_as_they_are():
    points, triangles = grid(2)
    material = Material.from_energy(mu=100.0, lam=30.0, membrane="neo_hookean")
    scene = assemble([Cloth(points, triangles, material)], Settings())
    np.testing.assert_allclose(scene.elements["stable_triangles"].mu, 100.0)
    np.testing.assert_allclose(scene.elements["stable_triangles"].lam, 30.0)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Constants of elements and penalties of springs as a scene is joined."""

import numpy as np
import pytest
from shapes import box, chain, grid

from vbd.solver.bodies import Cloth, Rod, Solid
from vbd.solver.model.assembly import assemble
from vbd.solver.model.penalties import spring_penalty
from vbd.solver.settings import Material, Settings


def test_constants_per_vertex_and_per_element_go_together():
    points, tets = box((1, 1, 1))
    material = Material(
        youngs_modulus=np.linspace(1e5, 2e5, len(points)), poisson_ratio=np.full(len(tets), 0.3)
    )
    young = material.youngs_modulus[tets].mean(axis=1)
    scene = assemble([Solid(points, tets, material)], Settings())
    np.testing.assert_allclose(scene.tets.lame_mu, young / 2.6)


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


def test_a_soft_net_elsewhere_changes_no_penalty():
    points, edges = chain(4, 0.1)
    stiffness = np.array([1e3, 1e7, 1e3])
    rod = Rod(points, edges, Material(spring_stiffness=stiffness, vertex_mass=1e-4))
    other = Rod(points + 1.0, edges, Material(spring_stiffness=1e-2, vertex_mass=1e-4))
    alone = spring_penalty(assemble([rod], Settings()), Settings())
    assert (alone > 0.0).tolist() == [False, True, False]
    both = spring_penalty(assemble([rod, other], Settings()), Settings())
    np.testing.assert_allclose(both[:3], alone)


def test_without_inertia_no_penalty_depends_on_the_step():
    points, edges = chain(4, 0.1)
    rod = Rod(points, edges, Material(spring_stiffness=np.array([1e3, 1e7, 1e3])))
    penalties = []
    for frame_time in (1.0, 1e-3):
        settings = Settings(frame_time=frame_time, quasistatic=True)
        penalties.append(spring_penalty(assemble([rod], settings), settings))
    assert penalties[0].any()
    np.testing.assert_array_equal(penalties[0], penalties[1])

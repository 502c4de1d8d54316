# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation restarted from the state of a frame has the bits of one that never stopped."""

import dataclasses
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from shapes import COTTON, block, box, bumpy_ball, chain, grid, in_cells, rotation

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.cache_files import StateFile, read_frame
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.descent.state_names import readable
from vbd.solver.editing import Edits
from vbd.solver.scene.analytic_colliders import Plane, Sphere
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

FRAMES = 5
JELLY = Material(youngs_modulus=1e5, damping=0.01, collision_thickness=0.005, self_contact=True)


def slab(height, speed=0.0):
    points, triangles = block((1.4, 1.4, 0.2), (0.3, 0.3, height - 0.1))
    moved = (lambda time: points + [0.0, 0.0, speed * time]) if speed else points
    return Collider(moved, triangles, name="Slab")


def torn_sheet(height):
    """A sheet that is pulled apart at two sides."""
    points, triangles = grid(8)
    points = points + [0.0, 0.0, height]
    ends = np.flatnonzero((points[:, 0] < 1e-9) | (points[:, 0] > 1.0 - 1e-9))
    pull = np.where(points[ends, :1] > 0.5, [[1.0, 0.0, 0.0]], [[-1.0, 0.0, 0.0]])
    pins = Pins(ends, lambda time: points[ends] + 1.0 * time * pull)
    return Cloth(points, triangles, COTTON, pins, tear_strain=0.1, name="Sheet")


def cube(corner, name, **more):
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    return Solid(points + corner, tets, JELLY, name=name, **more)


def swinging(corner):
    """A rope of soft and far stiffer springs, and a cube on stiff ties of which some break."""
    points, edges = chain(6, 0.1)
    stiffness = np.where(np.arange(5) % 2 == 0, 1e3, 1e7)
    uneven = Material(spring_stiffness=stiffness, vertex_mass=0.1, damping=1e-3)
    rope = Rod(points + corner, edges, uneven, Pins([0]), name="Rope")
    held = cube(np.add(corner, [0.0, 0.4, 0.0]), "Held")
    top = np.flatnonzero(held.points[:, 2] > held.points[:, 2].max() - 1e-6)
    ties = []
    for vertices, strength in ((top[:3], 9.0), (top[3:], np.inf)):
        place = held.points[vertices]
        path = partial(rising, place)
        options = {"strength": strength, "damping": 0.01 * (strength > 10.0)}
        ties.append(Attachment(held, vertices, 1e7, points=path, **options))
    return [rope, held, *ties]


def rising(points, time):
    return points + [0.0, 0.0, 0.8 * time]


def everything():
    """Cloth that tears and folds, cells, tets that stand, fly and pass through each other, ropes,
    attachments that break; pins, colliders and gravity move.
    """
    ball, triangles = bumpy_ball(0.25, 6)
    cells = in_cells(ball + [0.25, 0.75, 0.15], triangles, resolution=3, material=JELLY)
    return [
        torn_sheet(-0.01),
        cells,
        cube([0.6, 0.1, 0.005], "Low"),
        cube([0.62, 0.12, 0.17], "High"),  # begins in the other one
        cube([0.0, 0.0, 0.8], "Free", velocities=[1.0, 0.0, 2.0]),
        slab(-0.025, speed=0.1),
        *swinging([2.0, 0.0, 0.0]),
    ]


def without_contact():
    """The bodies of `everything`, without any that may touch."""
    calm = dataclasses.replace(JELLY, self_contact=False)
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    free = Solid(points, tets, calm, velocities=[1.0, 0.0, 2.0], collides_with=(), name="Free")
    sheet = torn_sheet(3.0)
    sheet.material = dataclasses.replace(COTTON, self_contact=False)
    ball, triangles = bumpy_ball(0.25, 6)
    tight = dataclasses.replace(COTTON, keep_volume=True, pressure=50.0, shrink=0.1)
    balloon = Cloth(ball + [0.0, -2.0, 0.0], triangles, tight, name="Balloon")
    bodies = [sheet, *swinging([2.0, 0.0, 0.0]), free, balloon]
    for body in bodies:
        body.collides_with = ()
        if hasattr(body, "material"):
            body.material = dataclasses.replace(body.material, self_contact=False)
    return bodies


def on_a_plane():
    """A cube that lands on a collider in closed form: nothing else may touch."""
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    calm = dataclasses.replace(JELLY, self_contact=False)
    return [Solid(points + [0.0, 0.0, 0.01], tets, calm), Plane([0.0, 0.0, 0.0])]


def too_near():
    """A sheet over a slab, a plane beside it: both nearer than the sheet's contact distance."""
    points, triangles = grid(8)
    thick = dataclasses.replace(COTTON, collision_thickness=0.05)
    below = Plane([0.0, 0.0, -0.03])
    return [Cloth(points + [0.0, 0.0, 0.01], triangles, thick, name="Sheet"), slab(0.0), below]


def on_what_moves():
    """Sheets and a cube on a plane that rises and tilts, and a sphere that flies into them; too
    fast for the few sweeps, so they lag behind.
    """

    def rises(time):
        return placed(time, [0.3 * time, 0.0, 20.0 * time], time)

    def flies(time):
        return placed(3.0 * time, [0.0, 8.0 * time, 0.0], 0.0)

    def placed(angle, place, tilt):
        turn = rotation((0.0, 0.0, 1.0), angle) @ rotation((1.0, 0.0, 0.0), tilt)
        return np.block([[turn, np.reshape(place, (3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])

    points, triangles = grid(8)
    cube, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    return [
        Solid(cube + [0.3, 0.3, 0.1], tets, JELLY),
        Cloth(points + [0.0, 0.0, 0.4], triangles, COTTON, name="Sheet"),
        Plane([0.0, 0.0, -0.1], motion=rises),
        Sphere([0.5, -0.8, 0.6], 0.2, motion=flies),
    ]


SCENES = {
    "everything": everything,
    "without contact": without_contact,
    "on a plane": on_a_plane,
    "too near": too_near,
    "on what moves": on_what_moves,
}


def changing(time):
    return [0.5 * time, 0.0, -9.81 + 4.0 * time]


def run(scene, settings, restart=None, frames=FRAMES):
    """Positions, elements and numbers of frames, and the states after them."""
    found, states = [], []
    solved = simulate(SCENES[scene](), settings, frames, gravity=changing, restart=restart)
    for frame in solved:
        stats = dataclasses.replace(frame.stats, seconds=0.0)
        found.append((frame.index, np.concatenate(frame.exact_positions), frame.elements, stats))
        states.append(Restart(frame.index, frame.state()))
    return found, states


def same(one, other):
    for a, b in zip(one, other, strict=True):
        assert a[0] == b[0]
        np.testing.assert_array_equal(a[1], b[1])
        for elements, others in zip(a[2], b[2], strict=True):
            np.testing.assert_array_equal(elements, others)
        assert repr(a[3]) == repr(b[3])


@pytest.mark.parametrize(
    ("scene", "settings"),
    [
        ("everything", {}),
        ("everything", {"acceleration": 0.9, "iterations": 16, "substeps": 6}),
        ("everything", {"accuracy": 0.005, "iterations": 40}),
        ("without contact", {}),
        ("on a plane", {}),
        ("too near", {}),
        ("on what moves", {}),
        ("on what moves", {"iterations": 3}),
    ],
)
def test_every_frame_can_be_gone_on_from_bit_for_bit(scene, settings):
    settings = Settings(**settings)
    wanted, states = run(scene, settings)
    for done, state in enumerate(states[:-1], start=1):
        got, others = run(scene, settings, state)
        same(got, wanted[done:])
        assert others[-1].arrays.keys() == states[-1].arrays.keys()
        for name, array in others[-1].arrays.items():
            if not name.startswith("contact_pairs/"):  # between their entries lie older ones
                np.testing.assert_array_equal(array, states[-1].arrays[name], err_msg=name)


def test_the_scene_of_everything_has_everything():
    wanted, states = run("everything", Settings())
    stats, arrays = [frame[3] for frame in wanted], states[-1].arrays
    assert stats[-1].pairs and 0 < stats[-1].broken < 9 and stats[0].tangles
    assert arrays["tearing/triangles0"].max() >= 81  # duplicates are awake
    assert (arrays["contact.stiffness"] > states[0].arrays["contact.stiffness"]).any()
    assert arrays["contact_islands.steps_in_flight"].max() > 20
    assert np.abs(arrays["model.spring_multiplier"]).max() > 0.0


def test_the_scene_of_what_is_too_near_misses_some_of_its_distance():
    _wanted, states = run("too near", Settings())
    missing = [state.arrays["contact_start.missing"].max() for state in states]
    assert missing[0] > 0.01 and missing == sorted(missing, reverse=True)


STORED = Path(__file__).resolve().parents[1] / "stored_states"


def stored(scene):
    """The state after frame 2 that an earlier version stored, and its frame 3 [vertex, m]."""
    path = STORED / f"{scene.replace(' ', '_')}.vbd"
    state = Restart(2, StateFile.open(path, 2).load())
    return state, read_frame(path.with_suffix(".f32"), 3, state.arrays["Model/order"].size)


@pytest.mark.parametrize("scene", ["everything", "without contact"])
def test_a_state_that_was_stored_under_the_names_of_classes_is_gone_on_from(scene):
    """Their scenes may not change. Later versions may solve the frame a little better: to a
    hundredth of its motion.
    """
    state, wanted = stored(scene)
    assert "Model.x" in state.arrays
    (frame, *_), _ = run(scene, Settings(), state, frames=3)
    assert frame[0] == 3
    moved = np.abs(wanted - stored_start(state)).max()
    assert np.abs(frame[1] - wanted).max() < 0.01 * moved


def stored_start(state):
    return state.arrays["Model.x"][state.arrays["Model/order"]]


def test_contact_of_another_layout_is_found_anew():
    (_, before, wanted), (_, state, _) = run("everything", Settings(), frames=3)
    arrays = readable(state.arrays)
    assert any(name.startswith("contact") for name in arrays)
    arrays["layout/0"] = np.zeros(0, np.uint8)
    (frame, *_), _ = run("everything", Settings(), Restart(2, arrays), frames=3)
    moved = np.abs(wanted[1] - before[1]).max()
    assert np.abs(frame[1] - wanted[1]).max() < 0.1 * moved
    assert not frame[3].inverted


@pytest.mark.parametrize("make", [everything, without_contact])
def test_edits_that_change_nothing_keep_tears_breaks_contacts_and_motion(make):
    """Also a pull that does not pull: its rows come behind those of the scene."""
    plain = [frame.exact_positions for frame in simulate(make(), Settings(), FRAMES)]
    edits, scene = Edits(), make()
    for frame, before in zip(simulate(scene, Settings(), FRAMES, edits=edits), plain, strict=True):
        for points, same in zip(frame.exact_positions, before, strict=True):
            np.testing.assert_allclose(points, same, atol=1e-6)
        if frame.index == 2:
            edits.change(substeps=Settings().substeps)
        elif frame.index == 4:
            edits.pull(scene[0], 1, [0.0, 0.0, 1.0], 0.0)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of boxes: ours beside Warp's, in landed scenes.

    python -m vbd.benchmarks.experiments.trees [sheet64 bowl20 layers ...] [--frames N]

Simulates a scene until it has landed and then, by CPU time of one thread and in turns: makes each
tree, fits it to the present boxes (`built` at the start, as the solver does), and asks it for what
every vertex and edge may meet. Each answer is compared with ours. `mesh` is `wp.Mesh`: it knows the
triangles of colliders only, and no boxes, so its queries are wider by what these add. Loads are
those of a query that wait for each other: nodes of eight boxes in ours, boxes in Warp's.
"""

import argparse
import time
from dataclasses import replace
from functools import partial

import numpy as np
import warp as wp

from vbd.benchmarks.contact_speed import sheet
from vbd.benchmarks.experiments import contact_scenes, pile_scenes
from vbd.solver.contact.detection import bvh, search
from vbd.solver.contact.detection.bvh import OF_BODIES, OF_COLLIDERS, OF_EDGES
from vbd.solver.device.launches import play
from vbd.solver.kernels.contact.contact_state import ContactState
from vbd.solver.kernels.contact.detection.boxes import edge_box, triangle_box, vertex_box
from vbd.solver.kernels.contact.detection.broad_phase import BODIES, COLLIDERS, near_bodies
from vbd.solver.kernels.contact.detection.bvh import first_in, next_in, node_at, overlapping
from vbd.solver.kernels.contact.pairs import SurfaceArrays
from vbd.solver.kernels.device.bitmasks import lowest_bit
from vbd.solver.kernels.device.options import OPTIONS
from vbd.solver.simulate import simulate

wp.set_module_options(OPTIONS)

SCENES = {
    "sheet64": (lambda: sheet(64), 30),
    "bowl20": (lambda: pile_scenes.SCENES["bowl20"](), 20),
    "layers": (lambda: contact_scenes.layers(), 26),
}
ROUNDS = 15
# Constructor and entries of a leaf.
WARPS = (("sah", 1), ("sah", 4), ("cubql", 4))
NAMES = {0: "edges", 1: "triangles", 2: "collider edges", 3: "collider triangles"}


@wp.kernel
def bound_each(
    of_edges: int,
    start: int,
    surface: SurfaceArrays,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
):
    """Find the boxes of edges or triangles from `start` on."""
    k = wp.tid()
    if of_edges != 0:
        a, b = edge_box(surface.edges[start + k], surface, state, x)
        low[k] = a
        high[k] = b
    else:
        c, d = triangle_box(surface.triangles[start + k], surface, state, x)
        low[k] = c
        high[k] = d


@wp.kernel
def find_queries(
    of_edges: int,
    among: int,
    surface: SurfaceArrays,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
):
    """Find the boxes of queries; one that is far from all bodies of the tree is empty."""
    k = wp.tid()
    v = int(0)
    a = wp.vec3(0.0)
    b = wp.vec3(0.0)
    if of_edges != 0:
        v = surface.edges[k][0]
        a, b = edge_box(surface.edges[k], surface, state, x)
    else:
        v = surface.vertices[k]
        a, b = vertex_box(v, surface, state, x)
    if near_bodies(surface.body[v], a, b, surface) & among == 0:
        a = wp.vec3(1.0e30)
        b = wp.vec3(-1.0e30)
    low[k] = a
    high[k] = b


@wp.kernel
def ask_ours(
    tree: int,
    surface: SurfaceArrays,
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    # out
    count: wp.array[int],
    total: wp.array[int],
):
    """Count what each box meets, and add up its numbers."""
    k = wp.tid()
    n = int(0)
    s = int(0)
    if low[k][0] <= high[k][0]:
        walk = first_in(surface.trees, tree, low[k], high[k])
        while walk.entry >= 0:
            n += 1
            s += walk.entry
            walk = next_in(surface.trees, walk)
    count[k] = n
    total[k] = s


@wp.kernel
def ask_warps(
    bvh: wp.uint64,
    start: int,
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    # out
    count: wp.array[int],
    total: wp.array[int],
):
    """Count what each box meets, and add up its numbers."""
    k = wp.tid()
    n = int(0)
    s = int(0)
    if low[k][0] <= high[k][0]:
        query = wp.bvh_query_aabb(bvh, low[k], high[k])
        other = int(0)
        while wp.bvh_query_next(query, other):
            n += 1
            s += start + other
    count[k] = n
    total[k] = s


@wp.func_native("""
    wp::BVH tree = wp::bvh_get(bvh);
    int stack[64], count = 1, n = 0;
    stack[0] = *tree.root;
    while (count) {
        const int node = stack[--count];
        const wp::BVHPackedNodeHalf& a = tree.node_lowers[node];
        const wp::BVHPackedNodeHalf& b = tree.node_uppers[node];
        ++n;
        if (a.x > high[0] || a.y > high[1] || a.z > high[2] || b.x < low[0] || b.y < low[1]
            || b.z < low[2])
            continue;
        if (a.b) {
            n += b.i - a.i == 1 ? 0 : b.i - a.i;
        } else {
            stack[count++] = a.i;
            stack[count++] = b.i;
        }
    }
    return n;
""")
def boxes_loaded(bvh: wp.uint64, low: wp.vec3, high: wp.vec3) -> int:
    """Return how many boxes a query of Warp's tree loads, one after the other."""
    ...


@wp.kernel
def count_boxes(
    bvh: wp.uint64,
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    # out
    loads: wp.array[int],
):
    """Count the boxes that each query loads from Warp's tree."""
    k = wp.tid()
    loads[k] = 0
    if low[k][0] <= high[k][0]:
        loads[k] = boxes_loaded(bvh, low[k], high[k])


@wp.kernel
def count_nodes(
    tree: int,
    surface: SurfaceArrays,
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    # out
    loads: wp.array[int],
):
    """Count the nodes of eight boxes that each query loads from our tree."""
    k = wp.tid()
    loads[k] = 0
    trees = surface.trees
    top = trees.top[tree]
    if low[k][0] <= high[k][0] and top >= 0:
        n = int(1)
        left = wp.uint64(overlapping(trees.nodes, node_at(trees, tree, top), low[k], high[k]))
        left = left << wp.uint64(8 * top)
        level = int(top)
        node = int(0)
        while level <= top:
            here = int((left >> wp.uint64(8 * level)) & wp.uint64(255))
            if level == 0 or here == 0:
                left &= ~(wp.uint64(255) << wp.uint64(8 * level))
                level += 1
                node = node >> 3
            else:
                child = lowest_bit(here)
                left ^= wp.uint64(1) << wp.uint64(8 * level + child)
                node = 8 * node + child
                level -= 1
                at = node_at(trees, tree, level) + node
                found = overlapping(trees.nodes, at, low[k], high[k])
                left |= wp.uint64(found) << wp.uint64(8 * level)
                n += 1
        loads[k] = n


@wp.kernel
def ask_mesh(
    mesh: wp.uint64,
    wider: float,
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    # out
    count: wp.array[int],
    total: wp.array[int],
):
    """Count the triangles whose boxes a wider box meets."""
    k = wp.tid()
    n = int(0)
    s = int(0)
    if low[k][0] <= high[k][0]:
        more = wp.vec3(wider, wider, wider)
        query = wp.mesh_query_aabb(mesh, low[k] - more, high[k] + more)
        other = int(0)
        while wp.mesh_query_aabb_next(query, other):
            n += 1
            s += other
    count[k] = n
    total[k] = s


class Landed:
    """A scene after some frames."""

    def __init__(self, name, frames):
        made, begin = [], search.Search.__init__

        def noted(self, model, struct, x_search):
            made.append((model, struct, x_search))
            begin(self, model, struct, x_search)

        search.Search.__init__ = noted
        scene, landed = SCENES[name]
        scene = scene()
        settings = replace(scene.settings, threads=1)
        self.simulation = simulate(scene.bodies, settings, 1000)  # its arrays live as long
        for frame in self.simulation:
            if frame.index == (frames or landed):
                break
        search.Search.__init__ = begin
        self.model, self.struct, self.x_search = made[-1]

    @property
    def known(self):
        return [self.struct, self.model.contact_model.state, self.x_search]


class Tree:
    """One of our trees: arrays of its boxes, and of those of its queries."""

    def __init__(self, landed, tree):
        surface, record = landed.model.surface, landed.model.launches.record
        of_edges = tree in OF_EDGES
        corners = surface.edges if of_edges else surface.triangles
        first = surface.body_edges if of_edges else surface.body_triangles
        self.start = 0 if tree in OF_BODIES else first
        self.corners = corners[:first] if tree in OF_BODIES else corners[first:]
        self.queries = surface.body_edges if of_edges else len(surface.vertices)
        among = BODIES if tree in OF_BODIES else COLLIDERS
        self.boxes = [wp.zeros(len(self.corners), dtype=wp.vec3) for _ in range(2)]
        self.ends = [wp.zeros(self.queries, dtype=wp.vec3) for _ in range(2)]
        inputs = [int(of_edges), self.start, *landed.known]
        self.bound = record(bound_each, len(self.corners), inputs, self.boxes)
        inputs = [int(of_edges), int(among), *landed.known]
        record(find_queries, self.queries, inputs, self.ends)()
        self.bound()
        self.rest, self.record, self.answers, self.made = surface.rest, record, {}, []

    def ask(self, label, kernel, *inputs):
        """Return the launch of all queries, and keep where its answers are."""
        self.answers[label] = [wp.zeros(self.queries, dtype=int) for _ in range(2)]
        return self.record(kernel, self.queries, [*inputs, *self.ends], self.answers[label])

    def loads(self, kernel, *inputs):
        """Return the loads of the queries: their mean, and that of the longest of each 32."""
        loads = wp.zeros(self.queries, dtype=int)
        self.record(kernel, self.queries, [*inputs, *self.ends], [loads])()
        each = loads.numpy()
        longest = np.pad(each, (0, -len(each) % 32)).reshape(-1, 32).max(axis=1)
        return float(each.mean()), float(longest.mean())

    def warps(self, constructor, leaf):
        """Return Warp's tree as built at the start and refitted, and one that is built now."""
        now = [wp.clone(end) for end in self.boxes]
        places = self.rest[self.corners].astype(np.float32)
        for end, at_start in zip(self.boxes, (places.min(axis=1), places.max(axis=1)), strict=True):
            end.assign(at_start)
        old = wp.Bvh(*self.boxes, constructor, None, leaf)
        self.refit(old)
        new = wp.Bvh(*now, constructor, None, leaf)
        self.made += [old, new]
        return old, new

    def refit(self, tree):
        """Bound all entries and refit one of Warp's trees."""
        self.bound()
        tree.refit()


def timed(actions, rounds=ROUNDS):
    """The median CPU time [ms] of each of some actions by name, in turns."""
    taken = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            begin = time.thread_time()
            action()
            taken[name].append(1e3 * (time.thread_time() - begin))
    return {name: float(np.median(times)) for name, times in taken.items()}


def compare(landed, trees, number):
    """Print the rows of one tree."""
    tree, struct = Tree(landed, number), landed.struct
    middles = tree.rest[tree.corners].mean(axis=1)
    one_body = np.zeros(len(middles), dtype=int)
    makes = {"ours": partial(bvh.order_of, middles, one_body)}
    fits = {"ours": partial(play, trees.fitting([number]))}
    asks = {"ours": tree.ask("ours", ask_ours, number, struct)}
    loads = {"ours": tree.loads(count_nodes, number, struct)}
    for constructor, leaf in WARPS:
        label = f"{constructor} {leaf}"
        old, new = tree.warps(constructor, leaf)
        makes[label] = partial(wp.Bvh, *tree.boxes, constructor, None, leaf)
        fits[label] = partial(tree.refit, old)
        for which, made in ((label, old), (label + " new", new)):
            asks[which] = tree.ask(which, ask_warps, wp.uint64(made.id), tree.start)
            loads[which] = tree.loads(count_boxes, wp.uint64(made.id))
    if number in OF_COLLIDERS and number not in OF_EDGES:
        x = wp.clone(landed.x_search)
        corners = wp.array(tree.corners.ravel(), dtype=int)
        mesh = wp.Mesh(x, corners, bvh_leaf_size=4)
        low = x.numpy()[tree.corners].min(axis=1)
        wider = float((low - tree.boxes[0].numpy()).max())
        makes["mesh"] = partial(wp.Mesh, x, corners, bvh_leaf_size=4)
        fits["mesh"] = mesh.refit
        asks["mesh"] = tree.ask("mesh", ask_mesh, wp.uint64(mesh.id), wider)
    makes, fits, asks = timed(makes, 3), timed(fits), timed(asks)
    ours = [answer.numpy() for answer in tree.answers["ours"]]
    print(f"  {NAMES[number]}: {len(middles)}, {tree.queries} queries, {ours[0].sum()} answers")
    for label, took in asks.items():
        found = [answer.numpy() for answer in tree.answers[label]]
        is_same = all((a == b).all() for a, b in zip(found, ours, strict=True))
        mean, longest = loads.get(label, (np.nan, np.nan))
        make, fit = (given.get(label, np.nan) for given in (makes, fits))
        print(
            f"    {label:12} make {make:6.2f}  fit {fit:6.3f}  ask {took:6.3f} ms  "
            f"loads {mean:6.1f}, longest of 32 {longest:6.1f}  "
            f"{'same' if is_same else f'{found[0].sum() / max(ours[0].sum(), 1):.2f} of ours'}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(SCENES))
    parser.add_argument("--frames", type=int, default=0)
    given = parser.parse_args()
    for name in given.names:
        landed = Landed(name, given.frames)
        trees = bvh.Trees(landed.model, landed.struct, landed.x_search)
        trees.fit()
        print(name)
        for number in (*OF_BODIES, *OF_COLLIDERS):
            compare(landed, trees, number)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole motions with few iterations per step, with and without the coarse correction.

Bars of three resolutions, a bar of very unequal segments, sheets of three resolutions. Prints the
largest error over all steps as a fraction of the motion, and writes docs/gallery/convergence.png.
"""

from vbd.benchmarks.experiments import convergence_scenes as scenes
from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments.convergence_scenes import CONTRAST_STEPS, PLAIN, STEPS

BARS, SHEETS = (4, 8, 16), (32, 64, 128)
# Newton's method takes too long beyond these.
NEWTON_BAR, NEWTON_SHEET = 8, 32
# Iterations of the solver that stand in for it.
CONVERGED = 200
# Errors beyond so many motions are divergence.
DIVERGED = 2.0
COARSE = {f"coarse correction, {count}": (count, {}) for count in (1, 2, 5, 10)}
OTHERS = {
    "VBD, 20": (20, PLAIN),
    "VBD, 100": (100, PLAIN),
    "ω = 1.5, 20": (20, {**PLAIN, "relaxation": 1.5}),
    "Chebyshev ρ = 0.97, 20": (20, {**PLAIN, "acceleration": 0.97}),
}
METHODS = COARSE | OTHERS


def exact(name, body, by_newton, steps=STEPS, converged=CONVERGED):
    """The converged motion of a scene, by Newton's method or by many iterations of the solver."""
    if by_newton:
        return scenes.kept(f"{name}_newton", lambda: scenes.by_newton(body, steps))
    return scenes.kept(f"{name}_{converged}", lambda: scenes.by_solver(body, steps, converged))


def motions(body, steps, methods):
    """{name: positions [step, vertex, 3]} of the solver."""
    return {name: scenes.by_solver(body, steps, n, **how) for name, (n, how) in methods.items()}


def print_table(title, columns):
    """Rows of a Markdown table from {column: {row: text}}."""
    print(f"\n| {title} |", " | ".join(columns), "|")
    print("| --- |" + " --- |" * len(columns))
    for row in next(iter(columns.values())):
        print(f"| {row} |", " | ".join(column[row] for column in columns.values()), "|", flush=True)


def percent(error):
    """An error as text."""
    return f"{100.0 * error:.2g} %" if error < DIVERGED else "diverges"


def check_references():
    """Print the distance of converged motions from Newton's, or half as many iterations'."""
    bodies = {f"bar{n}": scenes.bar(n) for n in BARS}
    bodies |= {f"sheet{n}": scenes.hanging_sheet(n) for n in SHEETS}
    known = {f"bar{BARS[0]}", f"bar{BARS[1]}", f"sheet{SHEETS[0]}"}
    for name, body in bodies.items():
        other = exact(name, body, name in known, converged=CONVERGED // 2)
        apart = scenes.error(exact(name, body, False), other, body.points)
        against = "Newton" if name in known else f"{CONVERGED // 2}"
        print(f"{name}, {CONVERGED} iterations against {against}: {apart:.1e}", flush=True)


def bars():
    """Print the errors of cantilevers; returns the motions of the middle one, the exact one too."""
    columns, shown = {}, {}
    for cells in BARS:
        body = scenes.bar(cells)
        best = exact(f"bar{cells}", body, cells <= NEWTON_BAR)
        found = motions(body, STEPS, METHODS)
        columns[f"{cells} × {cells} × {10 * cells}"] = {
            name: percent(scenes.error(path, best, body.points)) for name, path in found.items()
        }
        if cells == BARS[1]:
            shown = found | {"exact": best}
    print_table("cantilever, largest error", columns)
    return shown


def contrast():
    """Print the errors of the bar of soft and stiff segments."""
    body = scenes.contrast_bar()
    best = scenes.kept("contrast_newton", lambda: scenes.by_newton(body, CONTRAST_STEPS))
    found = motions(body, CONTRAST_STEPS, METHODS)
    errors = {name: percent(scenes.error(path, best, body.points)) for name, path in found.items()}
    print_table("soft and stiff segments", {"largest error": errors})


def describe_sheet(body, path, best):
    """Stretch at the end, lowest point at the end and of all times, largest error; as text."""
    return (
        f"+{100.0 * (scenes.longest_edges(body, path[-1]) - 1.0):.2g} %, "
        f"{-path[-1, :, 2].min():.2f} m, {-path[:, :, 2].min():.2f} m, "
        + percent(scenes.error(path, best, body.points))
    )


def sheets():
    """Print errors of sheets; returns the ends of the middle one's motions."""
    columns, shown = {}, {}
    for cells in SHEETS:
        body = scenes.hanging_sheet(cells)
        best = exact(f"sheet{cells}", body, cells <= NEWTON_SHEET)
        found = motions(body, STEPS, METHODS) | {"exact": best}
        columns[f"{cells + 1}²"] = {
            name: describe_sheet(body, path, best) for name, path in found.items()
        }
        if cells == SHEETS[1]:
            shown = {name: path[-1] for name, path in found.items()}
    print_table("sheet", columns)
    return shown


def draw_bars(axes, found):
    """The middle bar where it hangs lowest, over the exact one."""
    body = scenes.bar(BARS[1])
    triangles, side = figures.surface(body.tets), figures.view(-25.0, 10.0)
    at = int(found["exact"][:, :, 2].min(axis=1).argmin())
    for shown, name in zip(axes, ("VBD, 100", "coarse correction, 2", "exact"), strict=True):
        figures.draw_surface(shown, found["exact"][at], triangles, side, "0.8")
        figures.draw_surface(shown, found[name][at], triangles, side, "#d07040")
        figures.frame_view(shown, (-0.4, -1.65), (2.0, 0.25), name)


def draw_sheets(axes, found):
    """The ends of the middle sheet's motions."""
    body, side = scenes.hanging_sheet(SHEETS[1]), figures.view(25.0, 15.0)
    for shown, name in zip(axes, ("VBD, 100", "coarse correction, 5", "exact"), strict=True):
        figures.draw_surface(shown, found[name], body.triangles, side, "#4a7ab0")
        figures.frame_view(shown, (-1.0, -1.1), (1.0, 0.2), name)


def main():
    check_references()
    contrast()
    figure, axes = figures.pyplot.subplots(2, 3, figsize=(12, 7))
    draw_bars(axes[0], bars())
    draw_sheets(axes[1], sheets())
    figure.tight_layout()
    figures.save(figure, "convergence")


if __name__ == "__main__":
    main()

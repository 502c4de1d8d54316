# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the records, with the version of the solver that `import vbd` imports.

    PYTHONPATH=FOLDER:CHECKOUT/tests python tests/recorded/record.py [NAME ...]

FOLDER has a link `vbd` to that version's checkout.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))

from recorded.measures import FOLDER, file_name, measured
from recorded.scenes import CONTACT, FREE


def main(names):
    scenes = {**FREE, **CONTACT}
    for name in names or scenes:
        started = time.perf_counter()
        scene = scenes[name]()
        values = measured(scene, scene.run())
        seconds = time.perf_counter() - started
        path = FOLDER / file_name(name)
        np.savez_compressed(path, **values)
        print(f"{name}: {seconds:.1f} s, {path.stat().st_size / 1024:.0f} KB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

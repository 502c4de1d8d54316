# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the extension package with Blender's own tool, and have the same tool validate it.

Usage: `python .ci/zip.py this` for the system at hand, `all` for every platform of the manifest, or
platform names such as `linux-x64`. Warp's wheels are fetched into wheels/ when they are not there.
"""

import importlib.util
import json
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
STAGE = BUILD / "stage"
THIS = {
    ("Linux", "x86_64"): "linux-x64",
    ("Windows", "AMD64"): "windows-x64",
    ("Darwin", "arm64"): "macos-arm64",
}
WHEEL_TAGS = {"linux-x64": "manylinux", "windows-x64": "win", "macos-arm64": "macosx"}


def chosen_platforms(words, known):
    if words in ([], ["this"]):
        machine = (platform.system(), platform.machine())
        if machine not in THIS:
            sys.exit(f"there is no package for {machine}; name one of {', '.join(known)}")
        return [THIS[machine]]
    if words == ["all"]:
        return known
    unknown = [word for word in words if word not in known]
    if unknown:
        sys.exit(f"{unknown[0]} is no platform of the manifest; it knows {', '.join(known)}")
    return words


def fetch(wheel):
    """Download one wheel of the manifest, unless it exists."""
    path = ROOT / wheel
    if not path.exists():
        name, version, *_, tag = path.stem.split("-")
        print(f"fetching {path.name}")
        options = ["--quiet", "--no-deps", "--only-binary=:all:", "--platform", tag]
        options += ["--disable-pip-version-check", "--dest", path.parent]
        subprocess.run(
            [sys.executable, "-m", "pip", "download", *options, f"{name}=={version}"], check=True
        )
    if not path.exists():
        sys.exit(f"the package index gave no {path.name}; write the name it gives in the manifest")


def stage(manifest_text, platforms, wheels):
    """Copy the files of the package to build/stage, with a manifest of these platforms only.

    The tool needs every wheel of a manifest on disk, also those of platforms it does not build.
    """
    shutil.rmtree(STAGE, ignore_errors=True)
    aside = shutil.ignore_patterns(".*", "build", "wheels", "tests", "docs", "*.egg-info")
    shutil.copytree(ROOT, STAGE, ignore=aside)
    (STAGE / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy(ROOT / wheel, STAGE / wheel)
    for key, values in (("platforms", platforms), ("wheels", wheels)):
        manifest_text = re.sub(
            rf"^{key} = \[.*?\]",
            f"{key} = {json.dumps(values)}",
            manifest_text,
            flags=re.MULTILINE | re.DOTALL,
        )
    (STAGE / "blender_manifest.toml").write_text(manifest_text, encoding="utf-8")


def blender_tool(*words):
    """Run Blender's command line tool for extensions, without starting Blender."""
    bpy = Path(importlib.util.find_spec("bpy").origin).parent
    (tool,) = bpy.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    subprocess.run([sys.executable, tool, *words], check=True)


def main(words):
    manifest_text = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    manifest = tomllib.loads(manifest_text)
    platforms = chosen_platforms(words, manifest["platforms"])
    tags = tuple(f"-{WHEEL_TAGS[name]}" for name in platforms)
    wheels = [wheel for wheel in manifest["wheels"] if any(tag in wheel for tag in tags)]
    for wheel in wheels:
        fetch(wheel)
    stage(manifest_text, platforms, wheels)
    blender_tool("build", "--source-dir", STAGE, "--output-dir", BUILD, "--split-platforms")
    shutil.rmtree(STAGE)
    for name in platforms:
        package = BUILD / f"vbd-{manifest['version']}-{name.replace('-', '_')}.zip"
        blender_tool("validate", package)
        print(f"{package.relative_to(ROOT)}: {package.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])

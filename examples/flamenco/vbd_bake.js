// SPDX-License-Identifier: GPL-3.0-or-later
// A job type of Flamenco 3 that bakes a file with all mixes of values, a task each. Put it into the
// folder `scripts` beside the Flamenco Manager; the workers need the extension installed.

const JOB_TYPE = {
    label: "VBD Bake",
    description: "Simulate a file without a window, once for each mix of settings",
    settings: [
        { key: "blendfile", type: "string", required: true, eval: "bpy.data.filepath", visible: "web",
          description: "The file to bake" },
        { key: "output_folder", type: "string", subtype: "dir_path", required: true,
          description: "Where the baked files are saved" },
        { key: "frames", type: "string", default: "",
          description: "First and last frame, such as 1:250; empty: as set in the file" },
        { key: "sweeps", type: "string", default: "",
          description: "Values of solver settings, such as substeps=4,8 iterations=20,60" },
    ],
};

// [["substeps", ["4", "8"]], ...]
function parsed(sweeps) {
    return sweeps.split(" ").filter((word) => word).map((word) => {
        const at = word.indexOf("=");
        const values = word.slice(at + 1).split(",");
        if (at < 1 || values.includes("")) {
            throw new Error(`"${word}" has no values; write it as substeps=4,8`);
        }
        return [word.slice(0, at), values];
    });
}

// All mixes, each a list like ["substeps=4", "iterations=20"].
function mixes(sweeps) {
    return sweeps.reduce(
        (found, [name, values]) =>
            [].concat(...found.map((mix) => values.map((value) => [...mix, `${name}=${value}`]))),
        [[]],
    );
}

function fileName(path) {
    return path.split(/[\\/]/).pop().replace(/\.blend$/, "");
}

function compileJob(job) {
    const settings = job.settings;
    for (const mix of mixes(parsed(settings.sweeps))) {
        const said = mix.length ? mix.map((word) => word.replace("=", "-")) : ["baked"];
        const name = [fileName(settings.blendfile), ...said].join("_").replace(/[^\w.+-]/g, "_");
        const args = ["--background", settings.blendfile, "--command", "vbd", "bake"];
        if (settings.frames) {
            args.push(`--frames=${settings.frames}`);
        }
        if (mix.length) {
            args.push("--set", ...mix);
        }
        // A task that runs again continues after its last finished frame.
        args.push("--output", `${settings.output_folder}/${name}.blend`, "--resume");
        const task = author.Task(name, "blender");
        task.addCommand(author.Command("exec", { exe: "{blender}", args: args }));
        job.addTask(task);
    }
}

"use strict";
// Which lintorch is started. Knows nothing of the editor: what it is given are plain values.

const { spawnSync } = require("child_process");
const path = require("path");

const SECONDS = 20;
const HAS_SERVER = "import lintorch, pygls";

/**
 * The command that starts the server, or why there is none.
 *
 * `settings` holds `path`, `interpreter` and `args`, `python` is what the Python extension has
 * chosen ("" for none). What settings name is taken as it is; what is only found has to work.
 * `runs` tells whether a command with arguments ends well.
 */
function findServer(settings, python, runs = endsWell) {
  const serve = ["server", ...settings.args];
  if (settings.path) {
    return { command: expandHome(settings.path), args: serve };
  }
  if (settings.interpreter) {
    return { command: expandHome(settings.interpreter), args: ["-m", "lintorch", ...serve] };
  }
  if (python && runs(python, ["-c", HAS_SERVER])) {
    return { command: python, args: ["-m", "lintorch", ...serve] };
  }
  if (runs("lintorch", ["server", "--help"])) {
    return { command: "lintorch", args: serve };
  }
  const where = python ? `${python} has no lintorch with pygls, and none is on PATH` : "none is on PATH";
  return { problem: `lintorch was not found: ${where}. Install lintorch and pygls, or name it in the settings.` };
}

function expandHome(file) {
  const home = process.env.HOME || process.env.USERPROFILE || "";
  return file.startsWith("~") ? path.join(home, file.slice(1)) : file;
}

function endsWell(command, args) {
  // not from where the editor was started: that may be the workspace, and Python imports from there
  const ended = spawnSync(command, args, { timeout: SECONDS * 1000, stdio: "ignore", cwd: __dirname });
  return ended.status === 0;
}

module.exports = { findServer };

"use strict";

const assert = require("assert");
const test = require("node:test");
const { findServer } = require("../src/find_server");

const NONE = { path: "", interpreter: "", args: [] };
const has = (...commands) => (command) => commands.includes(command);

test("what settings name is started as it is", () => {
  const named = findServer({ ...NONE, path: "/opt/lintorch", interpreter: "/opt/python" }, "", has());
  assert.deepStrictEqual(named, { command: "/opt/lintorch", args: ["server"] });
  const python = findServer({ ...NONE, interpreter: "/opt/python", args: ["--isolated"] }, "", has());
  assert.deepStrictEqual(python, { command: "/opt/python", args: ["-m", "lintorch", "server", "--isolated"] });
});

test("the chosen interpreter comes before PATH, where it has lintorch", () => {
  assert.strictEqual(findServer(NONE, "/env/python", has("/env/python", "lintorch")).command, "/env/python");
  assert.strictEqual(findServer(NONE, "/env/python", has("lintorch")).command, "lintorch");
});

test("where there is none, it is said where it was looked for", () => {
  assert.match(findServer(NONE, "/env/python", has()).problem, /\/env\/python has no lintorch/);
  assert.match(findServer(NONE, "", has()).problem, /none is on PATH/);
});

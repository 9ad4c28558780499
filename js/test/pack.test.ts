// What npm would publish: the library, its types, the command, and no more.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);

test("the package holds what it needs and nothing else", () => {
  const { stdout, stderr } = spawnSync("npm", ["pack", "--dry-run", "--json"], { cwd: root, encoding: "utf8" });
  const json = stdout.slice(stdout.indexOf("[\n"));
  assert.ok(json.startsWith("["), stderr);
  const [packed] = JSON.parse(json) as { files: { path: string; mode: number }[] }[];
  const sources = readdirSync(new URL("src/", root)).map((name) => name.replace(/\.ts$/, ""));
  const commandOnly = ["cli", "node_gpu"];
  const expected = [
    "LICENSE",
    "README.md",
    "package.json",
    ...sources.map((name) => `dist/${name}.js`),
    ...sources.filter((name) => !commandOnly.includes(name)).map((name) => `dist/${name}.d.ts`),
  ];
  assert.deepEqual(packed?.files.map(({ path }) => path).sort(), expected.sort());
  assert.match(readFileSync(new URL("dist/cli.js", root), "utf8"), /^#!\/usr\/bin\/env node\n/);
});

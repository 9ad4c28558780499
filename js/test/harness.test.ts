// The packages as a stranger runs them: harness/ knows only the format's description, not the loader.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openDevice } from "./adapter.js";
import { runPackage } from "./harness/run_package.js";
import { packageFolders, testPackage } from "./packages.js";

const { device: opened, skip } = await openDevice();
const device = opened as GPUDevice;
if (skip === false) Object.assign(globalThis, (await import("webgpu")).globals); // GPUBufferUsage and the like.

for (const { name, path } of packageFolders) {
  test(`${name}, read without the loader`, { skip }, async () => {
    const results = await runPackage(path, device, device.adapterInfo);
    assert.ok(results.length > 0);
    for (const { name: which, problem } of results) assert.equal(problem, undefined, which);
  });
}

test("a result that is not what is expected, and a byte that is flipped", { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-harness-"));
  try {
    cpSync(testPackage("count-up"), folder, { recursive: true });
    const shader = join(folder, "build/webgpu/count.wgsl.jinja");
    const metadata = join(folder, "build/webgpu/metadata.json");
    writeFileSync(shader, readFileSync(shader, "utf8").replace("y[i] = i;", "y[i] = i+1;"));
    await assert.rejects(runPackage(folder, device, device.adapterInfo), /count.wgsl.jinja is not the file/);
    const { createHash } = await import("node:crypto");
    const sealed = JSON.parse(readFileSync(metadata, "utf8")) as { digest: { files: Record<string, string> } };
    sealed.digest.files["count.wgsl.jinja"] = createHash("sha256").update(readFileSync(shader)).digest("base64");
    writeFileSync(metadata, JSON.stringify(sealed));
    const [first] = await runPackage(folder, device, device.adapterInfo);
    assert.match(first?.problem ?? "", /y\[0\] is 1, not 0/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

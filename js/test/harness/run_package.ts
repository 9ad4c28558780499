// What a stranger with this format's description, a template engine and WebGPU would write: it reads manifest, metadata
// and templates of a package, and runs the cases of its test.json. Nothing here comes from the loader in src/.
//   node out/test/harness/run_package.js PACKAGE…
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { difference, storedTensors, tensorOf } from "./cases.js";
import { execute } from "./execute.js";
import { planOf, type Entry, type Tensor } from "./plan.js";

export interface CaseResult {
  readonly name: string;
  readonly variant: string;
  /** What went wrong; undefined when nothing did. */
  readonly problem?: string | undefined;
  readonly skipped?: string | undefined;
}

function folderOf(location: string): string {
  const inside = join(location, "build", "webgpu");
  return existsSync(join(inside, "manifest.json")) ? inside : location;
}

function checkedFiles(folder: string): Map<string, string> {
  const metadata = JSON.parse(readFileSync(join(folder, "metadata.json"), "utf8")) as Entry;
  const files = new Map<string, string>();
  for (const [name, digest] of Object.entries<string>(metadata["digest"].files)) {
    const bytes = readFileSync(join(folder, name));
    if (
      createHash(metadata["digest"].algorithm as string)
        .update(bytes)
        .digest("base64") !== digest
    )
      throw new Error(`${name} is not the file that was sealed`);
    if (!name.endsWith(".safetensors")) files.set(name, bytes.toString("utf8"));
  }
  for (const [variant, shaders] of Object.entries<string[]>(metadata["webgpu"].variants))
    for (const shader of shaders) if (!files.has(shader)) throw new Error(`variant ${variant} lacks ${shader}`);
  return files;
}

const weights = "weights.safetensors";

/** The inputs of a case; one that it leaves out has its value among the package's weights, if it is one of them. */
function inputsOf(test: Entry, manifest: Entry, folder: string): Record<string, Tensor> {
  const given = test["inputs"] as Readonly<Record<string, Entry>>;
  for (const key of Object.keys(given))
    if (manifest["inputs"]?.[key] === undefined) throw new Error(`${key} is no input of the manifest`);
  const stored = existsSync(join(folder, weights)) ? storedTensors(join(folder, weights)) : {};
  const inputs = Object.keys(manifest["inputs"] ?? {}).flatMap((key) => {
    const tensor = given[key] ?? stored[key];
    return tensor === undefined ? [] : [[key, tensorOf(tensor, folder)] as const];
  });
  return Object.fromEntries(inputs);
}

async function runCase(
  test: Entry,
  defaults: Entry,
  manifest: Entry,
  files: Map<string, string>,
  folder: string,
  device: GPUDevice,
  adapter: GPUAdapterInfo,
): Promise<CaseResult> {
  const name = String(test["name"]);
  const lacking = ((test["features"] ?? []) as string[]).filter((feature) => !device.features.has(feature));
  if (lacking.length > 0) return { name, variant: "none", skipped: `the device has no ${lacking.join(", ")}` };
  try {
    const call = {
      inputs: inputsOf(test, manifest, folder),
      attrs: (test["attrs"] ?? {}) as Entry,
      tunables: (test["tunables"] ?? {}) as Entry,
    };
    const plan = planOf(manifest, files, call, device, adapter);
    const results = await execute(device, plan, call);
    const problems = Object.entries<Entry>(test["expected"])
      .map(([key, expected]) =>
        difference(
          key,
          expected,
          results[key],
          test["tolerances"]?.[key] ?? defaults[String(expected["dtype"])],
          folder,
        ),
      )
      .filter((problem) => problem !== undefined);
    return { name, variant: plan.variant, problem: problems.length > 0 ? problems.join("; ") : undefined };
  } catch (thrown) {
    return { name, variant: "none", problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

export async function runPackage(location: string, device: GPUDevice, adapter: GPUAdapterInfo): Promise<CaseResult[]> {
  const folder = folderOf(location);
  const files = checkedFiles(folder);
  const manifest = JSON.parse(files.get("manifest.json") ?? "") as Entry;
  const tests = JSON.parse(files.get("test.json") ?? "") as Entry;
  if (tests["format"] !== "pawl-package-test/1") throw new Error(`test.json is ${String(tests["format"])}`);
  const results: CaseResult[] = [];
  for (const test of tests["cases"] as Entry[])
    results.push(await runCase(test, (tests["tolerances"] ?? {}) as Entry, manifest, files, folder, device, adapter));
  return results;
}

/** A device with everything that the adapter has: many packages bind more buffers than the least that WebGPU promises. */
export function wholeDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const requiredLimits: Record<string, number> = {};
  for (const name in adapter.limits) {
    const limit = adapter.limits[name as keyof GPUSupportedLimits];
    if (typeof limit === "number") requiredLimits[name] = limit;
  }
  return adapter.requestDevice({ requiredFeatures: [...adapter.features] as GPUFeatureName[], requiredLimits });
}

async function main(locations: readonly string[]): Promise<void> {
  const { create, globals } = await import("webgpu");
  Object.assign(globalThis, globals);
  const gpu = create([]);
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error("there is no WebGPU adapter");
  const device = await wholeDevice(adapter);
  let failed = 0;
  for (const location of locations)
    for (const result of await runPackage(location, device, adapter.info)) {
      if (result.problem !== undefined) failed += 1;
      const outcome = result.skipped !== undefined ? `skipped: ${result.skipped}` : (result.problem ?? "ok");
      console.log(`${location}: ${result.name} (${result.variant}): ${outcome}`);
    }
  process.exit(failed === 0 ? 0 : 1); // Before Dawn's objects are torn down in any order.
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DeviceError, messageOf } from "./errors.js";

interface Implementation {
  create(options: readonly string[]): GPU;
}

/** Dawn's instance ends the process when it is collected before its devices are. */
const kept: GPU[] = [];

/** The npm package webgpu, installed beside this package or where the command is called. */
async function implementation(): Promise<Implementation> {
  const name = "webgpu";
  try {
    return (await import(name)) as Implementation;
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
  }
  const here = createRequire(join(process.cwd(), "package.json"));
  return (await import(pathToFileURL(here.resolve(name)).href)) as Implementation;
}

/** WebGPU in Node. */
export async function nodeGpu(): Promise<GPU> {
  let found: Implementation;
  try {
    found = await implementation();
  } catch (thrown) {
    const missing = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(String((thrown as { code?: unknown }).code));
    const problem = missing
      ? "Node has no WebGPU of its own: npm install webgpu"
      : `the npm package webgpu does not load: ${messageOf(thrown)}`;
    throw new DeviceError(problem, { cause: thrown });
  }
  const gpu = found.create([]);
  kept.push(gpu);
  return gpu;
}

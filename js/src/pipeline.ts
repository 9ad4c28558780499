import type { BufferKind } from "./manifest.js";
import { ShaderError, messageOf } from "./errors.js";
import type { PlannedPass } from "./plan.js";

/** A compiled pass. */
export interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

const computeStage = 0x4;

function problemsOf(info: GPUCompilationInfo): string[] {
  return info.messages
    .filter(({ type }) => type === "error")
    .map(({ lineNum, linePos, message }) => `line ${lineNum}:${linePos}: ${message}`);
}

/** Compiles each shader once for a device. */
export class Pipelines {
  private readonly compiled = new Map<string, Promise<Pipeline>>();

  constructor(private readonly device: GPUDevice) {}

  /** The pipeline of a pass; it waits only when the pass was not compiled before. */
  for(pass: PlannedPass): Promise<Pipeline> {
    const kinds = pass.bindings.map(({ buffer }) => buffer);
    const key = JSON.stringify([pass.entryPoint, kinds, pass.source]);
    let found = this.compiled.get(key);
    if (found === undefined) {
      found = this.compile(pass, kinds);
      this.compiled.set(key, found);
      // A later call may try again, after a lost device for one.
      found.catch(() => this.compiled.delete(key));
    }
    return found;
  }

  private async compile(pass: PlannedPass, kinds: readonly BufferKind[]): Promise<Pipeline> {
    const { device } = this;
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ label: pass.label, code: pass.source });
    const layout = device.createBindGroupLayout({
      label: pass.label,
      entries: kinds.map((type, binding) => ({ binding, visibility: computeStage, buffer: { type } })),
    });
    const invalid = device.popErrorScope();
    const problems = problemsOf(await module.getCompilationInfo());
    const error = await invalid;
    if (problems.length === 0 && error !== null) problems.push(error.message);
    if (problems.length > 0) throw new ShaderError(pass.file, problems, pass.source);
    try {
      const pipeline = await device.createComputePipelineAsync({
        label: pass.label,
        layout: device.createPipelineLayout({ label: pass.label, bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: pass.entryPoint },
      });
      return { pipeline, layout };
    } catch (thrown) {
      throw new ShaderError(pass.file, [messageOf(thrown)], pass.source, { cause: thrown });
    }
  }

  clear(): void {
    this.compiled.clear();
  }
}

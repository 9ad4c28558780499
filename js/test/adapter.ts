// Dawn in Node, for the tests that need a device; on a machine without a Vulkan driver, the reason to skip them.

export interface TestDevice {
  readonly gpu: GPU | undefined;
  readonly device: GPUDevice | undefined;
  readonly skip: string | false;
  readonly name: string;
}

const features: readonly GPUFeatureName[] = ["shader-f16", "subgroups", "timestamp-query"];

/** Dawn's instance ends the process when it is collected before its devices are. */
const kept: GPU[] = [];

export async function openDevice(): Promise<TestDevice> {
  try {
    const { create } = await import("webgpu");
    const gpu = create([]);
    kept.push(gpu);
    const adapter = await gpu.requestAdapter();
    if (adapter === null)
      return { gpu: undefined, device: undefined, skip: "no WebGPU adapter: there is no Vulkan driver", name: "none" };
    const device = await adapter.requestDevice({
      requiredFeatures: features.filter((feature) => adapter.features.has(feature)),
      // Packages bind more buffers than the eight that WebGPU promises.
      requiredLimits: { maxStorageBuffersPerShaderStage: adapter.limits.maxStorageBuffersPerShaderStage },
    });
    return {
      gpu,
      device,
      skip: false,
      name: `${adapter.info.vendor} ${adapter.info.architecture} ${adapter.info.description}`.trim(),
    };
  } catch (thrown) {
    return {
      gpu: undefined,
      device: undefined,
      skip: `no WebGPU: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      name: "none",
    };
  }
}

import type { Work } from "./clock.js";
import { DeviceError } from "./errors.js";
import { bufferUsage } from "./tensor.js";

const shader = `
@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4<u32>>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  for (var i = id.x; i < arrayLength(&target_); i += groups.x * 256u) {
    target_[i] = source[i];
  }
}`;

/** Work that moves bytes and does nothing else: what a kernel that moves as many is measured against. */
export interface Copy {
  readonly work: Work;
  dispose(): void;
}

const mostWorkgroups = 65535;

/** A kernel that reads half of the bytes and writes the other half. */
export async function copyOf(device: GPUDevice, bytes: number): Promise<Copy> {
  const size = Math.max(16, Math.ceil(bytes / 32) * 16);
  if (size > device.limits.maxStorageBufferBindingSize)
    throw new DeviceError(`a copy of ${bytes} bytes does not fit the device`);
  const pipeline = await device.createComputePipelineAsync({
    label: "copy",
    layout: "auto",
    compute: { module: device.createShaderModule({ label: "copy", code: shader }), entryPoint: "main" },
  });
  device.pushErrorScope("out-of-memory");
  const buffers = [0, 1].map(() => device.createBuffer({ label: "copy", size, usage: bufferUsage.storage }));
  const dispose = (): void => buffers.forEach((buffer) => buffer.destroy());
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  if ((await device.popErrorScope()) !== null) {
    dispose();
    throw new DeviceError(`the device has no memory for a copy of ${bytes} bytes`);
  }
  const workgroups = Math.min(Math.ceil(size / 16 / 256), mostWorkgroups);
  const work: Work = (encoder, { repeat, timestampWrites }) => {
    const pass = encoder.beginComputePass({
      label: "copy",
      ...(timestampWrites === undefined ? {} : { timestampWrites }),
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let time = 0; time < repeat; time++) pass.dispatchWorkgroups(workgroups);
    pass.end();
  };
  return { work, dispose };
}

// Runs a plan on a device: buffers, pipelines, one command buffer.
import type { Call, Pass, Plan, Tensor } from "./plan.js";

const filled = (size: number): number => Math.max(Math.ceil(size / 4) * 4, 4);

function bufferOf(device: GPUDevice, size: number, usage: number, contents?: Uint8Array): GPUBuffer {
  const buffer = device.createBuffer({ size: filled(size), usage, mappedAtCreation: contents !== undefined });
  if (contents !== undefined) {
    new Uint8Array(buffer.getMappedRange()).set(contents);
    buffer.unmap();
  }
  return buffer;
}

function record(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  pass: Pass,
  buffers: ReadonlyMap<string, GPUBuffer>,
): GPUBuffer[] {
  const uniforms: GPUBuffer[] = [];
  const layout = device.createBindGroupLayout({
    entries: pass.bound.map(({ type }, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } })),
  });
  const entries = pass.bound.map(({ arg, contents }, binding) => {
    let buffer = buffers.get(arg);
    if (contents !== undefined)
      uniforms.push((buffer = bufferOf(device, contents.length, GPUBufferUsage.UNIFORM, contents)));
    if (buffer === undefined) throw new Error(`nothing is bound to ${arg}`);
    return { binding, resource: { buffer } };
  });
  const pipeline = device.createComputePipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ code: pass.code }), entryPoint: pass.entryPoint },
  });
  const compute = encoder.beginComputePass();
  compute.setPipeline(pipeline);
  compute.setBindGroup(0, device.createBindGroup({ layout, entries }));
  compute.dispatchWorkgroups(...pass.groups);
  compute.end();
  return uniforms;
}

export async function execute(device: GPUDevice, plan: Plan, call: Call): Promise<Record<string, Tensor>> {
  device.pushErrorScope("validation");
  device.pushErrorScope("out-of-memory");
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
  const buffers = new Map<string, GPUBuffer>();
  for (const [key, { bytes }] of Object.entries(call.inputs))
    buffers.set(key, bufferOf(device, bytes.length, storage, bytes));
  for (const [key, size] of Object.entries(plan.made)) buffers.set(key, bufferOf(device, size, storage));
  const encoder = device.createCommandEncoder();
  const uniforms = plan.passes.flatMap((pass) => record(device, encoder, pass, buffers));
  const copies = Object.keys(plan.outputs).map((key) => {
    const from = buffers.get(key) as GPUBuffer;
    const to = bufferOf(device, from.size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
    return [key, to] as const;
  });
  device.queue.submit([encoder.finish()]);
  const problem = (await device.popErrorScope()) ?? (await device.popErrorScope());
  if (problem !== null) throw new Error(problem.message);
  const results: Record<string, Tensor> = {};
  for (const [key, copy] of copies) {
    await copy.mapAsync(GPUMapMode.READ);
    const { dtype, shape } = plan.outputs[key] as { dtype: string; shape: readonly number[] };
    results[key] = { dtype, shape, bytes: new Uint8Array(copy.getMappedRange().slice(0, plan.made[key])) };
    copy.destroy();
  }
  for (const buffer of [...buffers.values(), ...uniforms]) buffer.destroy();
  return results;
}

import type { CallTensor } from "./call.js";
import {
  arrayName,
  asFloat16Array,
  elementCount,
  fromDeviceBytes,
  roundUp,
  toDeviceBytes,
  type HostData,
} from "./dtype.js";
import { CallError, DeviceError, InputError, messageOf } from "./errors.js";
import type { Pipeline, Pipelines } from "./pipeline.js";
import type { Plan, PlannedPass } from "./plan.js";
import {
  bufferUsage,
  GPUTensor,
  recordReadback,
  type BufferTensor,
  type HostInput,
  type HostTensor,
} from "./tensor.js";

export type CallInput = HostInput | BufferTensor;

export interface RunOptions {
  readonly encoder: GPUCommandEncoder | undefined;
  readonly into: Readonly<Record<string, BufferTensor | undefined>>;
}

/** Where a tensor stands in a buffer. */
interface Place {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  /** True when the caller owns the buffer. */
  readonly borrowed: boolean;
}

/** A pass with its pipeline and buffers. */
interface BoundPass {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly workgroups: readonly [number, number, number];
}

export interface RecordOptions {
  /** How often the work is done, one time after the other; once when left out. */
  readonly repeat?: number | undefined;
  /** Where the device writes when the work begins and ends; nothing is written when there is nothing to do. */
  readonly timestampWrites?: GPUComputePassTimestampWrites | undefined;
}

/** A call with compiled shaders and buffers in place: recording it allocates nothing. */
export interface PreparedCall {
  /** The variant that runs; undefined when all outputs are empty, so that there is nothing to do. */
  readonly variant: string | undefined;
  /** Written anew each time that the work is done. */
  readonly outputs: Readonly<Record<string, GPUTensor>>;
  /** Records the work; the caller submits it. Typed arrays among the inputs were copied when the call was prepared. */
  record(encoder: GPUCommandEncoder, options?: RecordOptions): void;
  /** Destroys the buffers that were made for the call, outputs included. */
  dispose(): void;
}

export function isBuffer(input: CallInput): input is BufferTensor {
  return "buffer" in input && !ArrayBuffer.isView(input);
}

const ownUsage = bufferUsage.storage | bufferUsage.uniform | bufferUsage.copySource | bufferUsage.copyTarget;

/** One call on its way through the device. */
export class Run {
  private readonly places = new Map<string, Place>();
  /** Buffers that are of no use once the work is submitted. */
  private readonly temporary: GPUBuffer[] = [];
  private readonly troubles: Promise<GPUError | null>[] = [];
  /** The bytes that the passes bind of each tensor and intermediate. */
  private readonly boundBytes = new Map<string, number>();
  /** Where the bytes of each uniform stand in the one buffer of all. */
  private readonly uniforms = new Map<Uint8Array, number>();
  private uniformBytes = 0;

  constructor(
    private readonly device: GPUDevice,
    private readonly plan: Plan,
    private readonly options: RunOptions,
  ) {
    const { minUniformBufferOffsetAlignment: uniform, minStorageBufferOffsetAlignment: storage } = device.limits;
    const alignment = Math.max(uniform, storage);
    for (const { source, byteLength } of plan.passes.flatMap((pass) => pass.bindings)) {
      if (typeof source === "string") {
        this.boundBytes.set(source, Math.max(byteLength, this.boundBytes.get(source) ?? 0));
      } else {
        this.uniforms.set(source, this.uniformBytes);
        this.uniformBytes += roundUp(source.byteLength, alignment);
      }
    }
  }

  /** Checks the caller's buffers, then allocates and uploads; the caller's arrays may change afterwards. */
  prepare(inputs: Readonly<Record<string, CallInput | undefined>>): void {
    const { call, intermediates } = this.plan;
    for (const [key, tensor] of call.inputs) {
      const input = inputs[key];
      if (input !== undefined && isBuffer(input)) this.borrow(key, input, tensor, false);
    }
    for (const [key, into] of Object.entries(this.options.into)) {
      const tensor = call.outputs.get(key);
      if (tensor === undefined) throw new CallError(`into: the kernel has no output "${key}"`);
      if (into !== undefined) this.borrow(key, into, tensor, true);
    }
    this.checkSharing();
    const uploads = [...call.inputs].map(([key, tensor]) => ({
      key,
      bytes: this.deviceBytes(key, inputs[key], tensor),
    }));
    this.scoped(() => {
      for (const { key, bytes } of uploads) {
        if (bytes !== undefined) this.device.queue.writeBuffer(this.allocate(key, bytes.byteLength, true), 0, bytes);
      }
      for (const { id, byteLength } of intermediates) this.allocate(id, byteLength, true);
    });
  }

  private deviceBytes(
    key: string,
    input: CallInput | undefined,
    tensor: CallTensor,
  ): Uint8Array<ArrayBuffer> | undefined {
    if (input === undefined || isBuffer(input)) return undefined;
    return toDeviceBytes(tensor.dtype, tensor.storage, input.data, (index) => {
      throw new InputError(
        key,
        `element ${index} does not fit ${tensor.storage}, in which the kernel reads ${tensor.dtype}`,
      );
    });
  }

  private allocate(key: string, byteLength: number, temporary: boolean): GPUBuffer {
    const size = Math.max(4, roundUp(byteLength, 4), this.boundBytes.get(key) ?? 0);
    const buffer = this.device.createBuffer({ label: key, size, usage: ownUsage });
    this.places.set(key, { buffer, offset: 0, borrowed: false });
    if (temporary) this.temporary.push(buffer);
    return buffer;
  }

  private borrow(key: string, given: BufferTensor, tensor: CallTensor, written: boolean): void {
    const fail = (problem: string): never => {
      throw written ? new CallError(`into "${key}": ${problem}`) : new InputError(key, problem);
    };
    if (given.shape.join() !== tensor.shape.join())
      fail(`its shape is [${given.shape.join(", ")}], the kernel's [${tensor.shape.join(", ")}]`);
    if (given.dtype !== tensor.dtype) fail(`its type is ${given.dtype}, the kernel's ${tensor.dtype}`);
    if (given instanceof GPUTensor) {
      if (given.disposed) fail("the tensor has been disposed of");
      if (given.device !== this.device) fail("the tensor belongs to another device");
      if (given.storage !== tensor.storage)
        fail(`its elements are stored as ${given.storage}, the kernel needs ${tensor.storage}`);
    }
    const offset = given.offset ?? 0;
    const alignment = this.device.limits.minStorageBufferOffsetAlignment;
    if (!Number.isSafeInteger(offset) || offset < 0 || offset % alignment !== 0)
      fail(`its offset must be a multiple of ${alignment}, not ${offset}`);
    if ((given.buffer.usage & bufferUsage.storage) === 0) fail("its buffer lacks the usage STORAGE");
    const needed = this.boundBytes.get(key) ?? 0;
    if (given.buffer.size - offset < needed)
      fail(`its buffer has ${given.buffer.size - offset} bytes from the offset on, ${needed} are needed`);
    this.places.set(key, { buffer: given.buffer, offset, borrowed: true });
  }

  private checkSharing(): void {
    const { inputs, outputs } = this.plan.call;
    for (const key of outputs.keys()) {
      const place = this.places.get(key);
      for (const other of [...inputs.keys(), ...outputs.keys()]) {
        if (place !== undefined && other !== key && this.places.get(other)?.buffer === place.buffer) {
          throw new CallError(`"${key}" and "${other}" share a buffer, and the kernel writes to "${key}"`);
        }
      }
    }
  }

  /** Does GPU work whose errors the call reports. */
  private scoped(work: () => void): void {
    this.device.pushErrorScope("out-of-memory");
    this.device.pushErrorScope("validation");
    try {
      work();
    } finally {
      this.troubles.push(this.device.popErrorScope(), this.device.popErrorScope());
    }
  }

  private async checkTroubles(): Promise<void> {
    for (const trouble of this.troubles) {
      const error = await trouble;
      if (error !== null) throw new DeviceError(`the device refuses the work: ${error.message}`);
    }
  }

  private destroyTemporary(): void {
    for (const buffer of this.temporary.splice(0)) buffer.destroy();
  }

  /** Binds what each pass reads and writes. */
  private bound(pipelines: readonly Pipeline[]): BoundPass[] {
    const uniforms = this.uniformBuffer();
    return this.plan.passes.flatMap((pass, i) => {
      const compiled = pipelines[i];
      if (compiled === undefined) return [];
      const group = this.bindGroup(pass, compiled, uniforms);
      return [{ pipeline: compiled.pipeline, group, workgroups: pass.workgroups }];
    });
  }

  private record(encoder: GPUCommandEncoder, passes: readonly BoundPass[], options: RecordOptions = {}): void {
    if (passes.length === 0) return;
    const { repeat = 1, timestampWrites } = options;
    const compute = encoder.beginComputePass({
      label: this.plan.variant ?? "",
      ...(timestampWrites === undefined ? {} : { timestampWrites }),
    });
    for (let time = 0; time < repeat; time++) {
      for (const { pipeline, group, workgroups } of passes) {
        compute.setPipeline(pipeline);
        compute.setBindGroup(0, group);
        compute.dispatchWorkgroups(...workgroups);
      }
    }
    compute.end();
  }

  private bindGroup(pass: PlannedPass, { layout }: Pipeline, uniforms: GPUBuffer | undefined): GPUBindGroup {
    const entries = pass.bindings.map(({ source, byteLength }, binding) => {
      const place =
        typeof source === "string"
          ? this.places.get(source)
          : uniforms && { buffer: uniforms, offset: this.uniforms.get(source) ?? 0 };
      if (place === undefined) throw new DeviceError(`nothing is bound to "${String(source)}"`);
      return { binding, resource: { buffer: place.buffer, offset: place.offset, size: byteLength } };
    });
    return this.device.createBindGroup({ label: pass.label, layout, entries });
  }

  /** One buffer with the uniforms of all passes; undefined when no pass has one. */
  private uniformBuffer(): GPUBuffer | undefined {
    if (this.uniforms.size === 0) return undefined;
    const usage = bufferUsage.uniform | bufferUsage.storage | bufferUsage.copyTarget;
    const buffer = this.device.createBuffer({ label: "uniforms", size: this.uniformBytes, usage });
    this.temporary.push(buffer);
    const all = new Uint8Array(this.uniformBytes);
    for (const [bytes, offset] of this.uniforms) all.set(bytes, offset);
    this.device.queue.writeBuffer(buffer, 0, all);
    return buffer;
  }

  private tensors(): Record<string, GPUTensor> {
    return Object.fromEntries(
      [...this.plan.call.outputs].map(([key, { shape, dtype, storage }]) => {
        const place = this.places.get(key) as Place;
        return [
          key,
          new GPUTensor({
            device: this.device,
            shape,
            dtype,
            storage,
            buffer: place.buffer,
            offset: place.offset,
            owned: !place.borrowed,
          }),
        ];
      }),
    );
  }

  private allocateOutputs(temporary: boolean): void {
    for (const [key, { shape }] of this.plan.call.outputs) {
      if (!this.places.has(key))
        this.allocate(key, elementCount(shape) === 0 ? 0 : (this.boundBytes.get(key) ?? 0), temporary);
    }
  }

  private async compiled(pipelines: Pipelines): Promise<Pipeline[]> {
    try {
      return await Promise.all(this.plan.passes.map((pass) => pipelines.for(pass)));
    } catch (thrown) {
      this.destroyTemporary();
      throw thrown;
    }
  }

  /** Records the work, submits it unless the caller brought an encoder, and returns tensors on the device. */
  async onDevice(pipelines: Pipelines): Promise<Record<string, GPUTensor>> {
    const compiled = await this.compiled(pipelines);
    this.scoped(() => {
      this.allocateOutputs(false);
      const encoder = this.options.encoder ?? this.device.createCommandEncoder({ label: this.plan.variant ?? "" });
      this.record(encoder, this.bound(compiled));
      // What was recorded into the caller's encoder is submitted later: its buffers stay until they are collected.
      if (this.options.encoder !== undefined) return;
      this.device.queue.submit([encoder.finish()]);
      this.destroyTemporary();
    });
    await this.checkTroubles();
    return this.tensors();
  }

  /** Puts everything in place for work that is recorded later, as often as it is wanted. */
  async prepared(pipelines: Pipelines): Promise<PreparedCall> {
    const compiled = await this.compiled(pipelines);
    let passes: BoundPass[] = [];
    this.scoped(() => {
      this.allocateOutputs(false);
      passes = this.bound(compiled);
    });
    const outputs = this.tensors();
    const dispose = (): void => {
      this.destroyTemporary();
      for (const tensor of Object.values(outputs)) tensor.dispose();
    };
    await this.checkTroubles().catch((thrown: unknown) => {
      dispose();
      throw thrown;
    });
    return {
      variant: this.plan.variant,
      outputs,
      record: (encoder, options) => this.record(encoder, passes, options),
      dispose,
    };
  }

  /** Does the work and reads the results. */
  async onHost(
    pipelines: Pipelines,
    inputs: Readonly<Record<string, CallInput | undefined>>,
  ): Promise<Record<string, HostTensor>> {
    const compiled = await this.compiled(pipelines);
    let read: () => Promise<Uint8Array[]> = async () => [];
    this.scoped(() => {
      this.allocateOutputs(true);
      const encoder = this.device.createCommandEncoder({ label: this.plan.variant ?? "" });
      this.record(encoder, this.bound(compiled));
      const slices = Object.values(this.tensors()).map(({ buffer, offset, byteLength }) => ({
        buffer,
        offset,
        byteLength,
      }));
      read = recordReadback(this.device, encoder, slices);
      this.device.queue.submit([encoder.finish()]);
      this.destroyTemporary();
    });
    await this.checkTroubles();
    const bytes = await read().catch((thrown: unknown) => {
      throw new DeviceError(`the results cannot be read: ${messageOf(thrown)}`, { cause: thrown });
    });
    const halves = Object.values(inputs).some(
      (input) => input !== undefined && !isBuffer(input) && arrayName(input.data) === "Float16Array",
    );
    return Object.fromEntries(
      [...this.plan.call.outputs].map(([key, { shape, dtype, storage }], i) => {
        const data = fromDeviceBytes(dtype, storage, elementCount(shape), bytes[i] ?? new Uint8Array(0));
        const wanted: HostData = halves && dtype === "float16" ? asFloat16Array(data) : data;
        return [key, { data: wanted, shape, dtype }];
      }),
    );
  }
}

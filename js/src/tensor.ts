import {
  byteCount,
  elementCount,
  fromDeviceBytes,
  roundUp,
  storageOf,
  toDeviceBytes,
  type DType,
  type HostData,
} from "./dtype.js";
import { CallError, DisposedError } from "./errors.js";

/** A tensor's shape and type, without its elements. */
export interface TensorSpec {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** A tensor in typed arrays. The type follows from the array; `dtype` decides where several are possible. */
export interface HostInput {
  readonly data: HostData;
  readonly shape: readonly number[];
  readonly dtype?: DType | undefined;
}

/** A result in a typed array. */
export interface HostTensor extends TensorSpec {
  readonly data: HostData;
}

/** A tensor in a buffer of the caller, which stays the caller's. Bools take one u32 each. */
export interface BufferTensor extends TensorSpec {
  readonly buffer: GPUBuffer;
  /** Bytes before the first element; a multiple of the device's storage buffer alignment. */
  readonly offset?: number | undefined;
}

/** How `GPUTensor`s are made; for results the kernel does it. */
export interface GPUTensorDescriptor extends BufferTensor {
  readonly device: GPUDevice;
  /** Whether `dispose()` destroys the buffer; false when left out. */
  readonly owned?: boolean | undefined;
  /** The type of the elements in memory, where it is not the usual one. */
  readonly storage?: DType | undefined;
}

/** A tensor in GPU memory: the result of a call, or a wrapped buffer. */
export class GPUTensor implements BufferTensor {
  readonly device: GPUDevice;
  readonly buffer: GPUBuffer;
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly storage: DType;
  readonly offset: number;
  /** Bytes of the elements, without padding. */
  readonly byteLength: number;
  private readonly owned: boolean;
  private gone = false;

  constructor(descriptor: GPUTensorDescriptor) {
    this.device = descriptor.device;
    this.buffer = descriptor.buffer;
    this.shape = [...descriptor.shape];
    this.dtype = descriptor.dtype;
    this.storage = storageOf(descriptor.dtype, descriptor.storage);
    this.offset = descriptor.offset ?? 0;
    this.byteLength = byteCount(this.storage, this.shape);
    this.owned = descriptor.owned ?? false;
  }

  get disposed(): boolean {
    return this.gone;
  }

  /** The elements, after all work submitted so far. */
  async read(): Promise<HostTensor> {
    if (this.gone) throw new DisposedError("the tensor");
    const [bytes] = await readBuffers(this.device, [this]);
    const data = fromDeviceBytes(this.dtype, this.storage, elementCount(this.shape), bytes ?? new Uint8Array(0));
    return { data, shape: this.shape, dtype: this.dtype };
  }

  /** Destroys the buffer when a kernel made it; a wrapped buffer stays as it is. */
  dispose(): void {
    if (!this.gone && this.owned) this.buffer.destroy();
    this.gone = true;
  }
}

/** A tensor in GPU memory with the elements of a typed array. */
export function uploaded(device: GPUDevice, { data, shape, dtype }: HostTensor, storage: DType): GPUTensor {
  const bytes = toDeviceBytes(dtype, storage, data, (index) => {
    throw new CallError(`element ${index} does not fit ${storage}, in which ${dtype} is kept`);
  });
  const { storage: bound, copySource, copyTarget } = bufferUsage;
  const buffer = device.createBuffer({ size: Math.max(bytes.byteLength, 4), usage: bound | copySource | copyTarget });
  if (bytes.byteLength > 0) device.queue.writeBuffer(buffer, 0, bytes);
  return new GPUTensor({ device, buffer, shape, dtype, storage, owned: true });
}

/** Numbers of the WebGPU standard, so that none of its globals is needed. */
export const bufferUsage = { mapRead: 0x1, copySource: 0x4, copyTarget: 0x8, uniform: 0x40, storage: 0x80 } as const;
const mapModeRead = 0x1;

/** Where bytes stand in a buffer that can be copied from. */
export interface BufferSlice {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly byteLength: number;
}

/** Records copies of all slices into one buffer that can be mapped; returns it and a function that reads it. */
export function recordReadback(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  slices: readonly BufferSlice[],
): () => Promise<Uint8Array[]> {
  const starts: number[] = [];
  let size = 0;
  for (const slice of slices) {
    starts.push(size);
    size += roundUp(slice.byteLength, 4);
  }
  if (size === 0) return async () => slices.map(() => new Uint8Array(0));
  const staging = device.createBuffer({ label: "readback", size, usage: bufferUsage.mapRead | bufferUsage.copyTarget });
  slices.forEach((slice, i) => {
    const bytes = roundUp(slice.byteLength, 4);
    if (bytes > 0) encoder.copyBufferToBuffer(slice.buffer, slice.offset, staging, starts[i] ?? 0, bytes);
  });
  return async () => {
    await staging.mapAsync(mapModeRead);
    const all = new Uint8Array(staging.getMappedRange()).slice();
    staging.destroy();
    return slices.map((slice, i) => all.subarray(starts[i], (starts[i] ?? 0) + slice.byteLength));
  };
}

async function readBuffers(device: GPUDevice, slices: readonly BufferSlice[]): Promise<Uint8Array[]> {
  for (const { buffer } of slices) {
    if ((buffer.usage & bufferUsage.copySource) === 0)
      throw new CallError("the tensor's buffer lacks the usage COPY_SRC");
  }
  const encoder = device.createCommandEncoder({ label: "read" });
  const read = recordReadback(device, encoder, slices);
  device.queue.submit([encoder.finish()]);
  return read();
}

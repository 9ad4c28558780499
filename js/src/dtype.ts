/** The element types that tensors can have; the names are ONNX's. */
export type DType = "float32" | "float16" | "int32" | "uint32" | "bool" | "int8" | "uint8" | "int64" | "uint64";

/** What holds a tensor's elements outside the GPU. */
export type HostData =
  | Float32Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Uint8Array
  | Int8Array
  | BigInt64Array
  | BigUint64Array
  | Float16ArrayLike;

/** A `Float16Array` where the engine has one; its bytes are IEEE 754 binary16. */
export interface Float16ArrayLike extends ArrayBufferView {
  readonly length: number;
  readonly BYTES_PER_ELEMENT: number;
  readonly [Symbol.toStringTag]: "Float16Array";
}

interface DTypeFacts {
  /** The WGSL scalar that the bytes are read as. */
  readonly wgsl: string;
  readonly bytes: number;
  /** What holds the elements in GPU memory unless a manifest says otherwise. */
  readonly storage: DType;
  /** The names of the typed arrays that may hold it; the first is what results come in. */
  readonly arrays: readonly string[];
}

const facts: Readonly<Record<DType, DTypeFacts>> = {
  float32: { wgsl: "f32", bytes: 4, storage: "float32", arrays: ["Float32Array"] },
  float16: { wgsl: "f16", bytes: 2, storage: "float16", arrays: ["Uint16Array", "Float16Array"] },
  int32: { wgsl: "i32", bytes: 4, storage: "int32", arrays: ["Int32Array"] },
  uint32: { wgsl: "u32", bytes: 4, storage: "uint32", arrays: ["Uint32Array"] },
  // WGSL's bool has no layout in memory.
  bool: { wgsl: "u32", bytes: 1, storage: "uint32", arrays: ["Uint8Array", "Uint32Array"] },
  // Four to a word.
  int8: { wgsl: "u32", bytes: 1, storage: "int8", arrays: ["Int8Array"] },
  uint8: { wgsl: "u32", bytes: 1, storage: "uint8", arrays: ["Uint8Array"] },
  // WGSL has no 64-bit integers: a value that does not fit 32 bits is refused.
  int64: { wgsl: "i32", bytes: 8, storage: "int32", arrays: ["BigInt64Array", "Int32Array"] },
  uint64: { wgsl: "u32", bytes: 8, storage: "uint32", arrays: ["BigUint64Array", "Uint32Array"] },
};

const aliases: Readonly<Record<string, DType>> = {
  f32: "float32",
  f16: "float16",
  i32: "int32",
  u32: "uint32",
  float: "float32",
};

export function isDType(name: string): name is DType {
  return Object.hasOwn(facts, name);
}

/** The type with an ONNX or WGSL name, if there is one. */
export function dtypeNamed(name: string): DType | undefined {
  return isDType(name) ? name : Object.hasOwn(aliases, name) ? aliases[name] : undefined;
}

export function wgslScalar(dtype: DType): string {
  return facts[dtype].wgsl;
}

export function dtypeBytes(dtype: DType): number {
  return facts[dtype].bytes;
}

/** The typed arrays that may hold the type, for messages. */
export function hostArraysOf(dtype: DType): string {
  return facts[dtype].arrays.join(" or ");
}

export function arrayName(data: HostData): string {
  return Object.prototype.toString.call(data).slice(8, -1);
}

export function holds(dtype: DType, data: HostData): boolean {
  return facts[dtype].arrays.includes(arrayName(data));
}

/** The types among the candidates that a typed array may hold, the most natural first. */
export function dtypesHeldBy(data: HostData, candidates: readonly DType[]): DType[] {
  const name = arrayName(data);
  const found = candidates.filter((dtype) => facts[dtype].arrays.includes(name));
  return found.sort((a, b) => facts[a].arrays.indexOf(name) - facts[b].arrays.indexOf(name));
}

/** The number of elements of a shape. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

/** The bytes that a tensor takes in a GPU buffer, before padding. */
export function byteCount(storage: DType, shape: readonly number[]): number {
  return elementCount(shape) * dtypeBytes(storage);
}

export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

/** The type that holds a tensor's elements in GPU memory. */
export function storageOf(dtype: DType, declared: DType | undefined): DType {
  return declared ?? facts[dtype].storage;
}

/** True for the pairs that the conversions below know. */
export function canStore(dtype: DType, storage: DType): boolean {
  const small = dtype !== "float32" && dtype !== "float16";
  return dtype === storage
    ? dtype !== "bool" && facts[dtype].storage === dtype
    : small && ["int32", "uint32", "int8", "uint8"].includes(storage);
}

type Numbers = Float32Array | Uint16Array | Int32Array | Uint32Array | Uint8Array | Int8Array;

function numbersFor(storage: DType, buffer: ArrayBuffer): Numbers {
  switch (storage) {
    case "float32":
      return new Float32Array(buffer);
    case "float16":
      return new Uint16Array(buffer);
    case "int32":
      return new Int32Array(buffer);
    case "int8":
      return new Int8Array(buffer);
    case "uint8":
      return new Uint8Array(buffer);
    default:
      return new Uint32Array(buffer);
  }
}

/** An array of zeros for the type; for types of at most 32 bits. */
export function numbersOf(dtype: DType, count: number): Numbers {
  return numbersFor(dtype === "bool" ? "uint8" : dtype, new ArrayBuffer(count * dtypeBytes(dtype)));
}

function bytesOf(view: ArrayBufferView): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
}

/**
 * The bytes of a tensor as a GPU buffer holds them, padded to a multiple of four.
 * Calls `misfit` with the index of an element that the storage type cannot hold.
 */
export function toDeviceBytes(
  dtype: DType,
  storage: DType,
  data: HostData,
  misfit: (index: number) => void,
): Uint8Array<ArrayBuffer> {
  const exact = bytesOf(data);
  if (dtype === storage && exact.byteLength % 4 === 0) return exact;
  const padded = new Uint8Array(roundUp(data.length * dtypeBytes(storage), 4));
  if (dtype === storage) {
    padded.set(exact);
    return padded;
  }
  const out = numbersFor(storage, padded.buffer);
  const source = data as unknown as ArrayLike<number | bigint>;
  for (let i = 0; i < source.length; i++) {
    const value = Number(source[i]);
    out[i] = dtype === "bool" ? Number(value !== 0) : value;
    if (dtype !== "bool" && out[i] !== value) misfit(i);
  }
  return padded;
}

/** The typed array of a tensor whose bytes were read from a GPU buffer; `bytes` is copied. */
export function fromDeviceBytes(dtype: DType, storage: DType, count: number, bytes: Uint8Array): HostData {
  const stored = numbersFor(storage, bytes.slice(0, count * dtypeBytes(storage)).buffer as ArrayBuffer);
  if (dtype === storage) return stored;
  switch (dtype) {
    case "bool":
      return Uint8Array.from(stored, (value) => Number(value !== 0));
    case "int8":
      return Int8Array.from(stored);
    case "uint8":
      return Uint8Array.from(stored);
    case "int64":
      return BigInt64Array.from(Array.from(stored, BigInt));
    case "uint64":
      return BigUint64Array.from(Array.from(stored, BigInt));
    default:
      return numbersFor(dtype, Uint32Array.from(stored).buffer);
  }
}

/** The typed array of a tensor that lies in memory as the array does, such as in a file; `bytes` is copied. */
export function hostArray(dtype: DType, bytes: Uint8Array): HostData {
  const { buffer } = bytes.slice() as Uint8Array<ArrayBuffer>;
  switch (dtype) {
    case "int64":
      return new BigInt64Array(buffer);
    case "uint64":
      return new BigUint64Array(buffer);
    case "bool":
      return new Uint8Array(buffer);
    default:
      return numbersFor(dtype, buffer);
  }
}

/** Half-precision results as a `Float16Array`, where the engine has one. */
export function asFloat16Array(data: HostData): HostData {
  const constructor = (globalThis as { Float16Array?: new (buffer: ArrayBufferLike) => Float16ArrayLike }).Float16Array;
  return constructor === undefined ? data : new constructor(data.buffer);
}

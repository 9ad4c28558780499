// Cases of test.json, after docs/packages.md: tensors decoded to GPU memory, results compared.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry, Tensor } from "./plan.js";

/** Bytes of an element as tensors of test.json have them, and as GPU memory does. */
const inFile: Readonly<Record<string, number>> = {
  float32: 4,
  float16: 2,
  int8: 1,
  int16: 2,
  int32: 4,
  int64: 8,
  uint8: 1,
  uint16: 2,
  uint32: 4,
  uint64: 8,
  bool: 1,
};

function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(Math.floor(Math.log2(size || 2 ** -24)), -14);
  const unit = 2 ** (exponent - 10);
  let steps = Math.floor(size / unit);
  const rest = size / unit - steps;
  if (rest > 0.5 || (rest === 0.5 && steps % 2 === 1)) steps += 1;
  return sign | (steps < 1024 ? steps : (exponent + 14) * 1024 + steps);
}

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const rest = bits & 1023;
  if (exponent === 31) return rest === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * rest * 2 ** -24 : sign * (1024 + rest) * 2 ** (exponent - 25);
}

function mix(start: number): number {
  let h = start >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b) >>> 0;
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) >>> 0;
  return (h ^ (h >>> 16)) >>> 0;
}

function generated(rule: Entry, dtype: string, shape: readonly number[], index: number): number {
  if (rule["kind"] === "constant") return rule["value"] as number;
  if (rule["kind"] === "ramp") {
    const inner = shape.slice((rule["axis"] as number) + 1).reduce((product, dim) => product * dim, 1);
    return rule["first"] + rule["step"] * (Math.floor(index / inner) % (shape[rule["axis"] as number] ?? 1));
  }
  if (rule["kind"] !== "uniform") throw new Error(`numbers by an unknown rule: ${String(rule["kind"])}`);
  const value = rule["low"] + (rule["high"] - rule["low"]) * ((mix((index + mix(rule["seed"])) >>> 0) >>> 8) / 2 ** 24);
  return dtype.startsWith("float") ? value : Math.floor(value);
}

/** A safetensors file: eight bytes of length, a JSON header, then the data. */
function safetensors(path: string): { header: Record<string, Entry>; data: Buffer } {
  const all = readFileSync(path);
  const start = 8 + Number(all.readBigUInt64LE(0));
  return {
    header: JSON.parse(all.subarray(8, start).toString("utf8")) as Record<string, Entry>,
    data: all.subarray(start),
  };
}

function fromSafetensors(path: string, name: string): Uint8Array {
  const { header, data } = safetensors(path);
  const offsets = header[name]?.["data_offsets"] as [number, number] | undefined;
  if (offsets === undefined) throw new Error(`there is no tensor ${name} in ${path}`);
  return data.subarray(...offsets);
}

const dtypes: Readonly<Record<string, string>> = {
  F32: "float32",
  F16: "float16",
  I32: "int32",
  U32: "uint32",
  I64: "int64",
  U64: "uint64",
  BOOL: "bool",
  I8: "int8",
  U8: "uint8",
};

/** All tensors of a safetensors file, as test.json would name them. */
export function storedTensors(path: string): Record<string, Entry> {
  const named = Object.entries(safetensors(path).header).filter(([name]) => name !== "__metadata__");
  const file = path.replace(/.*\//, "");
  return Object.fromEntries(
    named.map(([tensor, { dtype, shape }]) => [tensor, { dtype: dtypes[dtype], shape, file, tensor }]),
  );
}

/** The numbers of a tensor of test.json; 64-bit integers as bigints would have them, cut to 32 bits as the device does. */
function numbersOf(tensor: Entry, folder: string): number[] {
  const shape = tensor["shape"] as number[];
  const dtype = tensor["dtype"] as string;
  const count = shape.reduce((product, dim) => product * dim, 1);
  if (tensor["data"] !== undefined) return (tensor["data"] as (number | string)[]).map(Number);
  if (tensor["generate"] !== undefined)
    return Array.from({ length: count }, (_, index) => generated(tensor["generate"] as Entry, dtype, shape, index));
  const bytes =
    tensor["base64"] !== undefined
      ? Buffer.from(tensor["base64"] as string, "base64")
      : fromSafetensors(join(folder, tensor["file"] as string), tensor["tensor"] as string);
  return read(dtype, bytes, inFile[dtype] ?? 4);
}

function read(dtype: string, bytes: Uint8Array, width: number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.length / width) }, (_, index) => {
    const at = index * width;
    if (dtype === "float32") return view.getFloat32(at, true);
    if (dtype === "float16") return halfValue(view.getUint16(at, true));
    const signed = dtype.startsWith("int");
    if (width === 1) return signed ? view.getInt8(at) : view.getUint8(at);
    if (width === 2) return signed ? view.getInt16(at, true) : view.getUint16(at, true);
    if (width === 8) return Number(signed ? view.getBigInt64(at, true) : view.getBigUint64(at, true));
    return signed ? view.getInt32(at, true) : view.getUint32(at, true);
  });
}

/** Bytes of an element in GPU memory: 64-bit integers are cut to 32 bits there, booleans are whole words. */
function widthOnDevice(dtype: string): number {
  const width = inFile[dtype] ?? 4;
  return dtype === "bool" ? 4 : Math.min(width, 4);
}

export function tensorOf(tensor: Entry, folder: string): Tensor {
  const dtype = tensor["dtype"] as string;
  const values = numbersOf(tensor, folder);
  const width = widthOnDevice(dtype);
  const view = new DataView(new ArrayBuffer(values.length * width));
  values.forEach((value, index) => {
    const at = index * width;
    if (dtype === "float32") view.setFloat32(at, value, true);
    else if (dtype === "float16") view.setUint16(at, halfBits(value), true);
    else if (width === 1) view.setUint8(at, value & 255);
    else if (width === 2) view.setUint16(at, value & 65535, true);
    else view.setUint32(at, value >>> 0, true);
  });
  return { dtype, shape: tensor["shape"] as number[], bytes: new Uint8Array(view.buffer) };
}

/** What is wrong with a result; nothing when it is what the case expects. */
export function difference(
  name: string,
  expected: Entry,
  got: Tensor | undefined,
  tolerance: Entry | undefined,
  folder: string,
): string | undefined {
  if (got === undefined) return `${name} is no output`;
  if (got.dtype !== expected["dtype"]) return `${name} is ${got.dtype}, not ${String(expected["dtype"])}`;
  if (got.shape.join() !== (expected["shape"] as number[]).join())
    return `${name} is [${got.shape.join()}], not [${(expected["shape"] as number[]).join()}]`;
  const values = read(got.dtype, got.bytes, widthOnDevice(got.dtype));
  const { rtol, atol } = (tolerance ?? { rtol: 0, atol: 0 }) as { rtol: number; atol: number };
  const wanted = numbersOf(expected, folder);
  if (values.length !== wanted.length) return `${name} has ${values.length} elements, not ${wanted.length}`;
  const wrong = wanted.findIndex((want, index) => {
    const value = values[index] as number;
    if (Object.is(value, want) || value === want) return false;
    return !(Number.isFinite(value) && Number.isFinite(want) && Math.abs(value - want) <= atol + rtol * Math.abs(want));
  });
  return wrong < 0 ? undefined : `${name}[${wrong}] is ${values[wrong]}, not ${wanted[wrong]}`;
}

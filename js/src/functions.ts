import { dtypeBytes, dtypeNamed, elementCount } from "./dtype.js";

/** A value of an expression; undefined is an optional thing that is not there. */
export type Value =
  number | string | boolean | null | undefined | readonly Value[] | ValueFunction | { readonly [key: string]: Value };

export type ValueFunction = (...args: Value[]) => Value;

export function isRecord(value: unknown): value is { readonly [key: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as messages show it. */
export function show(value: Value): string {
  if (typeof value === "function") return "a function";
  return value === undefined ? "undefined" : (JSON.stringify(value) ?? "undefined");
}

function number(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  throw new Error(`a number is needed, not ${show(value)}`);
}

/** The extents of a shape, or of an argument's shape. */
function extents(value: Value): number[] {
  const list = isRecord(value) ? value["shape"] : value;
  if (!Array.isArray(list)) throw new Error(`a shape is needed, not ${show(value)}`);
  return list.map(number);
}

function numbers(args: readonly Value[]): number[] {
  const list = args.length === 1 && Array.isArray(args[0]) ? args[0] : args;
  if (list.length === 0) throw new Error("at least one number is needed");
  return list.map(number);
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Error("the result is not a finite number");
  return value;
}

function divisor(value: Value): number {
  const by = number(value);
  if (by === 0) throw new Error("division by zero");
  return by;
}

function dim(shape: Value, index: Value): number {
  const list = extents(shape);
  const at = number(index);
  const extent = list[at < 0 ? at + list.length : at];
  if (extent === undefined) throw new Error(`there is no dimension ${at} in ${show(list)}`);
  return extent;
}

function pow2ceil(value: Value): number {
  const least = number(value);
  let power = 1;
  while (power < least) power *= 2;
  return finite(power);
}

function bytesOfType(name: Value): number {
  const dtype = typeof name === "string" ? dtypeNamed(name) : undefined;
  if (dtype === undefined) throw new Error(`${show(name)} is not a type`);
  return dtypeBytes(dtype);
}

/** Longer lists than a shader can be written out for come from mistakes, or from packages that mean harm. */
const longestRange = 65536;

function range(...args: Value[]): number[] {
  const [from, to, step] =
    args.length === 1 ? [0, number(args[0]), 1] : [number(args[0]), number(args[1]), number(args[2] ?? 1)];
  if (step === 0) throw new Error("range() needs a step other than 0");
  if ((to - from) / step > longestRange) throw new Error(`range() gives at most ${longestRange} numbers`);
  const out: number[] = [];
  for (let i = from; step > 0 ? i < to : i > to; i += step) out.push(i);
  return out;
}

/** The functions that expressions and templates may call. */
export const functions: Readonly<Record<string, ValueFunction>> = {
  ceil: (value) => Math.ceil(number(value)),
  floor: (value) => Math.floor(number(value)),
  min: (...args) => Math.min(...numbers(args)),
  max: (...args) => Math.max(...numbers(args)),
  pow: (base, exponent) => finite(number(base) ** number(exponent)),
  ceilDiv: (value, by) => Math.ceil(number(value) / divisor(by)),
  pow2ceil,
  numel: (shape) => elementCount(extents(shape)),
  rank: (shape) => extents(shape).length,
  dim,
  has: (object, key) => {
    if (Array.isArray(object)) return object.includes(key);
    return isRecord(object) && typeof key === "string" && Object.hasOwn(object, key) && object[key] !== undefined;
  },
  dtypeBytes: bytesOfType,
  range,
};

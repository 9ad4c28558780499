import type { Tolerance } from "./cases.js";
import { elementCount } from "./dtype.js";
import { float16Value } from "./float16.js";
import type { HostTensor } from "./tensor.js";

/** How a result differs from what a case expects. */
export interface Comparison {
  /** In words; undefined when nothing is wrong. */
  readonly problem: string | undefined;
  /** The largest difference of two finite numbers. */
  readonly largestError: number;
}

/** The elements as numbers; integers of 64 bits stay what they are. */
function elementsOf({ dtype, data }: HostTensor): (index: number) => number | bigint {
  const elements = data as unknown as ArrayLike<number | bigint>;
  if (dtype === "float16" && data instanceof Uint16Array) return (index) => float16Value(Number(elements[index]));
  return (index) => elements[index] ?? 0;
}

function place(index: number, shape: readonly number[]): string {
  const at: number[] = [];
  let rest = index;
  for (const extent of [...shape].reverse()) {
    at.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return `[${at.join(", ")}]`;
}

function isNaNumber(value: number | bigint): boolean {
  return typeof value === "number" && Number.isNaN(value);
}

/** Whether a value is near enough; NaN is as good as NaN, an infinity only as itself. */
function near(got: number | bigint, want: number | bigint, { rtol, atol }: Tolerance): boolean {
  if (got === want || (isNaNumber(got) && isNaNumber(want))) return true;
  const [a, b] = [Number(got), Number(want)];
  return Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= atol + rtol * Math.abs(b);
}

const exact: Tolerance = { rtol: 0, atol: 0 };

/** Holds a result to what is expected: type, shape and every element. */
export function compare(key: string, got: HostTensor, want: HostTensor, tolerance: Tolerance = exact): Comparison {
  const type = ({ dtype, shape }: HostTensor): string => `${dtype}[${shape.join(", ")}]`;
  if (type(got) !== type(want)) return { problem: `${key} is ${type(got)}, not ${type(want)}`, largestError: NaN };
  const [gotAt, wantAt] = [elementsOf(got), elementsOf(want)];
  const count = elementCount(want.shape);
  let wrong = 0;
  let first = 0;
  let largestError = 0;
  for (let i = 0; i < count; i++) {
    const [a, b] = [gotAt(i), wantAt(i)];
    const error = Math.abs(Number(a) - Number(b));
    if (Number.isFinite(error)) largestError = Math.max(largestError, error);
    if (near(a, b, tolerance)) continue;
    if (wrong++ === 0) first = i;
  }
  if (wrong === 0) return { problem: undefined, largestError };
  const allowed = tolerance === exact ? "exactly" : `within ${tolerance.atol} + ${tolerance.rtol} · |expected|`;
  const problem =
    `${key}${place(first, want.shape)} is ${gotAt(first)}, not ${wantAt(first)} ${allowed}` +
    (wrong === 1 ? "" : `; ${wrong} of ${count} elements differ`);
  return { problem, largestError };
}

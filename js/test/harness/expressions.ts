// Expressions and templates of a package, with nothing but @huggingface/jinja.
import { Template } from "@huggingface/jinja";

export type Value = number | string | boolean | null | Value[] | { [name: string]: Value };
export type Scope = Record<string, unknown>;

/** What a function of an expression gets: Jinja hands over the inside of lists and objects as it keeps them. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => plain((item as { value: unknown }).value));
  return value;
}

const bytes: Readonly<Record<string, number>> = {
  float32: 4,
  int32: 4,
  uint32: 4,
  bool: 4,
  float16: 2,
  int8: 1,
  uint8: 1,
  int64: 8,
  uint64: 8,
  f32: 4,
  i32: 4,
  u32: 4,
  f16: 2,
};

function numbers(value: unknown): number[] {
  const list = plain(value);
  if (!Array.isArray(list)) throw new Error("a shape is expected");
  return list as number[];
}

function extent(shape: unknown, at: number): number {
  const dims = numbers(shape);
  const found = dims[at < 0 ? at + dims.length : at];
  if (found === undefined) throw new Error(`a shape of rank ${dims.length} has no dimension ${at}`);
  return found;
}

export const functions: Scope = {
  ceil: Math.ceil,
  floor: Math.floor,
  min: (...all: unknown[]) => Math.min(...(all.length === 1 ? numbers(all[0]) : (all as number[]))),
  max: (...all: unknown[]) => Math.max(...(all.length === 1 ? numbers(all[0]) : (all as number[]))),
  pow: Math.pow,
  ceilDiv: (a: number, b: number) => Math.ceil(a / b),
  pow2ceil: (a: number) => 2 ** Math.ceil(Math.log2(Math.max(a, 1))),
  numel: (shape: unknown) => numbers(shape).reduce((product, dim) => product * dim, 1),
  rank: (shape: unknown) => numbers(shape).length,
  dim: extent,
  has: (object: unknown, key: string) => object instanceof Map && object.has(key),
  dtypeBytes: (dtype: string) => bytes[dtype] ?? null,
};

/** The value of a manifest's expression; what is no text stands for itself. */
export function evaluate(expression: unknown, scope: Scope): Value {
  if (Array.isArray(expression)) return expression.map((item) => evaluate(item, scope));
  if (typeof expression !== "string") return expression as Value;
  const value = JSON.parse(new Template(`{{ (${expression}) | tojson }}`).render({ ...functions, ...scope })) as Value;
  if (value === null) throw new Error(`${expression} has no value`);
  return value;
}

export function integer(expression: unknown, scope: Scope): number {
  const value = evaluate(expression, scope);
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0)
    throw new Error(`${String(expression)} is ${JSON.stringify(value)}, no count`);
  return value;
}

export function holds(conditions: unknown, scope: Scope): boolean {
  if (conditions === undefined) return true;
  return (Array.isArray(conditions) ? conditions : [conditions]).every(
    (condition) => evaluate(condition, scope) === true,
  );
}

/** The scope with the names of one `derive` added, each of which sees those before it. */
export function derived(names: Readonly<Record<string, unknown>> | undefined, scope: Scope): Scope {
  const all = { ...scope };
  for (const [name, expression] of Object.entries(names ?? {})) all[name] = evaluate(expression, all);
  return all;
}

export function render(text: string, scope: Scope): string {
  return new Template(text).render({ ...functions, ...scope });
}

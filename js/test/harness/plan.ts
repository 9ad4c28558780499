// From a manifest and a call's shapes to the passes of one variant, after the table of keys in the format's description.
import { derived, evaluate, holds, integer, render, type Scope } from "./expressions.js";

export interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** The bytes as they lie in GPU memory. */
  readonly bytes: Uint8Array;
}

export type Entry = Readonly<Record<string, any>>;

export interface Call {
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly tunables: Readonly<Record<string, unknown>>;
}

export interface Bound {
  readonly arg: string;
  readonly type: "uniform" | "storage" | "read-only-storage";
  /** The contents of a uniform. */
  readonly contents?: Uint8Array;
}

export interface Pass {
  readonly name: string;
  readonly code: string;
  readonly entryPoint: string;
  readonly bound: readonly Bound[];
  readonly groups: readonly [number, number, number];
}

export interface Plan {
  readonly variant: string;
  readonly outputs: Readonly<Record<string, { readonly dtype: string; readonly shape: readonly number[] }>>;
  /** Bytes of each output and each intermediate. */
  readonly made: Readonly<Record<string, number>>;
  readonly passes: readonly Pass[];
}

const foldWidth = 65535;
const wgsl: Readonly<Record<string, string>> = {
  float32: "f32",
  float16: "f16",
  int32: "i32",
  uint32: "u32",
  bool: "u32",
  int64: "i32",
  uint64: "u32",
  int8: "u32",
  uint8: "u32",
};
const widths: Readonly<Record<string, number>> = { float16: 2, int8: 1, uint8: 1 };

export function bytesOf(dtype: string, shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1) * (widths[dtype] ?? 4);
}

function typeOf(dtype: string, types: ReadonlyMap<string, string>): string {
  return types.get(dtype) ?? dtype;
}

/** What each type variable stands for, from the inputs that name it, or else its first type. */
function typeVariables(manifest: Entry, inputs: Call["inputs"]): Map<string, string> {
  const types = new Map<string, string>();
  for (const [variable, allowed] of Object.entries<string[]>(manifest["typeConstraints"] ?? {})) {
    const named = Object.entries<Entry>(manifest["inputs"] ?? {}).filter(([, input]) => input["dtype"] === variable);
    const given = named.map(([key]) => inputs[key]?.dtype).find((dtype) => dtype !== undefined) ?? allowed[0];
    if (given === undefined || !allowed.includes(given)) throw new Error(`${variable} cannot be ${String(given)}`);
    types.set(variable, given);
  }
  return types;
}

function firstScope(
  manifest: Entry,
  call: Call,
  types: ReadonlyMap<string, string>,
  device: GPUDevice,
  adapter: GPUAdapterInfo,
): Scope {
  const all = Object.entries(call.inputs);
  const limits: Record<string, number> = {};
  for (const name in device.limits) {
    const limit = device.limits[name as keyof GPUSupportedLimits];
    if (typeof limit === "number") limits[name] = limit;
  }
  const defaults = (key: string): Scope =>
    Object.fromEntries(Object.entries<Entry>(manifest[key] ?? {}).map(([name, { default: value }]) => [name, value]));
  return {
    args: Object.fromEntries(all.map(([key]) => [key, true])),
    shapes: Object.fromEntries(all.map(([key, { shape }]) => [key, [...shape]])),
    ranks: Object.fromEntries(all.map(([key, { shape }]) => [key, shape.length])),
    dtypes: Object.fromEntries(all.map(([key, { dtype }]) => [key, wgsl[dtype]])),
    attrs: { ...defaults("attributes"), ...call.attrs },
    tunables: { ...defaults("tunables"), ...call.tunables },
    device: {
      features: { has: (name: string) => device.features.has(name) },
      limits,
      adapterInfo: {
        subgroupMinSize: adapter.subgroupMinSize,
        subgroupMaxSize: adapter.subgroupMaxSize,
        vendor: adapter.vendor,
        architecture: adapter.architecture,
      },
    },
    DISPATCH_FOLD_WIDTH: foldWidth,
    ...Object.fromEntries([...types].map(([variable, dtype]) => [variable, wgsl[dtype]])),
  };
}

/** The first variant, best priority first and demoted ones last, that the device and the conditions allow, with its scope. */
function choose(manifest: Entry, scope: Scope, call: Call, device: GPUDevice): { variant: Entry; scope: Scope } {
  const reasons: string[] = [];
  const candidates: { variant: Entry; scope: Scope; demoted: boolean }[] = [];
  for (const variant of manifest["variants"] as Entry[]) {
    const defaults = Object.entries<Entry>(variant["tunables"] ?? {}).map(([name, { default: value }]) => [
      name,
      value,
    ]);
    const tunables = { ...(scope["tunables"] as Scope), ...Object.fromEntries(defaults), ...call.tunables };
    try {
      // What is derived for sizes that the variant is not for may have no value: another one is for them.
      const own = derived(variant["derive"], { ...scope, tunables });
      const demoted = variant["demoteWhen"] !== undefined && holds(variant["demoteWhen"], own);
      candidates.push({ variant, scope: own, demoted });
    } catch (thrown) {
      reasons.push(`${String(variant["id"])}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
  const priority = ({ variant }: { variant: Entry }): number => Number(variant["priority"] ?? 0);
  candidates.sort((a, b) => Number(a.demoted) - Number(b.demoted) || priority(b) - priority(a));
  for (const candidate of candidates) {
    const { features = [], limits = {} } = (candidate.variant["requires"] ?? {}) as Entry;
    const lacking = (features as string[]).filter((feature) => !device.features.has(feature));
    const small = Object.entries<unknown>(limits).filter(
      ([name, least]) =>
        !(Number(device.limits[name as keyof GPUSupportedLimits]) >= Number(evaluate(least, candidate.scope))),
    );
    const unmet = holds(candidate.variant["when"], candidate.scope) ? [] : ["its conditions"];
    if (lacking.length + small.length + unmet.length === 0) return candidate;
    reasons.push(
      `${String(candidate.variant["id"])} needs ${[...lacking, ...small.map(([name]) => name), ...unmet].join(", ")}`,
    );
  }
  throw new Error(`no variant of the package can run this: ${reasons.join("; ")}`);
}

/** A struct's declaration and its bytes: fields of four bytes, filled up to a multiple of four fields. */
function uniform(name: string, fields: readonly Entry[], scope: Scope): { declaration: string; contents: Uint8Array } {
  const words = Math.ceil(fields.length / 4) * 4;
  const contents = new DataView(new ArrayBuffer(words * 4));
  const lines = fields.map((field, index) => {
    const value = Number(evaluate(field["value"], scope));
    if (field["type"] === "f32") contents.setFloat32(index * 4, value, true);
    else if (field["type"] === "i32") contents.setInt32(index * 4, value, true);
    else if (field["type"] === "u32") contents.setUint32(index * 4, value, true);
    else throw new Error(`a field of type ${String(field["type"])}`);
    return `  ${String(field["name"])}: ${String(field["type"])},`;
  });
  for (let index = fields.length; index < words; index++) lines.push(`  filler${index}: u32,`);
  return { declaration: `struct Fields_${name} {\n${lines.join("\n")}\n}`, contents: new Uint8Array(contents.buffer) };
}

function elementOf(
  binding: Entry,
  arg: string,
  dtypes: ReadonlyMap<string, string>,
  types: ReadonlyMap<string, string>,
  scope: Scope,
): string {
  const element = binding["elementType"] as string | undefined;
  if (element === undefined) return wgsl[dtypes.get(arg) ?? ""] ?? "f32";
  if (types.has(element)) return wgsl[types.get(element) ?? ""] ?? element;
  return /^\w+(<\w+>)?$/.test(element) && scope[element] === undefined
    ? (wgsl[element] ?? element)
    : String(evaluate(element, scope));
}

function passOf(
  pass: Entry,
  manifest: Entry,
  files: ReadonlyMap<string, string>,
  scope: Scope,
  dtypes: ReadonlyMap<string, string>,
  types: ReadonlyMap<string, string>,
): Pass {
  const own = derived(pass["derive"], scope);
  const structs: string[] = [];
  const variables: string[] = [];
  const bound: Bound[] = [];
  for (const item of pass["bindings"] as (string | Entry)[]) {
    const given: Entry = typeof item === "string" ? { key: item } : item;
    const key = String(given["key"] ?? given["name"] ?? given["arg"]);
    const binding: Entry = { ...(manifest["bindings"]?.[key] as Entry | undefined), ...given };
    const arg = String(binding["arg"] ?? key);
    const name = String(binding["name"] ?? key);
    const isInput = manifest["inputs"]?.[arg] !== undefined;
    if (binding["struct"] !== undefined) {
      const { declaration, contents } = uniform(name, binding["struct"] as Entry[], own);
      structs.push(declaration);
      variables.push(`@group(0) @binding(${bound.length}) var<uniform> ${name}: Fields_${name};`);
      bound.push({ arg, type: "uniform", contents });
    } else if (!isInput || dtypes.has(arg)) {
      const type = (binding["buffer"] ?? (isInput ? "read-only-storage" : "storage")) as Bound["type"];
      const access = type === "storage" ? "read_write" : "read";
      variables.push(
        `@group(0) @binding(${bound.length}) var<storage, ${access}> ${name}: array<${elementOf(binding, arg, dtypes, types, own)}>;`,
      );
      bound.push({ arg, type });
    }
  }
  const template = files.get(String(pass["shader"]));
  if (template === undefined) throw new Error(`there is no ${String(pass["shader"])}`);
  const resourceDeclarations = [...structs, ...variables].join("\n");
  const dispatch = pass["dispatch"] as Entry;
  let [x, y, z] = [dispatch["x"], dispatch["y"] ?? 1, dispatch["z"] ?? 1].map((count) => integer(count, own)) as [
    number,
    number,
    number,
  ];
  if (x > foldWidth && y === 1) [x, y] = [foldWidth, Math.ceil(x / foldWidth)];
  return {
    name: String(pass["name"] ?? pass["id"]),
    code: render(template, { ...own, env: { wgsl: { resourceDeclarations } } }),
    entryPoint: String(pass["entryPoint"] ?? "main"),
    bound,
    groups: [x, y, z],
  };
}

export function planOf(
  manifest: Entry,
  files: ReadonlyMap<string, string>,
  call: Call,
  device: GPUDevice,
  adapter: GPUAdapterInfo,
): Plan {
  const types = typeVariables(manifest, call.inputs);
  const scope = derived(manifest["derive"] as Entry | undefined, firstScope(manifest, call, types, device, adapter));
  if (!holds(manifest["when"], scope)) throw new Error("a condition of the package does not hold");
  const made: Record<string, number> = {};
  const outputs: Record<string, { dtype: string; shape: readonly number[] }> = {};
  const dtypes = new Map(Object.entries(call.inputs).map(([key, { dtype }]) => [key, dtype]));
  for (const [key, output] of Object.entries<Entry>(manifest["outputs"])) {
    const dtype = typeOf(String(output["dtype"]), types);
    const shape = evaluate(output["shape"], scope) as number[];
    outputs[key] = { dtype, shape };
    made[key] = bytesOf(dtype, shape);
    dtypes.set(key, dtype);
  }
  if (Object.values(made).every((size) => size === 0)) return { variant: "none", outputs, made, passes: [] };
  const chosen = choose(manifest, scope, call, device);
  for (const scratch of (chosen.variant["intermediates"] ?? []) as Entry[]) {
    const dtype = typeOf(String(scratch["dtype"]), types);
    made[String(scratch["id"])] = bytesOf(dtype, evaluate(scratch["shape"], chosen.scope) as number[]);
    dtypes.set(String(scratch["id"]), dtype);
  }
  const passes = (chosen.variant["passes"] as Entry[]).map((pass) =>
    passOf(pass, manifest, files, chosen.scope, dtypes, types),
  );
  return { variant: String(chosen.variant["id"]), outputs, made, passes };
}

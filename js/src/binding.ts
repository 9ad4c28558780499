import type { Call } from "./call.js";
import { byteCount, dtypeNamed, elementCount, roundUp, wgslScalar, type DType } from "./dtype.js";
import { PackageFormatError } from "./errors.js";
import { expression, type Scope } from "./expression.js";
import { show } from "./functions.js";
import type { BindingDeclaration, BufferKind, IntermediateDeclaration, Manifest } from "./manifest.js";
import { packStruct, type PackedStruct } from "./struct.js";

/** A buffer that lives for one call, between passes. */
export interface Intermediate {
  readonly id: string;
  readonly scalar: string;
  readonly byteLength: number;
}

/** A binding of a pass whose size is settled. */
export interface Binding {
  /** The variable's name in WGSL. */
  readonly name: string;
  readonly buffer: BufferKind;
  /** The tensor or intermediate that is bound, or the bytes of a uniform struct. */
  readonly source: string | Uint8Array;
  readonly byteLength: number;
  readonly type: string;
  readonly struct: PackedStruct | undefined;
}

const strides: Readonly<Record<string, number>> = { u32: 4, i32: 4, f32: 4, f16: 2 };

/** Bytes from one element to the next in an array of a WGSL type; 16 for what this loader does not know. */
export function strideOf(type: string): number {
  const plain = type.replace(/\s/g, "");
  const atomic = /^atomic<(\w+)>$/.exec(plain)?.[1];
  const vector = /^vec([234])<(\w+)>$/.exec(plain) ?? /^vec([234])([uifh])$/.exec(plain);
  if (vector !== null) {
    const bytes = strides[vector[2] ?? ""] ?? (vector[2] === "h" ? 2 : 4);
    return bytes * (vector[1] === "3" ? 4 : Number(vector[1]));
  }
  return strides[atomic ?? plain] ?? 16;
}

/** The type that a manifest writes as `T`, `vec4<T>`, `float32` or `u32`, as a derived name, or as an expression. */
function wgslType(text: string, scope: Scope, where: string): string {
  const fail = (problem: string): never => {
    throw new PackageFormatError("manifest.json", where, problem);
  };
  const isExpression = /[^\w<>,\s{}]|\bif\b/.test(text);
  const written = isExpression ? expression(text, where).evaluate(scope) : text;
  if (typeof written !== "string") return fail(`${show(written)} is not a type`);
  return written.replace(/\{\{\s*(\w+)\s*\}\}|\b[A-Za-z_]\w*\b/g, (word: string, braced?: string) => {
    const name = braced ?? word;
    const value = name in scope ? scope[name] : undefined;
    if (typeof value === "string") return value;
    if (value !== undefined && typeof value !== "function") fail(`"${name}" is ${show(value)}, not a type`);
    const dtype = dtypeNamed(name);
    return dtype === undefined ? name : wgslScalar(dtype);
  });
}

/** What can be bound, by key. */
export interface Bindables {
  readonly call: Call;
  readonly intermediates: ReadonlyMap<string, Intermediate>;
  readonly manifest: Manifest;
}

export function settleIntermediate(declared: IntermediateDeclaration, scope: Scope): Intermediate {
  const where = `intermediate ${declared.id}`;
  const fail = (problem: string): never => {
    throw new PackageFormatError("manifest.json", where, problem);
  };
  const value = declared.shape.evaluate(scope);
  const shape = typeof value === "number" ? [value] : value;
  if (!Array.isArray(shape) || !shape.every((extent) => Number.isSafeInteger(extent) && Number(extent) >= 0)) {
    fail(`its shape ${declared.shape.source} is ${show(value)}`);
  }
  const scalar = wgslType(declared.dtype, scope, where);
  return { id: declared.id, scalar, byteLength: elementCount(shape as number[]) * strideOf(scalar) };
}

interface Bound {
  readonly byteLength: number;
  readonly scalar: string;
  readonly written: boolean;
}

function boundTo(arg: string, { call, intermediates, manifest }: Bindables): Bound | undefined {
  const ofTensor = (
    tensor: { readonly shape: readonly number[]; readonly storage: DType },
    written: boolean,
  ): Bound => ({ byteLength: byteCount(tensor.storage, tensor.shape), scalar: wgslScalar(tensor.storage), written });
  const input = call.inputs.get(arg);
  if (input !== undefined) return ofTensor(input, false);
  const output = call.outputs.get(arg);
  if (output !== undefined) return ofTensor(output, true);
  const intermediate = intermediates.get(arg);
  if (intermediate !== undefined)
    return { byteLength: intermediate.byteLength, scalar: intermediate.scalar, written: true };
  // An optional input that is not given has nothing to bind.
  if (manifest.inputs.some((declared) => declared.key === arg && declared.optional)) return undefined;
  throw new PackageFormatError("manifest.json", "bindings", `there is no input, output or intermediate "${arg}"`);
}

function settleStruct(declared: BindingDeclaration, scope: Scope): Binding | undefined {
  if (declared.struct === undefined) return undefined;
  const { name, fields } = declared.struct;
  const packed = packStruct(
    name,
    fields.map((field) => ({
      name: field.name,
      type: wgslType(field.type, scope, declared.key),
      value: field.value.evaluate(scope),
    })),
    declared.key,
  );
  return {
    name: declared.name,
    buffer: declared.buffer ?? "uniform",
    source: packed.bytes,
    byteLength: packed.bytes.byteLength,
    type: name,
    struct: packed,
  };
}

/** Settles a binding; undefined for an optional input that is not given, which takes no number. */
export function settleBinding(declared: BindingDeclaration, scope: Scope, bindables: Bindables): Binding | undefined {
  const struct = settleStruct(declared, scope);
  if (struct !== undefined) return struct;
  const bound = boundTo(declared.arg, bindables);
  if (bound === undefined) return undefined;
  const element =
    declared.elementType === undefined
      ? bound.scalar
      : wgslType(declared.elementType, scope, `bindings.${declared.key}`);
  const length = declared.length?.evaluate(scope);
  if (length !== undefined && (!Number.isSafeInteger(length) || Number(length) < 1)) {
    throw new PackageFormatError(
      "manifest.json",
      declared.length?.where ?? "",
      `a length is ${show(length)}, not a whole number from 1`,
    );
  }
  const least = strideOf(element) * Number(length ?? 1);
  return {
    name: declared.name,
    buffer: declared.buffer ?? (bound.written ? "storage" : "read-only-storage"),
    source: declared.arg,
    byteLength: Math.max(roundUp(bound.byteLength, 4), roundUp(least, 4)),
    type: length === undefined ? `array<${element}>` : `array<${element}, ${Number(length)}>`,
    struct: undefined,
  };
}

const accesses: Readonly<Record<BufferKind, string>> = {
  "read-only-storage": "var<storage, read>",
  storage: "var<storage, read_write>",
  uniform: "var<uniform>",
};

/** The WGSL that declares the bindings of a pass, in their order. */
export function resourceDeclarations(bindings: readonly Binding[]): string {
  const structs = new Set(bindings.flatMap(({ struct }) => (struct === undefined ? [] : [struct.declaration])));
  const variables = bindings.map(
    ({ buffer, name, type }, i) => `@group(0) @binding(${i}) ${accesses[buffer]} ${name}: ${type};`,
  );
  return [...structs, ...variables].join("\n");
}

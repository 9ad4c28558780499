import { roundUp } from "./dtype.js";
import { PackageFormatError } from "./errors.js";
import { float16Bits } from "./float16.js";
import { show, type Value } from "./functions.js";

interface FieldType {
  readonly scalar: "u32" | "i32" | "f32" | "f16";
  readonly count: number;
  readonly align: number;
  readonly size: number;
}

export interface StructField {
  readonly name: string;
  readonly type: string;
  readonly value: Value;
}

const scalarBytes = { u32: 4, i32: 4, f32: 4, f16: 2 } as const;
const shorthand: Readonly<Record<string, FieldType["scalar"]>> = { u: "u32", i: "i32", f: "f32", h: "f16" };

function scalarNamed(name: string): FieldType["scalar"] | undefined {
  return Object.hasOwn(scalarBytes, name) ? (name as FieldType["scalar"]) : undefined;
}

/** A field's type: a scalar, or a vector such as `vec3<u32>` or `vec3u`. */
function fieldType(type: string): FieldType | undefined {
  const vector = /^vec([234])(?:<\s*(\w+)\s*>|([uifh]))$/.exec(type.trim());
  const scalar = scalarNamed(vector?.[2] ?? (vector?.[3] === undefined ? type.trim() : (shorthand[vector[3]] ?? "")));
  if (scalar === undefined) return undefined;
  const bytes = scalarBytes[scalar];
  const count = vector === null ? 1 : Number(vector[1]);
  return { scalar, count, size: bytes * count, align: bytes * (count === 3 ? 4 : count) };
}

function put(view: DataView, offset: number, scalar: FieldType["scalar"], value: number): boolean {
  switch (scalar) {
    case "u32":
      view.setUint32(offset, value, true);
      return Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
    case "i32":
      view.setInt32(offset, value, true);
      return Number.isInteger(value) && value >= -0x80000000 && value <= 0x7fffffff;
    case "f32":
      view.setFloat32(offset, value, true);
      return true;
    case "f16":
      view.setUint16(offset, float16Bits(value), true);
      return true;
  }
}

function numbersOf(value: Value): (number | undefined)[] {
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => (typeof item === "boolean" ? Number(item) : typeof item === "number" ? item : undefined));
}

/** A uniform struct: its declaration, and its bytes, which end at a multiple of 16. */
export interface PackedStruct {
  readonly declaration: string;
  readonly bytes: Uint8Array;
}

/** Lays a struct out as WGSL does, with fields added that fill it up to a multiple of four words. */
export function packStruct(name: string, fields: readonly StructField[], where: string): PackedStruct {
  const lines: string[] = [];
  const writes: ((view: DataView) => void)[] = [];
  let end = 0;
  for (const field of fields) {
    const fail = (problem: string): never => {
      throw new PackageFormatError("manifest.json", `${where}.${field.name}`, problem);
    };
    const type = fieldType(field.type) ?? fail(`${field.type} is not a type that a uniform field can have`);
    const offset = roundUp(end, type.align);
    end = offset + type.size;
    lines.push(`  ${field.name}: ${field.type},`);
    const values = numbersOf(field.value);
    if (values.length !== type.count) fail(`${field.type} takes ${type.count} numbers, not ${show(field.value)}`);
    values.forEach((value, i) =>
      writes.push((view) => {
        const at = offset + i * scalarBytes[type.scalar];
        if (value === undefined || !put(view, at, type.scalar, value))
          fail(`${show(field.value)} does not fit ${field.type}`);
      }),
    );
  }
  const size = roundUp(end, 16);
  for (let at = roundUp(end, 4), i = 0; at < size; at += 4, i++) lines.push(`  _pad${i}: u32,`);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  for (const write of writes) write(view);
  return { declaration: `struct ${name} {\n${lines.join("\n")}\n}`, bytes };
}

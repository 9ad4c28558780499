import { dtypeBytes, elementCount, hostArray, isDType, numbersOf, type DType, type HostData } from "./dtype.js";
import { PackageFormatError } from "./errors.js";
import { float16Bits } from "./float16.js";
import type { Json } from "./json.js";
import { ruleAt } from "./rule.js";
import { Safetensors } from "./safetensors.js";
import type { HostTensor, TensorSpec } from "./tensor.js";

/** A typed array of the type, filled from numbers; integers wrap. */
function filled(dtype: DType, count: number, element: (index: number) => number): HostData {
  if (dtype === "int64" || dtype === "uint64") {
    const wide = dtype === "int64" ? new BigInt64Array(count) : new BigUint64Array(count);
    for (let i = 0; i < count; i++) wide[i] = BigInt(Math.trunc(element(i)));
    return wide;
  }
  const array = numbersOf(dtype, count);
  for (let i = 0; i < count; i++) array[i] = dtype === "float16" ? float16Bits(element(i)) : element(i);
  return array;
}

const words: Readonly<Record<string, number>> = { NaN, Infinity, "-Infinity": -Infinity };

function listed(json: Json, { dtype, shape }: TensorSpec): HostData {
  const items = json.items();
  if (items.length !== elementCount(shape))
    json.fail(`it has ${items.length} numbers, [${shape.join(", ")}] has ${elementCount(shape)}`);
  const values = items.map((item) => {
    const word = typeof item.value === "string" && Object.hasOwn(words, item.value) ? words[item.value] : undefined;
    const value = word ?? item.number();
    if (!dtype.startsWith("float") && !Number.isInteger(value)) item.fail(`${value} is not ${dtype}`);
    return value;
  });
  return filled(dtype, values.length, (i) => values[i] ?? 0);
}

function decoded(json: Json, { dtype, shape }: TensorSpec): HostData {
  let text: string;
  try {
    text = atob(json.string());
  } catch (thrown) {
    if (thrown instanceof PackageFormatError) throw thrown;
    return json.fail("it is not base64");
  }
  const needed = elementCount(shape) * dtypeBytes(dtype);
  if (text.length !== needed) json.fail(`it has ${text.length} bytes, ${dtype}[${shape.join(", ")}] takes ${needed}`);
  return hostArray(
    dtype,
    Uint8Array.from(text, (letter) => letter.charCodeAt(0)),
  );
}

/** The type and shape of a tensor in test.json or bench.json. */
export function specAt(json: Json): TensorSpec {
  const dtype = json.at("dtype").string();
  if (!isDType(dtype)) return json.at("dtype").fail(`${dtype} is not a supported type`);
  return { dtype, shape: json.at("shape").extents() };
}

/** Reads the tensors of test.json and bench.json, and the files of the package that they point to. */
export class CaseTensors {
  private readonly files = new Map<string, Promise<Safetensors>>();

  constructor(private readonly read: (name: string) => Promise<Uint8Array<ArrayBuffer> | undefined>) {}

  async tensor(json: Json): Promise<HostTensor> {
    const spec = specAt(json);
    if (!json.at("data").absent) return { ...spec, data: listed(json.at("data"), spec) };
    if (!json.at("base64").absent) return { ...spec, data: decoded(json.at("base64"), spec) };
    if (!json.at("file").absent) return this.fromFile(json, spec);
    if (json.at("generate").absent) json.fail("it needs data, base64, file or generate");
    const rule = ruleAt(json.at("generate"), spec.dtype, spec.shape);
    return { ...spec, data: filled(spec.dtype, elementCount(spec.shape), rule) };
  }

  private async fromFile(json: Json, { dtype, shape }: TensorSpec): Promise<HostTensor> {
    const file = json.at("file").string();
    if (!/^[^/\\]+\.safetensors$/.test(file))
      json.at("file").fail(`"${file}" is not a safetensors file of the package`);
    const tensor = (await this.opened(file, json)).tensor(json.at("tensor").string());
    if (tensor.dtype !== dtype || tensor.shape.join() !== shape.join())
      json.fail(
        `the tensor in ${file} is ${tensor.dtype}[${tensor.shape.join(", ")}], not ${dtype}[${shape.join(", ")}]`,
      );
    return tensor;
  }

  private opened(file: string, json: Json): Promise<Safetensors> {
    let found = this.files.get(file);
    if (found === undefined) {
      found = this.read(file).then((bytes) =>
        bytes === undefined ? json.at("file").fail(`the package has no ${file}`) : new Safetensors(file, bytes),
      );
      this.files.set(file, found);
    }
    return found;
  }
}

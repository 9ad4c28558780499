import { dtypeBytes, elementCount, hostArray, type DType } from "./dtype.js";
import { PackageFormatError } from "./errors.js";
import { Json } from "./json.js";
import { textOf } from "./source.js";
import type { HostTensor } from "./tensor.js";

const types: Readonly<Record<string, DType>> = {
  F32: "float32",
  F16: "float16",
  I32: "int32",
  U32: "uint32",
  BOOL: "bool",
  I8: "int8",
  U8: "uint8",
  I64: "int64",
  U64: "uint64",
};

/** The tensors of a safetensors file: eight bytes with the length of a JSON header, the header, then the elements. */
export class Safetensors {
  private readonly header: Json;
  private readonly data: Uint8Array<ArrayBuffer>;

  constructor(
    private readonly file: string,
    bytes: Uint8Array<ArrayBuffer>,
  ) {
    if (bytes.length < 8) throw new PackageFormatError(file, "", "it is too short to be a safetensors file");
    const length = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
    if (length > BigInt(bytes.length - 8))
      throw new PackageFormatError(file, "", `its header takes ${length} bytes, ${bytes.length - 8} are there`);
    const end = 8 + Number(length);
    this.header = Json.parse(file, textOf(file, bytes.subarray(8, end)));
    this.header.object();
    this.data = bytes.subarray(end);
  }

  has(name: string): boolean {
    return name !== "__metadata__" && !this.header.at(name).absent;
  }

  tensor(name: string): HostTensor {
    const entry = this.header.at(name);
    if (!this.has(name)) throw new PackageFormatError(this.file, "", `there is no tensor "${name}"`);
    const written = entry.at("dtype").string();
    const dtype = Object.hasOwn(types, written) ? types[written] : undefined;
    if (dtype === undefined) return entry.at("dtype").fail(`${written} is not a supported type`);
    const shape = entry.at("shape").extents();
    const [begin = 0, end = 0] = entry.at("data_offsets").extents();
    const bytes = elementCount(shape) * dtypeBytes(dtype);
    if (end - begin !== bytes || end > this.data.length)
      entry
        .at("data_offsets")
        .fail(`[${begin}, ${end}] does not hold the ${bytes} bytes of ${dtype}[${shape.join(", ")}]`);
    return { dtype, shape, data: hostArray(dtype, this.data.slice(begin, end)) };
  }
}

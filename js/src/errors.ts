/** What every error of this package is; `code` names the kind in a form that survives minification. */
export class KernelError extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A file of the package could not be read: there is none, or the network failed. */
export class PackageNotFoundError extends KernelError {
  constructor(
    readonly location: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super("not_found", message, options);
  }
}

/** A file of the package is not what the format asks for; `file` names it, `path` the place inside. */
export class PackageFormatError extends KernelError {
  constructor(
    readonly file: string,
    readonly path: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super("bad_package", `${file}: ${path === "" ? "" : `${path}: `}${problem}`, options);
  }
}

/** The package follows a manifest spec that this loader does not know. */
export class UnsupportedSpecError extends KernelError {
  constructor(readonly spec: string) {
    super("unsupported_spec", `manifest spec ${spec} is not supported; this loader reads spec 2.x from 2.0 to 2.1`);
  }
}

/** A file's bytes do not have the digest that metadata.json states. */
export class DigestError extends KernelError {
  constructor(
    readonly file: string,
    readonly expected: string,
    readonly actual: string,
  ) {
    super("bad_digest", `${file}: its sha256 is ${actual}, metadata.json says ${expected}`);
  }
}

/** The package has another version or revision than was asked for. */
export class VersionError extends KernelError {
  constructor(message: string) {
    super("wrong_version", message);
  }
}

/** An expression does not parse, names something unknown, or has no value. */
export class ExpressionError extends KernelError {
  constructor(
    readonly expression: string,
    readonly where: string,
    readonly problem: string,
    /** The unknown name, when that is the problem. */
    readonly unknownName?: string,
    options?: ErrorOptions,
  ) {
    super("bad_expression", `${where === "" ? "" : `${where}: `}${problem} in "${expression}"`, options);
  }
}

/** A template does not parse or render. */
export class TemplateError extends KernelError {
  constructor(
    readonly file: string,
    readonly problem: string,
    readonly unknownName?: string,
    options?: ErrorOptions,
  ) {
    super("bad_template", `${file}: ${problem}`, options);
  }
}

/** An input is missing, unknown, mis-shaped or of a wrong type. */
export class InputError extends KernelError {
  constructor(
    readonly input: string,
    problem: string,
  ) {
    super("bad_input", `input "${input}": ${problem}`);
  }
}

/** An attribute is missing, unknown or has a value that the manifest excludes. */
export class AttributeError extends KernelError {
  constructor(
    readonly attribute: string,
    problem: string,
  ) {
    super("bad_attribute", `attribute "${attribute}": ${problem}`);
  }
}

/** A tunable is unknown or has a value that the manifest excludes. */
export class TunableError extends KernelError {
  constructor(
    readonly tunable: string,
    problem: string,
  ) {
    super("bad_tunable", `tunable "${tunable}": ${problem}`);
  }
}

/** A call's options contradict each other, or a buffer that was passed in cannot serve. */
export class CallError extends KernelError {
  constructor(message: string) {
    super("bad_call", message);
  }
}

/** A condition of the whole manifest (`when`) does not hold for this call. */
export class ConditionError extends KernelError {
  constructor(readonly condition: string) {
    super("unmet_condition", `the kernel needs "${condition}", which does not hold for this call`);
  }
}

/** Why a variant was chosen or passed over. */
export interface VariantDecision {
  readonly id: string;
  readonly priority: number;
  /** True when `demoteWhen` put the variant behind all others. */
  readonly demoted: boolean;
  readonly selected: boolean;
  /** In words; for the selected variant, that everything it needs holds. */
  readonly reason: string;
}

/** No variant serves this call on this device; `variants` has the reason for each. */
export class NoVariantError extends KernelError {
  constructor(
    readonly kernel: string,
    readonly variants: readonly VariantDecision[],
  ) {
    const lines = variants.map((variant) => `\n  ${variant.id}: ${variant.reason}`);
    super("no_variant", `${kernel}: no variant can run this call on this device:${lines.join("")}`);
  }
}

/** The device's compiler refuses a shader; `source` is the WGSL. */
export class ShaderError extends KernelError {
  constructor(
    readonly file: string,
    readonly problems: readonly string[],
    readonly source: string,
    options?: ErrorOptions,
  ) {
    super("bad_shader", `${file}: the shader does not compile: ${problems.join("; ")}`, options);
  }
}

/** There is no WebGPU, no adapter or no device; or the device refused or lost the work. */
export class DeviceError extends KernelError {
  constructor(message: string, options?: ErrorOptions) {
    super("device", message, options);
  }
}

/** A kernel or tensor is used after `dispose()`. */
export class DisposedError extends KernelError {
  constructor(what: string) {
    super("disposed", `${what} has been disposed of`);
  }
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

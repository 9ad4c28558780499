export { getKernel } from "./kernel.js";
export type {
  CallOptions,
  DeviceCallOptions,
  Explanation,
  GetKernelOptions,
  HostCallOptions,
  Kernel,
  KernelInputs,
  KernelInputSpecs,
  SelectionOptions,
} from "./kernel.js";
export { GPUTensor } from "./tensor.js";
export type { BufferTensor, GPUTensorDescriptor, HostInput, HostTensor, TensorSpec } from "./tensor.js";
export type { CallInput } from "./run.js";
export type { TunableValue } from "./call.js";
export type { DType, Float16ArrayLike, HostData } from "./dtype.js";
export { releaseSharedDevices, sharedDevice } from "./device.js";
export type { Fetch } from "./source.js";
export type { LoadOptions, PackageMetadata } from "./package.js";
export type {
  AttributeDeclaration,
  AttributeValue,
  Manifest,
  TensorDeclaration,
  VariantDeclaration,
} from "./manifest.js";
export {
  AttributeError,
  CallError,
  ConditionError,
  DeviceError,
  DigestError,
  DisposedError,
  ExpressionError,
  InputError,
  KernelError,
  NoVariantError,
  PackageFormatError,
  PackageNotFoundError,
  ShaderError,
  TemplateError,
  TunableError,
  UnsupportedSpecError,
  VersionError,
} from "./errors.js";
export type { VariantDecision } from "./errors.js";

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
  PrepareOptions,
  SelectionOptions,
} from "./kernel.js";
export { GPUTensor } from "./tensor.js";
export type { BufferTensor, GPUTensorDescriptor, HostInput, HostTensor, TensorSpec } from "./tensor.js";
export type { CallInput, PreparedCall, RecordOptions } from "./run.js";
export type { TunableValue } from "./call.js";
export type { DType, Float16ArrayLike, HostData } from "./dtype.js";
export { releaseSharedDevices, sharedDevice } from "./device.js";
export { sourceOfFiles } from "./source.js";
export type { Fetch, Source } from "./source.js";
export { loadPackage } from "./package.js";
export type { KernelPackage, LoadOptions, PackageLocation, PackageMetadata } from "./package.js";
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
export { runTests } from "./tests.js";
export type { TestOptions, TestReport, TestResult } from "./tests.js";
export { deviceName, runBenchmarks } from "./bench.js";
export type { BenchOptions, BenchReport, BenchResult, Throughput } from "./bench.js";
export type { Times } from "./clock.js";

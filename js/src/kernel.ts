import { settleCall, type Call, type CallFacts, type InputFacts, type TunableValue } from "./call.js";
import { deviceValue, limitsOf, sharedDevice } from "./device.js";
import { storageOf } from "./dtype.js";
import { CallError, DeviceError, DisposedError, type VariantDecision } from "./errors.js";
import type { Value } from "./functions.js";
import type { AttributeValue, Manifest } from "./manifest.js";
import {
  loadPackage,
  type KernelPackage,
  type LoadOptions,
  type PackageLocation,
  type PackageMetadata,
} from "./package.js";
import { Pipelines } from "./pipeline.js";
import { Planner, type Plan } from "./plan.js";
import { isBuffer, Run, type CallInput, type PreparedCall } from "./run.js";
import { uploaded, type BufferTensor, type GPUTensor, type HostTensor, type TensorSpec } from "./tensor.js";

export interface GetKernelOptions extends LoadOptions {
  /** The device to use; without one, kernels share a device that the first of them makes. */
  readonly device?: GPUDevice | undefined;
  /** Where the shared device comes from; `navigator.gpu` when left out. */
  readonly gpu?: GPU | undefined;
}

/** The inputs by name; an optional one may be left out or undefined. */
export type KernelInputs = Readonly<Record<string, CallInput | undefined>>;

/** Inputs, or only their shapes and types: enough wherever nothing is computed. */
export type KernelInputSpecs = Readonly<Record<string, CallInput | TensorSpec | undefined>>;

/** What decides, besides the inputs, which shaders run. */
export interface SelectionOptions {
  readonly attrs?: Readonly<Record<string, AttributeValue | undefined>> | undefined;
  readonly tunables?: Readonly<Record<string, TunableValue | undefined>> | undefined;
}

export interface CallOptions extends SelectionOptions {
  /** Where results go: typed arrays ("cpu", the default) or tensors in GPU memory ("gpu"). */
  readonly output?: "cpu" | "gpu" | undefined;
  /** Records the work here instead of submitting it; results are then GPU tensors, filled once the caller submits. */
  readonly encoder?: GPUCommandEncoder | undefined;
  /** Buffers of the caller that outputs are written to. */
  readonly into?: Readonly<Record<string, BufferTensor | undefined>> | undefined;
}

export type PrepareOptions = SelectionOptions & Pick<CallOptions, "into">;

export type HostCallOptions = CallOptions & { readonly output?: "cpu" | undefined; readonly encoder?: undefined };
export type DeviceCallOptions = CallOptions & ({ readonly output: "gpu" } | { readonly encoder: GPUCommandEncoder });

/** The selection for one call. */
export interface Explanation {
  /** The variant that runs; undefined when none can. */
  readonly selected: string | undefined;
  /** Every variant, in the order in which they are tried. */
  readonly variants: readonly VariantDecision[];
}

/** A loaded kernel: call it. */
export interface Kernel {
  (inputs: KernelInputs, options?: HostCallOptions): Promise<Record<string, HostTensor>>;
  (inputs: KernelInputs, options: DeviceCallOptions): Promise<Record<string, GPUTensor>>;
  (inputs: KernelInputs, options: CallOptions): Promise<Record<string, HostTensor | GPUTensor>>;
  readonly location: string;
  readonly metadata: PackageMetadata;
  readonly manifest: Manifest;
  readonly device: GPUDevice;
  /** The shapes and types of the outputs that a call gives. */
  outputs(inputs: KernelInputSpecs, options?: SelectionOptions): Record<string, TensorSpec>;
  /** Which variant a call runs, and why each other does not. */
  explain(inputs: KernelInputSpecs, options?: SelectionOptions): Explanation;
  /** A call that is recorded again and again: its arrays are uploaded and its buffers allocated once. */
  prepare(inputs: KernelInputs, options?: PrepareOptions): Promise<PreparedCall>;
  /** Another file of the package, such as test.json, checked against its digest; undefined when there is none. */
  file(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Compiles the shaders of a call ahead of it. */
  warmup(inputs: KernelInputSpecs, options?: SelectionOptions): Promise<void>;
  /** Forgets what was compiled. The device and all tensors stay as they are. */
  dispose(): void;
}

/** Plans of calls that differ in shapes, types, attributes or tunables; older ones are forgotten. */
const keptPlans = 256;

class LoadedKernel {
  private readonly plans = new Map<string, Plan>();
  private readonly planner: Planner;
  private readonly pipelines: Pipelines;
  private readonly deviceFacts: Value;
  /** The package's weights that calls left out, once they are on the device. */
  private readonly weights = new Map<string, GPUTensor>();
  private disposed = false;
  private lost: string | undefined;

  constructor(
    readonly loaded: KernelPackage,
    readonly device: GPUDevice,
  ) {
    this.planner = new Planner(loaded.manifest, loaded.templates, {
      features: device.features,
      limits: limitsOf(device),
    });
    this.pipelines = new Pipelines(device);
    this.deviceFacts = deviceValue(device);
    void device.lost?.then(({ message, reason }) => {
      this.lost = message || reason;
    });
  }

  private facts(inputs: KernelInputSpecs, { attrs = {}, tunables = {} }: SelectionOptions): CallFacts {
    if (this.disposed) throw new DisposedError("the kernel");
    if (typeof inputs !== "object" || inputs === null)
      throw new CallError("inputs must be an object with a tensor for each name");
    return {
      inputs: { ...this.specsOfWeights(inputs), ...withoutNull(inputs) },
      attrs,
      tunables,
      device: this.deviceFacts,
    };
  }

  /** Shapes and types of the weights that stand for inputs which are left out. */
  private specsOfWeights(inputs: KernelInputSpecs): Record<string, TensorSpec> {
    const left = [...this.loaded.weights].filter(([key]) => (inputs[key] ?? undefined) === undefined);
    return Object.fromEntries(left.map(([key, { shape, dtype }]) => [key, { shape, dtype }]));
  }

  private weight(key: string, tensor: HostTensor): GPUTensor {
    let found = this.weights.get(key);
    if (found === undefined) {
      const declared = this.loaded.manifest.inputs.find((input) => input.key === key);
      found = uploaded(this.device, tensor, storageOf(tensor.dtype, declared?.storage));
      this.weights.set(key, found);
    }
    return found;
  }

  /** The inputs that are given, and the package's weights for those that are not. */
  private withWeights(given: KernelInputs): Record<string, CallInput> {
    const inputs = withoutNull(given) as Record<string, CallInput>;
    for (const [key, tensor] of this.loaded.weights) inputs[key] ??= this.weight(key, tensor);
    return inputs;
  }

  call(inputs: KernelInputSpecs, options: SelectionOptions): Call {
    return settleCall(this.loaded.manifest, this.facts(inputs, options));
  }

  plan(inputs: KernelInputSpecs, options: SelectionOptions): Plan {
    const key = planKey(this.facts(inputs, options));
    const known = this.plans.get(key);
    if (known !== undefined) return known;
    const plan = this.planner.plan(this.call(inputs, options));
    if (this.plans.size >= keptPlans) this.plans.delete(this.plans.keys().next().value ?? "");
    this.plans.set(key, plan);
    return plan;
  }

  explain(inputs: KernelInputSpecs, options: SelectionOptions): Explanation {
    const variants = this.planner.explain(this.call(inputs, options));
    return { selected: variants.find(({ selected }) => selected)?.id, variants };
  }

  async warmup(inputs: KernelInputSpecs, options: SelectionOptions): Promise<void> {
    await Promise.all(this.plan(inputs, options).passes.map((pass) => this.pipelines.for(pass)));
  }

  async run(given: KernelInputs, options: CallOptions): Promise<Record<string, HostTensor | GPUTensor>> {
    if (options.encoder !== undefined && options.output === "cpu") {
      throw new CallError('with an encoder the results are GPU tensors: output cannot be "cpu"');
    }
    if (options.output !== undefined && options.output !== "cpu" && options.output !== "gpu") {
      throw new CallError(`output must be "cpu" or "gpu", not ${JSON.stringify(options.output)}`);
    }
    const { run, inputs } = this.begin(given, options);
    const onDevice = options.output === "gpu" || options.encoder !== undefined;
    return onDevice ? run.onDevice(this.pipelines) : run.onHost(this.pipelines, inputs);
  }

  async prepare(given: KernelInputs, { attrs, tunables, into }: PrepareOptions): Promise<PreparedCall> {
    return this.begin(given, { attrs, tunables, into }).run.prepared(this.pipelines);
  }

  /** A call whose inputs are on the device. */
  private begin(given: KernelInputs, options: CallOptions): { run: Run; inputs: Record<string, CallInput> } {
    const plan = this.plan(given, options);
    for (const [key, input] of Object.entries(withoutNull(given))) {
      if (input !== undefined && !isBuffer(input) && !ArrayBuffer.isView(input.data))
        throw new CallError(`input "${key}" has neither data nor a buffer`);
    }
    if (this.lost !== undefined) throw new DeviceError(`the device is lost: ${this.lost}`);
    const inputs = this.withWeights(given);
    const run = new Run(this.device, plan, { encoder: options.encoder, into: options.into ?? {} });
    run.prepare(inputs);
    return { run, inputs };
  }

  dispose(): void {
    this.disposed = true;
    this.plans.clear();
    this.pipelines.clear();
    for (const tensor of this.weights.values()) tensor.dispose();
    this.weights.clear();
  }
}

/** The inputs that are there: JavaScript without types may pass null for an optional one. */
function withoutNull<T>(inputs: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(inputs).filter(([, input]) => input !== null && input !== undefined));
}

/** What a plan depends on, as text. */
function planKey({ inputs, attrs, tunables }: CallFacts): string {
  const facts = Object.entries(inputs).map(([key, input]: [string, InputFacts | undefined]) => [
    key,
    input?.shape,
    input?.dtype,
    input?.data?.length,
    input?.data?.constructor.name,
  ]);
  // JSON has no words for some numbers.
  const exact = (_: string, value: unknown): unknown =>
    typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)) ? `number ${value}` : value;
  return JSON.stringify([facts, attrs, tunables], exact);
}

/**
 * Loads a kernel package from a path (in Node) or a URL — the package's folder, or the one with its manifest — or from
 * something that reads files.
 * All its files are read, and checked against their digests, before a device is asked for.
 */
export async function getKernel(location: PackageLocation, options: GetKernelOptions = {}): Promise<Kernel> {
  const loaded = await loadPackage(location, options);
  const kernel = new LoadedKernel(loaded, options.device ?? (await sharedDevice(options.gpu)));
  const call = async (inputs: KernelInputs, given: CallOptions = {}): Promise<Record<string, HostTensor | GPUTensor>> =>
    kernel.run(inputs, given);
  return Object.assign(call as Kernel, {
    location: loaded.location,
    metadata: loaded.metadata,
    manifest: loaded.manifest,
    device: kernel.device,
    outputs: (inputs: KernelInputSpecs, given: SelectionOptions = {}) =>
      Object.fromEntries(
        [...kernel.call(inputs, given).outputs].map(([key, { shape, dtype }]) => [key, { shape, dtype }]),
      ),
    explain: (inputs: KernelInputSpecs, given: SelectionOptions = {}) => kernel.explain(inputs, given),
    warmup: (inputs: KernelInputSpecs, given: SelectionOptions = {}) => kernel.warmup(inputs, given),
    prepare: async (inputs: KernelInputs, given: PrepareOptions = {}) => kernel.prepare(inputs, given),
    file: (name: string) => loaded.file(name),
    dispose: () => kernel.dispose(),
  });
}

import { CaseTensors } from "./case_tensor.js";
import { chosen, neededFile, readBenchmarks, type BenchCase } from "./cases.js";
import { clockOf, timed, type Clock, type Times } from "./clock.js";
import { copyOf } from "./copy.js";
import { messageOf } from "./errors.js";
import type { GetKernelOptions, Kernel } from "./kernel.js";
import type { PackageLocation } from "./package.js";
import { decodedInputs, loadedKernel } from "./tests.js";

export interface BenchOptions extends GetKernelOptions {
  /** Only the cases with this in their names. */
  readonly only?: string | undefined;
  /** About how long each case is measured, and as long the copy beside it; 0.5 when left out. */
  readonly seconds?: number | undefined;
  /** Told of each case as it ends. */
  readonly onCase?: ((result: BenchResult) => void) | undefined;
  /** Stops between two cases. */
  readonly signal?: AbortSignal | undefined;
}

/** Times, and the bytes that a call must move at least by them. */
export interface Throughput extends Times {
  /** In 10⁹ bytes a second. */
  readonly gigabytesPerSecond: number;
}

export interface BenchResult {
  readonly name: string;
  /** The numbers that make the case differ from the others, by name. */
  readonly at: Readonly<Record<string, number>>;
  readonly status: "measured" | "skipped" | "failed";
  /** Why the case was not measured. */
  readonly problem: string | undefined;
  readonly variant: string | undefined;
  /** What a call must move at least. */
  readonly bytes: number;
  readonly kernel: Throughput | undefined;
  /** A kernel that only moves as many bytes. */
  readonly copy: Throughput | undefined;
}

export interface BenchReport {
  readonly kernel: string;
  readonly location: string;
  readonly device: string;
  readonly clock: Clock["kind"];
  readonly results: readonly BenchResult[];
}

/** The adapter in words. */
export function deviceName(device: GPUDevice): string {
  const { vendor = "", architecture = "", device: model = "", description = "" } = device.adapterInfo ?? {};
  return [vendor, architecture, description || model].filter((word) => word !== "").join(" ") || "an unnamed adapter";
}

function throughput(times: Times, bytes: number): Throughput {
  return { ...times, gigabytesPerSecond: bytes / times.median / 1e9 };
}

async function measureCopy(kernel: Kernel, bytes: number, clock: Clock, seconds: number): Promise<Throughput> {
  const copy = await copyOf(kernel.device, bytes);
  try {
    return throughput(await timed(clock, copy.work, seconds), bytes);
  } finally {
    copy.dispose();
  }
}

async function measureCase(
  kernel: Kernel,
  each: BenchCase,
  tensors: CaseTensors,
  clock: Clock,
  seconds: number,
): Promise<BenchResult> {
  const { name, at, bytes, attrs, tunables } = each;
  const none = { name, at, bytes, problem: undefined, variant: undefined, kernel: undefined, copy: undefined };
  const lacking = each.features.filter((feature) => !kernel.device.features.has(feature));
  if (lacking.length > 0)
    return { ...none, status: "skipped", problem: `the device lacks the feature ${lacking.join(", ")}` };
  try {
    const call = await kernel.prepare(await decodedInputs(each, tensors), { attrs, tunables });
    try {
      if (call.variant === undefined) return { ...none, status: "skipped", problem: "there is nothing to compute" };
      const times = throughput(await timed(clock, (encoder, options) => call.record(encoder, options), seconds), bytes);
      const copy = await measureCopy(kernel, bytes, clock, seconds);
      return { ...none, status: "measured", variant: call.variant, kernel: times, copy };
    } finally {
      call.dispose();
    }
  } catch (thrown) {
    return { ...none, status: "failed", problem: messageOf(thrown) };
  }
}

/** Times the cases of a package's bench.json on tensors that stay on the device, each beside a copy of as many bytes. */
export async function runBenchmarks(
  location: Kernel | PackageLocation,
  options: BenchOptions = {},
): Promise<BenchReport> {
  const kernel = await loadedKernel(location, options);
  const cases = readBenchmarks(await neededFile(kernel, "bench.json"));
  const tensors = new CaseTensors((name) => kernel.file(name));
  const clock = clockOf(kernel.device);
  const results: BenchResult[] = [];
  try {
    for (const each of chosen(cases, options.only)) {
      options.signal?.throwIfAborted();
      const result = await measureCase(kernel, each, tensors, clock, options.seconds ?? 0.5);
      results.push(result);
      options.onCase?.(result);
    }
  } finally {
    clock.dispose();
  }
  const { metadata, location: from, device } = kernel;
  return { kernel: metadata.name, location: from, device: deviceName(device), clock: clock.kind, results };
}

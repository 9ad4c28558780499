import { CaseTensors } from "./case_tensor.js";
import { chosen, inputSpecs, neededFile, readTests, type TestCase, type TestFile } from "./cases.js";
import { compare } from "./compare.js";
import { messageOf } from "./errors.js";
import { getKernel, type GetKernelOptions, type Kernel } from "./kernel.js";
import type { PackageLocation } from "./package.js";
import type { HostTensor } from "./tensor.js";

export interface TestOptions extends GetKernelOptions {
  /** Only the cases with this in their names. */
  readonly only?: string | undefined;
  /** Told of each case as it ends. */
  readonly onCase?: ((result: TestResult) => void) | undefined;
  /** Stops between two cases. */
  readonly signal?: AbortSignal | undefined;
}

export interface TestResult {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  /** The variant that ran; undefined when none did. */
  readonly variant: string | undefined;
  /** What is wrong, or why the case was skipped. */
  readonly problems: readonly string[];
  /** The largest difference from what is expected, over all outputs. */
  readonly largestError: number;
  /** From the call to its results, shaders compiled included. */
  readonly milliseconds: number;
}

export interface TestReport {
  readonly kernel: string;
  readonly location: string;
  readonly results: readonly TestResult[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The kernel of a location; one that is loaded already stays as it is. */
export async function loadedKernel(kernel: Kernel | PackageLocation, options: GetKernelOptions): Promise<Kernel> {
  return typeof kernel === "function" ? kernel : getKernel(kernel, options);
}

/** A case's input tensors, decoded. */
export async function decodedInputs(
  each: Pick<TestCase, "inputs">,
  tensors: CaseTensors,
): Promise<Record<string, HostTensor>> {
  const decoded = [...each.inputs].map(async ([key, json]) => [key, await tensors.tensor(json)] as const);
  return Object.fromEntries(await Promise.all(decoded));
}

async function problemsOf(
  each: TestCase,
  outputs: Readonly<Record<string, HostTensor>>,
  file: TestFile,
  tensors: CaseTensors,
): Promise<Pick<TestResult, "problems" | "largestError">> {
  const problems: string[] = [];
  let largestError = 0;
  for (const [key, json] of each.expected) {
    const want = await tensors.tensor(json);
    const got = outputs[key];
    if (got === undefined) {
      problems.push(`the kernel has no output "${key}"`);
      continue;
    }
    const tolerance = each.tolerances.get(key) ?? file.tolerances.get(want.dtype);
    const comparison = compare(key, got, want, tolerance);
    if (comparison.problem !== undefined) problems.push(comparison.problem);
    if (comparison.largestError > largestError) largestError = comparison.largestError;
  }
  return { problems, largestError };
}

async function runCase(kernel: Kernel, each: TestCase, file: TestFile, tensors: CaseTensors): Promise<TestResult> {
  const { name, attrs, tunables } = each;
  const none = { name, variant: undefined, largestError: 0, milliseconds: 0 };
  const lacking = each.features.filter((feature) => !kernel.device.features.has(feature));
  if (lacking.length > 0)
    return { ...none, status: "skipped", problems: [`the device lacks the feature ${lacking.join(", ")}`] };
  try {
    const inputs = await decodedInputs(each, tensors);
    const { selected } = kernel.explain(inputSpecs(each), { attrs, tunables });
    const start = performance.now();
    const outputs = await kernel(inputs, { attrs, tunables });
    const milliseconds = performance.now() - start;
    const { problems, largestError } = await problemsOf(each, outputs, file, tensors);
    const empty = Object.values(outputs).every(({ data }) => data.length === 0);
    const variant = empty ? undefined : selected;
    return { name, status: problems.length === 0 ? "passed" : "failed", variant, problems, largestError, milliseconds };
  } catch (thrown) {
    return { ...none, status: "failed", problems: [messageOf(thrown)] };
  }
}

/** Runs the cases of a package's test.json, one after the other. */
export async function runTests(location: Kernel | PackageLocation, options: TestOptions = {}): Promise<TestReport> {
  const kernel = await loadedKernel(location, options);
  const file = readTests(await neededFile(kernel, "test.json"));
  const tensors = new CaseTensors((name) => kernel.file(name));
  const results: TestResult[] = [];
  for (const each of chosen(file.cases, options.only)) {
    options.signal?.throwIfAborted();
    const result = await runCase(kernel, each, file, tensors);
    results.push(result);
    options.onCase?.(result);
  }
  const count = (status: TestResult["status"]): number => results.filter((result) => result.status === status).length;
  const totals = { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
  return { kernel: kernel.metadata.name, location: kernel.location, results, ...totals };
}

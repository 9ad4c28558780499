// Which packages are filters, found from shapes: a signal in, one like it out, and states that go from call to call.
import { inputSpecs, type Case } from "../src/cases.js";
import type { Kernel, TensorSpec } from "../src/index.js";

/** An input that holds from sample to sample: one number for each channel, or some, which its name lists: `b0_b1`. */
export interface Parameter {
  readonly key: string;
  readonly names: readonly string[];
}

export interface FilterRoles {
  /** The input with a row for each sample, and the output like it. */
  readonly signal: string;
  readonly filtered: string;
  readonly states: readonly { readonly input: string; readonly output: string }[];
  readonly parameters: readonly Parameter[];
  readonly channels: number;
  /** The shape of each input for blocks of so many samples. */
  shapes(samples: number): Record<string, TensorSpec>;
}

type Specs = Readonly<Record<string, TensorSpec>>;

/** A name without what tells the state before from the one after. */
function stem(name: string): string {
  return name
    .toLowerCase()
    .replace(/initial|final|state|start|next|last|prev(ious)?|new|old|_in$|_out$|^in_|^out_|[^a-z0-9]/g, "")
    .replace(/(.)0$/, "$1");
}

function statesOf(inputs: readonly string[], outputs: readonly string[]): FilterRoles["states"] {
  return outputs.flatMap((output) => {
    const input = inputs.find((name) => stem(name) === stem(output));
    return input === undefined ? [] : [{ input, output }];
  });
}

function same(a: TensorSpec | undefined, b: TensorSpec | undefined): boolean {
  return a?.dtype === b?.dtype && a?.shape.join() === b?.shape.join();
}

function parameterOf(key: string, { shape }: TensorSpec): Parameter | undefined {
  if (shape.length <= 1) return { key, names: [key] };
  const names = key.split("_");
  return shape.length === 2 && names.length === shape[0] ? { key, names } : undefined;
}

/** Samples of a block, for which a package must have a call. */
export const blockSamples = 256;

/** The roles when one input is the signal; undefined when that does not make a filter. */
function rolesWith(kernel: Kernel, signal: string, inputs: Specs, each: Case): FilterRoles | undefined {
  const channels = inputs[signal]?.shape[1] ?? 1;
  const shapes = (samples: number): Record<string, TensorSpec> => ({
    ...inputs,
    [signal]: { dtype: "float32", shape: [samples, channels] },
  });
  const specs = shapes(blockSamples);
  const outputs = kernel.outputs(specs, each);
  const filtered = Object.keys(outputs).find((key) => same(outputs[key], specs[signal]));
  const others = Object.keys(inputs).filter((key) => key !== signal);
  if (filtered === undefined || others.some((key) => inputs[key]?.dtype !== "float32")) return undefined;
  const carried = Object.keys(outputs).filter((key) => key !== filtered);
  const states = statesOf(others, carried).filter(({ input, output }) => same(inputs[input], outputs[output]));
  if (states.length === 0 || states.length !== carried.length) return undefined;
  const stateInputs = new Set(states.map(({ input }) => input));
  const held = others.filter((key) => !stateInputs.has(key));
  const parameters = held.flatMap((key) => parameterOf(key, inputs[key] as TensorSpec) ?? []);
  if (parameters.length !== held.length || kernel.explain(specs, each).selected === undefined) return undefined;
  return { signal, filtered, states, parameters, channels, shapes };
}

/** The same call with one channel in place of as many as the signal has. */
function withOneChannel(inputs: Specs, signal: string): Record<string, TensorSpec> {
  const channels = inputs[signal]?.shape[1];
  const one = ({ shape, dtype }: TensorSpec): TensorSpec => ({
    dtype,
    shape: shape.map((extent, i) => (i === shape.length - 1 && extent === channels ? 1 : extent)),
  });
  return Object.fromEntries(Object.entries(inputs).map(([key, spec]) => [key, one(spec)]));
}

/** How a package filters, with one channel where it allows that; undefined when it is no filter. */
export function filterRoles(kernel: Kernel, cases: readonly Case[]): FilterRoles | undefined {
  for (const each of cases) {
    const inputs = inputSpecs(each);
    const signals = Object.keys(inputs).filter(
      (key) => inputs[key]?.shape.length === 2 && inputs[key].dtype === "float32",
    );
    for (const signal of signals) {
      for (const specs of [withOneChannel(inputs, signal), inputs]) {
        try {
          const roles = rolesWith(kernel, signal, specs, each);
          if (roles !== undefined) return roles;
        } catch {
          // The package wants other shapes.
        }
      }
    }
  }
  return undefined;
}

import { specAt } from "./case_tensor.js";
import { PackageFormatError } from "./errors.js";
import type { Json } from "./json.js";
import type { AttributeValue } from "./manifest.js";
import { jsonOf } from "./source.js";
import type { TensorSpec } from "./tensor.js";
import type { TunableValue } from "./call.js";

/** A call that a package asks for, in test.json or bench.json; its tensors are decoded when they are needed. */
export interface Case {
  readonly name: string;
  readonly inputs: ReadonlyMap<string, Json>;
  readonly attrs: Readonly<Record<string, AttributeValue>>;
  readonly tunables: Readonly<Record<string, TunableValue>>;
  /** Features without which the device skips the case. */
  readonly features: readonly string[];
}

export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

export interface TestCase extends Case {
  readonly expected: ReadonlyMap<string, Json>;
  /** By output; the others are compared by their type. */
  readonly tolerances: ReadonlyMap<string, Tolerance>;
}

export interface BenchCase extends Case {
  /** The numbers that make the case differ from the others, by name. */
  readonly at: Readonly<Record<string, number>>;
  /** What a call must move at least. */
  readonly bytes: number;
}

export interface TestFile {
  /** By type; those that are not there are compared exactly. */
  readonly tolerances: ReadonlyMap<string, Tolerance>;
  readonly cases: readonly TestCase[];
}

function tensorsAt(json: Json): Map<string, Json> {
  const tensors = new Map(json.entries());
  for (const tensor of tensors.values()) specAt(tensor);
  return tensors;
}

function settingsAt<T>(json: Json): Record<string, T> {
  return Object.fromEntries(
    json.entries().map(([name, value]) => {
      const items = Array.isArray(value.value) ? value.items() : [value];
      if (!items.every((item) => ["number", "string", "boolean"].includes(typeof item.value)))
        value.fail("a number, string, boolean or a list of them is needed");
      return [name, value.value as T];
    }),
  );
}

function tolerancesAt(json: Json): Map<string, Tolerance> {
  return new Map(
    json.entries().map(([name, value]) => [name, { rtol: value.at("rtol").number(), atol: value.at("atol").number() }]),
  );
}

function caseAt(json: Json): Case {
  return {
    name: json.at("name").string(),
    inputs: tensorsAt(json.at("inputs")),
    attrs: settingsAt(json.at("attrs")),
    tunables: settingsAt(json.at("tunables")),
    features: json
      .at("features")
      .items()
      .map((feature) => feature.string()),
  };
}

function casesAt(json: Json, format: string): Json[] {
  const written = json.at("format").string();
  if (written !== format) json.at("format").fail(`"${written}" is not known; this loader reads ${format}`);
  const cases = json.at("cases").items();
  if (cases.length === 0) json.at("cases").fail("there are none");
  return cases;
}

/** Reads a test.json. */
export function readTests(bytes: Uint8Array): TestFile {
  const json = jsonOf("test.json", bytes);
  const cases = casesAt(json, "pawl-package-test/1").map((each) => {
    const expected = tensorsAt(each.at("expected"));
    if (expected.size === 0) each.at("expected").fail("a case must expect something");
    return { ...caseAt(each), expected, tolerances: tolerancesAt(each.at("tolerances")) };
  });
  return { tolerances: tolerancesAt(json.at("tolerances")), cases };
}

/** Reads a bench.json. */
export function readBenchmarks(bytes: Uint8Array): BenchCase[] {
  return casesAt(jsonOf("bench.json", bytes), "pawl-package-bench/1").map((each) => ({
    ...caseAt(each),
    at: Object.fromEntries(
      each
        .at("at")
        .entries()
        .map(([name, value]) => [name, value.number()]),
    ),
    bytes: each.at("bytes").number(),
  }));
}

/** Shapes and types of a case's inputs: enough to explain it. */
export function inputSpecs(each: Case): Record<string, TensorSpec> {
  return Object.fromEntries([...each.inputs].map(([key, json]) => [key, specAt(json)]));
}

/** The cases that are asked for by a part of their names. */
export function chosen<T extends Case>(cases: readonly T[], only: string | undefined): readonly T[] {
  return only === undefined ? cases : cases.filter(({ name }) => name.includes(only));
}

/** The file of a package that must be there for what is asked. */
export async function neededFile(
  kernel: { readonly location: string; file(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> },
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await kernel.file(name);
  if (bytes === undefined) throw new PackageFormatError(name, "", `${kernel.location} has none`);
  return bytes;
}

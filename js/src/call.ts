import {
  arrayName,
  dtypesHeldBy,
  elementCount,
  holds,
  hostArraysOf,
  dtypeNamed,
  storageOf,
  wgslScalar,
  type DType,
  type HostData,
} from "./dtype.js";
import { AttributeError, ConditionError, InputError, TunableError } from "./errors.js";
import { derivedScope, truth, type Scope } from "./expression.js";
import { functions, isRecord, show, type Value } from "./functions.js";
import {
  foldConstant,
  foldWidth,
  type AttributeDeclaration,
  type AttributeValue,
  type Manifest,
  type TensorDeclaration,
  type TunableDeclaration,
} from "./manifest.js";

export type TunableValue = number | string | boolean;

/** What is known of an input before any GPU work. */
export interface InputFacts {
  readonly shape: readonly number[];
  readonly dtype?: DType | undefined;
  readonly data?: HostData | undefined;
}

export interface CallFacts {
  readonly inputs: Readonly<Record<string, InputFacts | undefined>>;
  readonly attrs: Readonly<Record<string, AttributeValue | undefined>>;
  readonly tunables: Readonly<Record<string, TunableValue | undefined>>;
  /** The device as expressions see it. */
  readonly device: Value;
}

/** A tensor of a call whose shape and types are settled. */
export interface CallTensor {
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly storage: DType;
}

/** A call that fits the manifest: everything that selection and templates read. */
export interface Call {
  readonly inputs: ReadonlyMap<string, CallTensor>;
  readonly outputs: ReadonlyMap<string, CallTensor>;
  /** The scope of the manifest's expressions, with the tunables that a variant overrides. */
  scope(tunables: readonly TunableDeclaration[]): Scope;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "there are none" : `there are ${names.map((name) => `"${name}"`).join(", ")}`;
}

function checkShape(key: string, facts: InputFacts): void {
  if (!Array.isArray(facts.shape) || !facts.shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) {
    throw new InputError(key, `its shape must be a list of whole numbers from 0, not ${JSON.stringify(facts.shape)}`);
  }
  if (facts.data !== undefined && facts.data.length !== elementCount(facts.shape)) {
    throw new InputError(
      key,
      `its shape [${facts.shape.join(", ")}] has ${elementCount(facts.shape)} elements, the data ${facts.data.length}`,
    );
  }
}

/** The types that an input may have, given its array and what the caller says; never empty. */
function possibleTypes(declared: TensorDeclaration, facts: InputFacts): readonly DType[] {
  const wanted = declared.dtypes.join(" or ");
  if (facts.dtype !== undefined) {
    if (!declared.dtypes.includes(facts.dtype))
      throw new InputError(declared.key, `its type must be ${wanted}, not ${facts.dtype}`);
    if (facts.data !== undefined && !holds(facts.dtype, facts.data)) {
      throw new InputError(
        declared.key,
        `${facts.dtype} comes in a ${hostArraysOf(facts.dtype)}, not a ${arrayName(facts.data)}`,
      );
    }
    return [facts.dtype];
  }
  if (facts.data === undefined) throw new InputError(declared.key, "without data it needs a dtype");
  const held = dtypesHeldBy(facts.data, declared.dtypes);
  if (held.length > 0) return held;
  const arrays = declared.dtypes.map((dtype) => `${dtype} (${hostArraysOf(dtype)})`).join(" or ");
  throw new InputError(declared.key, `its type must be ${arrays}, but its data is a ${arrayName(facts.data)}`);
}

interface Types {
  readonly inputs: Map<string, DType>;
  readonly variables: Map<string, DType>;
}

/** Settles every input's type, so that inputs with the same type variable agree. */
function settleTypes(manifest: Manifest, given: ReadonlyMap<string, InputFacts>): Types {
  const left = new Map<string, readonly DType[]>();
  const possible = new Map<string, readonly DType[]>();
  for (const declared of manifest.inputs) {
    const facts = given.get(declared.key);
    if (facts === undefined) continue;
    const types = possibleTypes(declared, facts);
    possible.set(declared.key, types);
    if (declared.variable === undefined) continue;
    const before = left.get(declared.variable);
    const both = before === undefined ? types : types.filter((type) => before.includes(type));
    if (both.length === 0) {
      throw new InputError(
        declared.key,
        `its type is ${types.join(" or ")}, but ${declared.variable} is ${before?.join(" or ")} in the inputs before it`,
      );
    }
    left.set(declared.variable, both);
  }
  const variables = new Map<string, DType>();
  for (const [name, types] of manifest.typeConstraints) {
    const [first] = left.get(name) ?? (types.length === 1 ? types : []);
    if (first !== undefined) variables.set(name, first);
  }
  const inputs = new Map<string, DType>();
  for (const declared of manifest.inputs) {
    const type =
      (declared.variable === undefined ? undefined : variables.get(declared.variable)) ??
      possible.get(declared.key)?.[0];
    if (type !== undefined && given.has(declared.key)) inputs.set(declared.key, type);
  }
  return { inputs, variables };
}

function givenInputs(manifest: Manifest, inputs: CallFacts["inputs"]): Map<string, InputFacts> {
  const keys = manifest.inputs.map((declared) => declared.key);
  for (const key of Object.keys(inputs)) {
    if (!keys.includes(key)) throw new InputError(key, `the kernel has no such input; ${listed(keys)}`);
  }
  const given = new Map<string, InputFacts>();
  for (const { key, optional } of manifest.inputs) {
    const facts = inputs[key];
    if (facts === undefined || facts === null) {
      if (!optional) throw new InputError(key, "it is missing");
      continue;
    }
    checkShape(key, facts);
    given.set(key, facts);
  }
  return given;
}

function checkAttribute(declared: AttributeDeclaration, value: AttributeValue): void {
  const { name, values, min, max } = declared;
  const shown = JSON.stringify(value);
  if (values !== undefined && !values.some((allowed) => JSON.stringify(allowed) === shown)) {
    throw new AttributeError(
      name,
      `${shown} is not one of ${values.map((allowed) => JSON.stringify(allowed)).join(", ")}`,
    );
  }
  if (min === undefined && max === undefined) return;
  if (typeof value !== "number" || !(value >= (min ?? -Infinity)) || !(value <= (max ?? Infinity))) {
    throw new AttributeError(name, `${shown} is not a number from ${min ?? "-∞"} to ${max ?? "∞"}`);
  }
}

function attributesOf(manifest: Manifest, given: CallFacts["attrs"]): Record<string, Value> {
  const names = manifest.attributes.map((declared) => declared.name);
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) throw new AttributeError(name, `the kernel has no such attribute; ${listed(names)}`);
  }
  return Object.fromEntries(
    manifest.attributes.map((declared) => {
      const value = given[declared.name] ?? declared.default;
      if (value === undefined && !declared.optional)
        throw new AttributeError(declared.name, "it is missing, and has no default");
      if (value !== undefined) checkAttribute(declared, value);
      return [declared.name, value];
    }),
  );
}

function checkTunables(manifest: Manifest, given: CallFacts["tunables"]): void {
  const declared = [...manifest.tunables, ...manifest.variants.flatMap((variant) => variant.tunables)];
  for (const [name, value] of Object.entries(given)) {
    const found = declared.filter((tunable) => tunable.name === name);
    if (found.length === 0)
      throw new TunableError(
        name,
        `the kernel has no such tunable; ${listed([...new Set(declared.map((tunable) => tunable.name))])}`,
      );
    const values = found.flatMap((tunable) => tunable.values ?? []);
    if (value !== undefined && found.every((tunable) => tunable.values !== undefined) && !values.includes(value)) {
      throw new TunableError(name, `${JSON.stringify(value)} is not one of ${values.join(", ")}`);
    }
  }
}

function shapeValue(value: Value, what: string, fail: (problem: string) => never): readonly number[] {
  if (isRecord(value) && Array.isArray(value["shape"])) return shapeValue(value["shape"], what, fail);
  if (!Array.isArray(value) || !value.every((extent) => Number.isSafeInteger(extent) && Number(extent) >= 0)) {
    fail(`${what} is ${show(value)}, not a list of whole numbers from 0`);
  }
  return value as number[];
}

/** Everything that the expressions of one call share. */
class CallContext {
  private readonly types: Types;
  private readonly given: ReadonlyMap<string, InputFacts>;
  private readonly attrs: Record<string, Value>;

  constructor(
    private readonly manifest: Manifest,
    private readonly facts: CallFacts,
  ) {
    this.given = givenInputs(manifest, facts.inputs);
    this.attrs = attributesOf(manifest, facts.attrs);
    checkTunables(manifest, facts.tunables);
    this.types = settleTypes(manifest, this.given);
  }

  input(declared: TensorDeclaration): CallTensor | undefined {
    const dtype = this.types.inputs.get(declared.key);
    const shape = this.given.get(declared.key)?.shape;
    return dtype === undefined || shape === undefined
      ? undefined
      : { shape, dtype, storage: storageOf(dtype, declared.storage) };
  }

  output(declared: TensorDeclaration, scope: Scope): CallTensor {
    const fail = (problem: string): never => {
      throw new InputError(declared.key, `(an output) ${problem}`);
    };
    const shape = shapeValue(declared.shape?.evaluate(scope), `its shape ${declared.shape?.source}`, fail);
    const dtype = this.outputType(declared, scope) ?? fail("its type does not follow from the inputs");
    return { shape, dtype, storage: storageOf(dtype, declared.storage) };
  }

  private outputType(declared: TensorDeclaration, scope: Scope): DType | undefined {
    if (declared.variable !== undefined) return this.types.variables.get(declared.variable);
    if (declared.dtypeOf === undefined) return declared.dtypes[0];
    const name = declared.dtypeOf.evaluate(scope);
    return typeof name === "string" ? dtypeNamed(name) : undefined;
  }

  scope(overriding: readonly TunableDeclaration[]): Scope {
    const base = Object.create(null) as Record<string, Value>;
    const tunables = [...this.manifest.tunables, ...overriding].map(({ name, default: value }) => [
      name,
      this.facts.tunables[name] ?? value,
    ]);
    Object.assign(base, functions, {
      attrs: this.attrs,
      tunables: Object.fromEntries(tunables) as Record<string, Value>,
      device: this.facts.device,
      [foldConstant]: foldWidth,
    });
    for (const [name, dtype] of this.types.variables) base[name] = wgslScalar(dtype);
    for (const name of this.manifest.typeConstraints.keys()) if (!(name in base)) base[name] = undefined;
    const scope = derivedScope(base, this.manifest.derive);
    this.addTensors(base, scope);
    return scope;
  }

  /** Fills the namespaces of tensors; an output's shape is computed when it is first read. */
  private addTensors(base: Record<string, Value>, scope: Scope): void {
    const spaces: Record<"args" | "shapes" | "ranks" | "dtypes" | "tensorDtypes", Record<string, Value>> = {
      args: {},
      shapes: {},
      ranks: {},
      dtypes: {},
      tensorDtypes: {},
    };
    const add = (key: string, tensor: () => CallTensor | undefined): void => {
      const define = (space: Record<string, Value>, get: (tensor: CallTensor) => Value): void => {
        Object.defineProperty(space, key, {
          enumerable: true,
          get: () => {
            const found = tensor();
            return found === undefined ? undefined : get(found);
          },
        });
      };
      define(spaces.shapes, ({ shape }) => shape);
      define(spaces.ranks, ({ shape }) => shape.length);
      define(spaces.dtypes, ({ storage }) => wgslScalar(storage));
      define(spaces.tensorDtypes, ({ dtype }) => dtype);
      define(spaces.args, ({ shape, storage }) => ({
        shape,
        rank: shape.length,
        dtype: wgslScalar(storage),
        size: elementCount(shape),
      }));
    };
    for (const declared of this.manifest.inputs) {
      const tensor = this.input(declared);
      add(declared.key, () => tensor);
    }
    for (const declared of this.manifest.outputs) {
      let tensor: CallTensor | undefined;
      add(declared.key, () => (tensor ??= this.output(declared, scope)));
    }
    Object.assign(base, spaces);
  }
}

function checkRank(declared: TensorDeclaration, tensor: CallTensor, scope: Scope): void {
  const rank = declared.rank?.evaluate(scope);
  const allowed = Array.isArray(rank) ? rank : [rank];
  if (typeof allowed[0] !== "number" || allowed.includes(tensor.shape.length)) return;
  throw new InputError(
    declared.key,
    `its rank must be ${allowed.join(" or ")}, but its shape is [${tensor.shape.join(", ")}]`,
  );
}

function checkDeclaredShape(declared: TensorDeclaration, tensor: CallTensor, scope: Scope): void {
  if (declared.shape === undefined) return;
  const fail = (problem: string): never => {
    throw new InputError(declared.key, problem);
  };
  const wanted = shapeValue(declared.shape.evaluate(scope), `its declared shape ${declared.shape.source}`, fail);
  if (wanted.length === tensor.shape.length && wanted.every((extent, i) => extent === tensor.shape[i])) return;
  fail(`its shape must be [${wanted.join(", ")}] (${declared.shape.source}), not [${tensor.shape.join(", ")}]`);
}

/** Checks a call against the manifest and settles every shape and type; throws the error that says what is wrong. */
export function settleCall(manifest: Manifest, facts: CallFacts): Call {
  const context = new CallContext(manifest, facts);
  const scope = context.scope([]);
  const inputs = new Map<string, CallTensor>();
  for (const declared of manifest.inputs) {
    const tensor = context.input(declared);
    if (tensor === undefined) continue;
    checkRank(declared, tensor, scope);
    inputs.set(declared.key, tensor);
  }
  for (const declared of manifest.inputs) {
    const tensor = inputs.get(declared.key);
    if (tensor !== undefined) checkDeclaredShape(declared, tensor, scope);
  }
  for (const condition of manifest.when) {
    if (!truth(condition.evaluate(scope))) throw new ConditionError(condition.source);
  }
  const outputs = new Map<string, CallTensor>();
  for (const declared of manifest.outputs) {
    const tensor = context.output(declared, scope);
    checkRank(declared, tensor, scope);
    outputs.set(declared.key, tensor);
  }
  return { inputs, outputs, scope: (tunables) => (tunables.length === 0 ? scope : context.scope(tunables)) };
}

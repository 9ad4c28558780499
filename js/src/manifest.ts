import { canStore, dtypeNamed, isDType, type DType } from "./dtype.js";
import { ExpressionError, UnsupportedSpecError } from "./errors.js";
import { expression, type Derived, type Expression } from "./expression.js";
import { functions } from "./functions.js";
import { Json } from "./json.js";

/** What the manifest says of an input or output. */
export interface TensorDeclaration {
  readonly key: string;
  /** The name in the ONNX operator, where it differs. */
  readonly onnx: string | undefined;
  /** The types that the tensor may have; for an output without a variable, one or an expression. */
  readonly dtypes: readonly DType[];
  /** The type variable that all tensors naming it share. */
  readonly variable: string | undefined;
  /** An output's type as an expression. */
  readonly dtypeOf: Expression | undefined;
  readonly rank: Expression | undefined;
  readonly shape: Expression | undefined;
  readonly optional: boolean;
  /** The type of the elements in GPU memory, where it is not the tensor's own. */
  readonly storage: DType | undefined;
}

export type AttributeValue = number | string | boolean | readonly number[] | readonly string[];

export interface AttributeDeclaration {
  readonly name: string;
  readonly default: AttributeValue | undefined;
  readonly optional: boolean;
  readonly values: readonly AttributeValue[] | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export interface TunableDeclaration {
  readonly name: string;
  readonly default: number | string | boolean;
  readonly values: readonly (number | string | boolean)[] | undefined;
}

export interface FieldDeclaration {
  readonly name: string;
  readonly type: string;
  readonly value: Expression;
}

export type BufferKind = "read-only-storage" | "storage" | "uniform";

export interface BindingDeclaration {
  readonly key: string;
  /** The input, output or intermediate that is bound; a uniform struct has none. */
  readonly arg: string;
  /** The variable's name in WGSL. */
  readonly name: string;
  readonly buffer: BufferKind | undefined;
  readonly elementType: string | undefined;
  readonly length: Expression | undefined;
  readonly struct: { readonly name: string; readonly fields: readonly FieldDeclaration[] } | undefined;
}

export interface IntermediateDeclaration {
  readonly id: string;
  readonly dtype: string;
  readonly shape: Expression;
}

export interface PassDeclaration {
  readonly id: string;
  readonly name: string;
  readonly shader: string;
  readonly entryPoint: string;
  readonly derive: readonly Derived[];
  readonly bindings: readonly BindingDeclaration[];
  readonly dispatch: readonly [Expression, Expression, Expression];
}

export interface VariantDeclaration {
  readonly id: string;
  readonly priority: number;
  readonly when: readonly Expression[];
  readonly demoteWhen: readonly Expression[];
  readonly features: readonly string[];
  readonly limits: readonly Derived[];
  readonly derive: readonly Derived[];
  readonly tunables: readonly TunableDeclaration[];
  readonly intermediates: readonly IntermediateDeclaration[];
  readonly passes: readonly PassDeclaration[];
}

/** A manifest after its form and every name in its expressions were checked. */
export interface Manifest {
  readonly domain: string;
  readonly name: string;
  readonly sinceVersion: number | undefined;
  /** "standard", or how the package departs from the operator's standard. */
  readonly conformance: string;
  readonly inputs: readonly TensorDeclaration[];
  readonly outputs: readonly TensorDeclaration[];
  readonly attributes: readonly AttributeDeclaration[];
  readonly typeConstraints: ReadonlyMap<string, readonly DType[]>;
  readonly tunables: readonly TunableDeclaration[];
  readonly derive: readonly Derived[];
  readonly when: readonly Expression[];
  readonly variants: readonly VariantDeclaration[];
}

/** How many workgroups a dispatch has along x before it goes on along y. */
export const foldWidth = 65535;
export const foldConstant = "DISPATCH_FOLD_WIDTH";

/** The names that every expression sees, besides the functions. */
export const namespaces = ["args", "attrs", "shapes", "ranks", "dtypes", "tunables", "device", foldConstant] as const;

/** Refuses a spec that this loader does not know. */
export function checkSpec(spec: string): void {
  if (!/^2\.[01](\.|$)/.test(spec)) throw new UnsupportedSpecError(spec);
}

function expressionsAt(json: Json): Expression[] {
  return json.itemsOrOne().map((item) => expression(item.value, item.path));
}

function derivedAt(json: Json): Derived[] {
  return json.entries().map(([name, value]) => ({ name, expression: expression(value.value, value.path) }));
}

function typeConstraintsAt(json: Json): Map<string, DType[]> {
  return new Map(json.entries().map(([name, value]) => {
    const types = value.itemsOrOne().map((item) => item.string()).filter(isDType);
    if (types.length === 0) value.fail("none of these types is supported");
    return [name, types];
  }));
}

type Types = ReadonlyMap<string, readonly DType[]>;

function dtypeAt(json: Json, types: Types): Pick<TensorDeclaration, "dtypes" | "variable" | "dtypeOf"> {
  const none = { variable: undefined, dtypeOf: undefined };
  if (Array.isArray(json.value)) return { ...none, dtypes: json.items().map((item) => item.string()).filter(isDType) };
  const name = json.string();
  const constrained = types.get(name);
  if (constrained !== undefined) return { ...none, dtypes: constrained, variable: name };
  const dtype = dtypeNamed(name);
  if (dtype !== undefined) return { ...none, dtypes: [dtype] };
  return { ...none, dtypes: [], dtypeOf: expression(name, json.path) };
}

function tensorAt(key: string, json: Json, types: Types): TensorDeclaration {
  const storage = json.at("storage").stringOr(undefined);
  const stored = storage === undefined ? undefined : dtypeNamed(storage);
  if (storage !== undefined && stored === undefined) json.at("storage").fail(`${storage} is not a supported type`);
  const typed = dtypeAt(json.at("dtype"), types);
  if (stored !== undefined && !typed.dtypes.every((dtype) => canStore(dtype, stored))) {
    json.at("storage").fail(`${typed.dtypes.join(", ")} cannot be stored as ${stored}`);
  }
  const ofValue = (name: string): Expression | undefined => {
    const value = json.at(name);
    return value.absent ? undefined : expression(value.value, value.path);
  };
  return {
    key, onnx: json.at("onnx").stringOr(undefined), ...typed,
    rank: ofValue("rank"), shape: ofValue("shape"), optional: json.at("optional").booleanOr(false), storage: stored,
  };
}

function attributesAt(attributes: Json, constraints: Json): AttributeDeclaration[] {
  const declared = attributes.entries();
  for (const [name, json] of constraints.entries()) {
    if (!declared.some(([known]) => known === name)) json.fail("there is no such attribute");
  }
  return declared.map(([name, json]) => {
    const constraint = constraints.absent ? json : constraints.at(name);
    const limits = constraint.isObject() ? constraint : json;
    const values = Array.isArray(constraint.value) ? constraint : limits.at("values");
    return {
      name,
      default: json.at("default").value as AttributeValue | undefined ?? undefined,
      optional: json.at("optional").booleanOr(false) || !json.at("required").booleanOr(true),
      values: values.absent ? undefined : values.items().map((item) => item.value as AttributeValue),
      min: limits.at("min").numberOr(undefined),
      max: limits.at("max").numberOr(undefined),
    };
  });
}

function tunablesAt(json: Json): TunableDeclaration[] {
  return json.entries().map(([name, value]) => {
    const given = value.isObject() ? value.at("default") : value;
    if (!["number", "string", "boolean"].includes(typeof given.value)) given.fail("a number, string or boolean is needed");
    const values = value.isObject() ? value.at("values") : undefined;
    return {
      name,
      default: given.value as number,
      values: values === undefined || values.absent ? undefined : values.items().map((item) => item.value as number),
    };
  });
}

function typeName(key: string): string {
  const name = key.replace(/(^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
  return /^[A-Z]/.test(name) ? name : `Struct${name}`;
}

function structAt(key: string, json: Json): BindingDeclaration["struct"] {
  if (json.absent) return undefined;
  const fields = Array.isArray(json.value) ? json : json.at("fields");
  const declared = fields.items().map((field) => {
    const name = field.at("name").string();
    const value = field.at("value");
    return {
      name, type: field.at("type").stringOr("u32"),
      value: expression(value.absent ? name : value.value, value.path),
    };
  });
  if (declared.length === 0) fields.fail("a struct needs a field");
  const given = json.isObject() ? json.at("name").stringOr(undefined) : undefined;
  return { name: given ?? typeName(key), fields: declared };
}

const bufferKinds: readonly string[] = ["read-only-storage", "storage", "uniform"];

function bindingAt(key: string, json: Json): BindingDeclaration {
  const buffer = json.at("buffer").stringOr(undefined);
  if (buffer !== undefined && !bufferKinds.includes(buffer)) json.at("buffer").fail(`one of ${bufferKinds.join(", ")} is needed`);
  const length = json.at("length");
  const struct = structAt(key, json.at("struct"));
  return {
    key,
    arg: json.at("arg").stringOr(key),
    name: json.at("name").stringOr(key),
    buffer: (buffer as BufferKind | undefined) ?? (struct === undefined ? undefined : "uniform"),
    elementType: json.at("elementType").stringOr(undefined),
    length: length.absent ? undefined : expression(length.value, length.path),
    struct,
  };
}

/** A pass's binding: a key of the registry or of a tensor, or an object that changes such an entry or stands alone. */
function passBindingAt(json: Json, registry: Json, tensors: ReadonlySet<string>): BindingDeclaration {
  const entry = (key: string): Readonly<Record<string, unknown>> | undefined =>
    !registry.absent && Object.hasOwn(registry.object(), key) ? registry.at(key).object() : tensors.has(key) ? {} : undefined;
  if (!json.isObject()) {
    const key = json.string();
    const found = entry(key);
    if (found === undefined) json.fail(`there is no binding, input, output or intermediate "${key}"`);
    return bindingAt(key, new Json(json.file, registry.absent ? json.path : `bindings.${key}`, found));
  }
  const named = ["key", "binding", "ref", "id"].map((field) => json.at(field).stringOr(undefined)).find((key) => key !== undefined);
  const key = named ?? json.at("arg").stringOr(undefined) ?? json.at("name").stringOr(undefined);
  if (key === undefined) json.fail('a binding needs "arg" or "name"');
  return bindingAt(key as string, new Json(json.file, json.path, { ...entry(key as string), ...json.object() }));
}

function dispatchAt(json: Json): [Expression, Expression, Expression] {
  const one = expression(1, json.path);
  if (Array.isArray(json.value)) {
    const [x, y, z] = json.items().map((item) => expression(item.value, item.path));
    return [x ?? one, y ?? one, z ?? one];
  }
  const along = (axis: string): Expression => (json.at(axis).absent ? one : expression(json.at(axis).value, `${json.path}.${axis}`));
  return json.isObject() ? [along("x"), along("y"), along("z")] : [expression(json.value ?? json.fail("it is missing"), json.path), one, one];
}

/** The name of a file in the package's folder; nothing that leads out of it. */
function fileAt(json: Json): string {
  const name = json.string();
  if (!/^(?!.*(^|\/)\.\.?(\/|$))[\w][\w.@+ -]*(\/[\w.@+ -]+)*$/.test(name)) json.fail(`"${name}" is not the name of a file in the package`);
  return name;
}

function passAt(json: Json, index: number, registry: Json, tensors: ReadonlySet<string>): PassDeclaration {
  const id = json.at("id").stringOr(`pass${index}`);
  return {
    id, name: json.at("name").stringOr(id), shader: fileAt(json.at("shader")),
    entryPoint: json.at("entryPoint").stringOr("main"), derive: derivedAt(json.at("derive")),
    bindings: json.at("bindings").items().map((binding) => passBindingAt(binding, registry, tensors)),
    dispatch: dispatchAt(json.at("dispatch")),
  };
}

function variantAt(json: Json, registry: Json, tensors: ReadonlySet<string>): VariantDeclaration {
  const intermediates = json.at("intermediates").items().map((item) => ({
    id: item.at("id").string(), dtype: item.at("dtype").string(),
    shape: expression(item.at("shape").value ?? item.at("shape").fail("it is missing"), item.at("shape").path),
  }));
  const known = new Set([...tensors, ...intermediates.map((each) => each.id)]);
  const requires = json.at("requires");
  const passes = json.at("passes").items().map((pass, i) => passAt(pass, i, registry, known));
  if (passes.length === 0) json.at("passes").fail("a variant needs a pass");
  return {
    id: json.at("id").string(), priority: json.at("priority").numberOr(0),
    when: expressionsAt(json.at("when")), demoteWhen: expressionsAt(json.at("demoteWhen")),
    features: requires.absent ? [] : requires.at("features").items().map((item) => item.string()),
    limits: requires.absent ? [] : derivedAt(requires.at("limits")),
    derive: derivedAt(json.at("derive")), tunables: tunablesAt(json.at("tunables")), intermediates, passes,
  };
}

/** Reads a manifest; a form that is wrong, or a name that no expression can see, is an error that says where. */
export function readManifest(json: Json): Manifest {
  const types = typeConstraintsAt(json.at("typeConstraints"));
  const tensorsAt = (key: string): TensorDeclaration[] => json.at(key).entries().map(([name, value]) => tensorAt(name, value, types));
  const inputs = tensorsAt("inputs");
  const outputs = tensorsAt("outputs");
  if (outputs.length === 0) json.at("outputs").fail("a kernel needs an output");
  for (const output of outputs) {
    if (output.shape === undefined) json.at(`outputs`).at(output.key).fail("an output needs a shape");
  }
  const tensors = new Set([...inputs, ...outputs].map((tensor) => tensor.key));
  const variants = json.at("variants").items().map((variant) => variantAt(variant, json.at("bindings"), tensors));
  if (variants.length === 0) json.at("variants").fail("a kernel needs a variant");
  const manifest: Manifest = {
    domain: json.at("domain").stringOr(""), name: json.at("name").string(),
    sinceVersion: json.at("sinceVersion").numberOr(undefined), conformance: json.at("conformance").stringOr("standard"),
    inputs, outputs, attributes: attributesAt(json.at("attributes"), json.at("attributeConstraints")), typeConstraints: types,
    tunables: tunablesAt(json.at("tunables")), derive: derivedAt(json.at("derive")), when: expressionsAt(json.at("when")), variants,
  };
  checkNames(manifest);
  return manifest;
}

/** The names that an expression may read: bare ones, and the members of the namespaces that a manifest fills. */
interface KnownNames {
  readonly bare: Set<string>;
  readonly members: Readonly<Record<string, ReadonlySet<string>>>;
}

function knownNames(manifest: Manifest, variant?: VariantDeclaration): KnownNames {
  const keys = new Set([...manifest.inputs, ...manifest.outputs].map((tensor) => tensor.key));
  const tunables = [...manifest.tunables, ...(variant?.tunables ?? [])].map((tunable) => tunable.name);
  return {
    bare: new Set<string>([...namespaces, ...Object.keys(functions), ...manifest.typeConstraints.keys()]),
    members: {
      args: keys, shapes: keys, ranks: keys, dtypes: keys,
      attrs: new Set(manifest.attributes.map((attribute) => attribute.name)),
      tunables: new Set(tunables),
    },
  };
}

/** Refuses an expression that reads a name which nothing defines before it. */
function checkNames(manifest: Manifest): void {
  const known = knownNames(manifest);
  checkDerived(manifest.derive, known);
  const tensors = [...manifest.inputs, ...manifest.outputs];
  check([...manifest.when, ...tensors.flatMap((tensor) => [tensor.shape, tensor.rank, tensor.dtypeOf])], known);
  for (const variant of manifest.variants) {
    const names = knownNames(manifest, variant);
    for (const { name } of manifest.derive) names.bare.add(name);
    checkDerived(variant.derive, names);
    check([...variant.when, ...variant.demoteWhen, ...variant.limits.map((limit) => limit.expression),
      ...variant.intermediates.map((each) => each.shape)], names);
    for (const pass of variant.passes) {
      const inner = { ...names, bare: new Set(names.bare) };
      checkDerived(pass.derive, inner);
      const fields = pass.bindings.flatMap((binding) => binding.struct?.fields ?? []);
      check([...pass.dispatch, ...pass.bindings.map((binding) => binding.length), ...fields.map((field) => field.value)], inner);
    }
  }
}

/** Checks in order; each name is known to those after it. */
function checkDerived(derive: readonly Derived[], known: KnownNames): void {
  for (const { name, expression: each } of derive) {
    check([each], known);
    known.bare.add(name);
  }
}

function check(expressions: readonly (Expression | undefined)[], known: KnownNames): void {
  for (const each of expressions) {
    for (const { path, guarded } of each?.names ?? []) {
      const [name = "", member] = path;
      if (guarded || each === undefined) continue;
      if (!known.bare.has(name)) throw new ExpressionError(each.source, each.where, `unknown name "${name}"`, name);
      const members = Object.hasOwn(known.members, name) ? known.members[name] : undefined;
      if (member === undefined || members === undefined || members.has(member)) continue;
      throw new ExpressionError(each.source, each.where, `unknown name "${member}" in ${name}`, member);
    }
  }
}

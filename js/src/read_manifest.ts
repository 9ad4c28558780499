import { checkNames } from "./check_names.js";
import { canStore, dtypeNamed, isDType, type DType } from "./dtype.js";
import { expression, type Derived, type Expression } from "./expression.js";
import { Json } from "./json.js";
import type {
  AttributeDeclaration,
  AttributeValue,
  BindingDeclaration,
  BufferKind,
  Manifest,
  PassDeclaration,
  TensorDeclaration,
  TunableDeclaration,
  VariantDeclaration,
} from "./manifest.js";

function expressionsAt(json: Json): Expression[] {
  return json.itemsOrOne().map((item) => expression(item.value, item.path));
}

function derivedAt(json: Json): Derived[] {
  return json.entries().map(([name, value]) => ({ name, expression: expression(value.value, value.path) }));
}

function typeConstraintsAt(json: Json): Map<string, DType[]> {
  return new Map(
    json.entries().map(([name, value]) => {
      const types = value
        .itemsOrOne()
        .map((item) => item.string())
        .filter(isDType);
      if (types.length === 0) value.fail("none of these types is supported");
      return [name, types];
    }),
  );
}

type Types = ReadonlyMap<string, readonly DType[]>;

function dtypeAt(json: Json, types: Types): Pick<TensorDeclaration, "dtypes" | "variable" | "dtypeOf"> {
  const none = { variable: undefined, dtypeOf: undefined };
  if (Array.isArray(json.value))
    return {
      ...none,
      dtypes: json
        .items()
        .map((item) => item.string())
        .filter(isDType),
    };
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
    key,
    onnx: json.at("onnx").stringOr(undefined),
    ...typed,
    rank: ofValue("rank"),
    shape: ofValue("shape"),
    optional: json.at("optional").booleanOr(false),
    storage: stored,
  };
}

function attributesAt(attributes: Json, constraints: Json): AttributeDeclaration[] {
  const declared = attributes.entries();
  for (const [name, json] of constraints.entries()) {
    if (!declared.some(([known]) => known === name)) json.fail("there is no such attribute");
  }
  return declared.map(([name, given]) => {
    // A value alone is a default.
    const json = given.isObject() ? given : new Json(given.file, given.path, { default: given.value });
    const constraint = constraints.absent ? json : constraints.at(name);
    const limits = constraint.isObject() ? constraint : json;
    const values = Array.isArray(constraint.value) ? constraint : limits.at("values");
    return {
      name,
      default: (json.at("default").value as AttributeValue | undefined) ?? undefined,
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
    if (!["number", "string", "boolean"].includes(typeof given.value))
      given.fail("a number, string or boolean is needed");
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
      name,
      type: field.at("type").stringOr("u32"),
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
  if (buffer !== undefined && !bufferKinds.includes(buffer))
    json.at("buffer").fail(`one of ${bufferKinds.join(", ")} is needed`);
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

/**
 * A pass's binding: a key of the registry or of a tensor, or an object that changes such an entry or stands alone; an
 * intermediate may be named by `scratch`.
 */
function passBindingAt(json: Json, registry: Json, tensors: ReadonlySet<string>): BindingDeclaration {
  const entry = (key: string): Readonly<Record<string, unknown>> | undefined =>
    !registry.absent && Object.hasOwn(registry.object(), key)
      ? registry.at(key).object()
      : tensors.has(key)
        ? {}
        : undefined;
  if (!json.isObject()) {
    const key = json.string();
    const found = entry(key);
    if (found === undefined) json.fail(`there is no binding, input, output or intermediate "${key}"`);
    return bindingAt(key, new Json(json.file, registry.absent ? json.path : `bindings.${key}`, found));
  }
  const named = ["key", "binding", "ref", "id"]
    .map((field) => json.at(field).stringOr(undefined))
    .find((key) => key !== undefined);
  const scratch = json.at("scratch").stringOr(undefined);
  const key = named ?? json.at("arg").stringOr(undefined) ?? scratch ?? json.at("name").stringOr(undefined);
  if (key === undefined) json.fail('a binding needs "arg" or "name"');
  const arg = scratch === undefined ? {} : { arg: scratch };
  return bindingAt(
    key as string,
    new Json(json.file, json.path, { ...entry(key as string), ...arg, ...json.object() }),
  );
}

/** As many workgroups as hold so many invocations. */
function workgroupsFor(json: Json): Expression {
  const size = json.at("workgroupSize");
  if (size.absent) json.fail("threads need a workgroupSize");
  return expression(`ceilDiv(${written(json.at("threads"))}, ${written(size)})`, `${json.path}.threads`);
}

/** The text of an expression, to be part of another one. */
function written({ value }: Json): string {
  return typeof value === "string" ? `(${value})` : String(value);
}

function dispatchAt(json: Json): [Expression, Expression, Expression] {
  const one = expression(1, json.path);
  if (json.isObject() && !json.at("threads").absent) return [workgroupsFor(json), one, one];
  if (Array.isArray(json.value)) {
    const [x, y, z] = json.items().map((item) => expression(item.value, item.path));
    return [x ?? one, y ?? one, z ?? one];
  }
  const along = (axis: string): Expression =>
    json.at(axis).absent ? one : expression(json.at(axis).value, `${json.path}.${axis}`);
  return json.isObject()
    ? [along("x"), along("y"), along("z")]
    : [expression(json.value ?? json.fail("it is missing"), json.path), one, one];
}

/** The name of a file in the package's folder; nothing that leads out of it. */
function fileAt(json: Json): string {
  const name = json.string();
  if (!/^(?!.*(^|\/)\.\.?(\/|$))[\w][\w.@+ -]*(\/[\w.@+ -]+)*$/.test(name))
    json.fail(`"${name}" is not the name of a file in the package`);
  return name;
}

function passAt(json: Json, index: number, registry: Json, tensors: ReadonlySet<string>): PassDeclaration {
  const id = json.at("id").stringOr(`pass${index}`);
  return {
    id,
    name: json.at("name").stringOr(id),
    shader: fileAt(json.at("shader")),
    entryPoint: json.at("entryPoint").stringOr("main"),
    derive: derivedAt(json.at("derive")),
    bindings: json
      .at("bindings")
      .items()
      .map((binding) => passBindingAt(binding, registry, tensors)),
    dispatch: dispatchAt(json.at("dispatch")),
  };
}

function variantAt(json: Json, registry: Json, tensors: ReadonlySet<string>): VariantDeclaration {
  const intermediates = json
    .at("intermediates")
    .items()
    .map((item) => ({
      id: item.at("id").string(),
      dtype: item.at("dtype").string(),
      shape: expression(item.at("shape").value ?? item.at("shape").fail("it is missing"), item.at("shape").path),
    }));
  const known = new Set([...tensors, ...intermediates.map((each) => each.id)]);
  const requires = json.at("requires");
  const passes = json
    .at("passes")
    .items()
    .map((pass, i) => passAt(pass, i, registry, known));
  if (passes.length === 0) json.at("passes").fail("a variant needs a pass");
  return {
    id: json.at("id").string(),
    priority: json.at("priority").numberOr(0),
    when: expressionsAt(json.at("when")),
    demoteWhen: expressionsAt(json.at("demoteWhen")),
    features: requires.absent
      ? []
      : requires
          .at("features")
          .items()
          .map((item) => item.string()),
    limits: requires.absent ? [] : derivedAt(requires.at("limits")),
    derive: derivedAt(json.at("derive")),
    tunables: tunablesAt(json.at("tunables")),
    intermediates,
    passes,
  };
}

/** Reads a manifest; a form that is wrong, or a name that no expression can see, is an error that says where. */
export function readManifest(json: Json): Manifest {
  const types = typeConstraintsAt(json.at("typeConstraints"));
  const tensorsAt = (key: string): TensorDeclaration[] =>
    json
      .at(key)
      .entries()
      .map(([name, value]) => tensorAt(name, value, types));
  const inputs = tensorsAt("inputs");
  const outputs = tensorsAt("outputs");
  for (const { key, dtypes } of inputs) {
    if (dtypes.length === 0) json.at("inputs").at(key).at("dtype").fail("no such type is supported");
  }
  if (outputs.length === 0) json.at("outputs").fail("a kernel needs an output");
  for (const output of outputs) {
    if (output.shape === undefined) json.at("outputs").at(output.key).fail("an output needs a shape");
  }
  const tensors = new Set([...inputs, ...outputs].map((tensor) => tensor.key));
  const variants = json
    .at("variants")
    .items()
    .map((variant) => variantAt(variant, json.at("bindings"), tensors));
  if (variants.length === 0) json.at("variants").fail("a kernel needs a variant");
  const manifest: Manifest = {
    domain: json.at("domain").stringOr(""),
    name: json.at("name").string(),
    sinceVersion: json.at("sinceVersion").numberOr(undefined),
    conformance: json.at("conformance").stringOr("standard"),
    inputs,
    outputs,
    attributes: attributesAt(json.at("attributes"), json.at("attributeConstraints")),
    typeConstraints: types,
    tunables: tunablesAt(json.at("tunables")),
    derive: derivedAt(json.at("derive")),
    when: expressionsAt(json.at("when")),
    variants,
  };
  checkNames(manifest);
  return manifest;
}

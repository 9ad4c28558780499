import { ExpressionError } from "./errors.js";
import type { Derived, Expression } from "./expression.js";
import { functions } from "./functions.js";
import { namespaces, type Manifest, type VariantDeclaration } from "./manifest.js";

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
      args: keys,
      shapes: keys,
      ranks: keys,
      dtypes: keys,
      tensorDtypes: keys,
      attrs: new Set(manifest.attributes.map((attribute) => attribute.name)),
      tunables: new Set(tunables),
    },
  };
}

/** Refuses an expression that reads a name which nothing defines before it. */
export function checkNames(manifest: Manifest): void {
  const known = knownNames(manifest);
  checkDerived(manifest.derive, known);
  const tensors = [...manifest.inputs, ...manifest.outputs];
  check([...manifest.when, ...tensors.flatMap((tensor) => [tensor.shape, tensor.rank, tensor.dtypeOf])], known);
  for (const variant of manifest.variants) {
    const names = knownNames(manifest, variant);
    for (const { name } of manifest.derive) names.bare.add(name);
    checkDerived(variant.derive, names);
    check(
      [
        ...variant.when,
        ...variant.demoteWhen,
        ...variant.limits.map((limit) => limit.expression),
        ...variant.intermediates.map((each) => each.shape),
      ],
      names,
    );
    for (const pass of variant.passes) {
      const inner = { ...names, bare: new Set(names.bare) };
      checkDerived(pass.derive, inner);
      const fields = pass.bindings.flatMap((binding) => binding.struct?.fields ?? []);
      check(
        [...pass.dispatch, ...pass.bindings.map((binding) => binding.length), ...fields.map((field) => field.value)],
        inner,
      );
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

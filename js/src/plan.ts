import {
  resourceDeclarations,
  settleBinding,
  settleIntermediate,
  type Bindables,
  type Binding,
  type Intermediate,
} from "./binding.js";
import type { Call } from "./call.js";
import { elementCount } from "./dtype.js";
import { ExpressionError, NoVariantError, PackageFormatError, type VariantDecision } from "./errors.js";
import { derivedScope, truth, type Expression, type Scope } from "./expression.js";
import { show } from "./functions.js";
import { foldConstant, foldWidth, type Manifest, type PassDeclaration, type VariantDeclaration } from "./manifest.js";
import type { Template } from "./template.js";

/** What a device offers, as selection reads it. */
export interface DeviceOffer {
  readonly features: { has(name: string): boolean };
  readonly limits: Readonly<Record<string, number>>;
}

/** A pass ready to be compiled and dispatched. */
export interface PlannedPass {
  readonly label: string;
  readonly file: string;
  readonly entryPoint: string;
  readonly source: string;
  readonly bindings: readonly Binding[];
  readonly workgroups: readonly [number, number, number];
}

/** What one call does; the same for all calls with equal shapes, types, attributes and tunables. */
export interface Plan {
  readonly call: Call;
  /** The chosen variant; undefined when all outputs are empty, so that there is nothing to do. */
  readonly variant: string | undefined;
  readonly intermediates: readonly Intermediate[];
  readonly passes: readonly PlannedPass[];
}

/** A variant that can run, without its shaders: rendering waits until it is chosen. */
interface Candidate {
  readonly intermediates: readonly Intermediate[];
  readonly passes: readonly {
    readonly declared: PassDeclaration;
    readonly scope: Scope;
    readonly bindings: readonly Binding[];
    readonly workgroups: [number, number, number];
  }[];
}

/** Thrown inside this file: the variant cannot serve the call, for the reason in words. */
class Unsuitable extends Error {}

function reject(reason: string): never {
  throw new Unsuitable(reason);
}

function checkRequirements(variant: VariantDeclaration, scope: Scope, device: DeviceOffer): void {
  for (const feature of variant.features) {
    if (!device.features.has(feature)) reject(`the device lacks the feature ${feature}`);
  }
  for (const { name, expression } of variant.limits) {
    const needed = expression.evaluate(scope);
    const offered = device.limits[name];
    if (typeof needed !== "number")
      throw new ExpressionError(expression.source, expression.where, `a limit is ${show(needed)}, not a number`);
    if (offered === undefined) reject(`the device has no limit ${name}`);
    const enough = name.startsWith("min") ? offered <= needed : offered >= needed;
    if (!enough) reject(`it needs ${name} ${needed}, the device has ${offered}`);
  }
}

function checkBuffers(pass: string, bindings: readonly Binding[], device: DeviceOffer): void {
  const check = (kinds: readonly Binding[], countLimit: string, sizeLimit: string): void => {
    const count = device.limits[countLimit];
    if (count !== undefined && kinds.length > count)
      reject(`pass ${pass} binds ${kinds.length} buffers, the device's ${countLimit} is ${count}`);
    for (const { name, byteLength } of kinds) {
      const size = device.limits[sizeLimit];
      if (size !== undefined && byteLength > size)
        reject(`${name} takes ${byteLength} bytes, the device's ${sizeLimit} is ${size}`);
    }
  };
  check(
    bindings.filter(({ buffer }) => buffer !== "uniform"),
    "maxStorageBuffersPerShaderStage",
    "maxStorageBufferBindingSize",
  );
  check(
    bindings.filter(({ buffer }) => buffer === "uniform"),
    "maxUniformBuffersPerShaderStage",
    "maxUniformBufferBindingSize",
  );
  if (
    !device.features.has("shader-f16") &&
    bindings.some(({ type, struct }) => /\bf16\b|vec[234]h/.test(`${type} ${struct?.declaration}`))
  ) {
    reject("float16 needs the device feature shader-f16");
  }
}

function workgroupsOf(expression: Expression, scope: Scope): number {
  const value = expression.evaluate(scope);
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ExpressionError(
    expression.source,
    expression.where,
    `a dispatch is ${show(value)}, not a whole number from 0`,
  );
}

/** The workgroups along x, y and z; a long x goes on along y when the template can tell. */
function settleDispatch(
  declared: PassDeclaration,
  scope: Scope,
  template: Template,
  device: DeviceOffer,
): [number, number, number] {
  let [x, y, z] = declared.dispatch.map((each) => workgroupsOf(each, scope)) as [number, number, number];
  const limit = device.limits["maxComputeWorkgroupsPerDimension"] ?? foldWidth;
  if (x > limit && y === 1 && limit >= foldWidth && template.text.includes(foldConstant))
    [x, y] = [foldWidth, Math.ceil(x / foldWidth)];
  for (const [axis, count] of [
    ["x", x],
    ["y", y],
    ["z", z],
  ] as const) {
    if (count > limit)
      reject(`pass ${declared.id} dispatches ${count} workgroups along ${axis}, the device's limit is ${limit}`);
  }
  return [x, y, z];
}

/** Chooses a variant and renders its shaders. */
export class Planner {
  constructor(
    private readonly manifest: Manifest,
    private readonly templates: ReadonlyMap<string, Template>,
    private readonly device: DeviceOffer,
  ) {}

  private template(file: string): Template {
    const found = this.templates.get(file);
    if (found === undefined) throw new PackageFormatError("manifest.json", "variants", `there is no template ${file}`);
    return found;
  }

  /** Everything about a variant but its shaders; throws Unsuitable when it cannot serve. */
  private candidate(variant: VariantDeclaration, call: Call): Candidate & { readonly demoted: boolean } {
    const scope = derivedScope(call.scope(variant.tunables), variant.derive);
    checkRequirements(variant, scope, this.device);
    for (const condition of variant.when) {
      if (!truth(condition.evaluate(scope))) reject(`"${condition.source}" does not hold`);
    }
    const intermediates = variant.intermediates.map((each) => settleIntermediate(each, scope));
    const bindables: Bindables = {
      call,
      manifest: this.manifest,
      intermediates: new Map(intermediates.map((each) => [each.id, each])),
    };
    const passes = variant.passes.map((declared) => {
      const inner = derivedScope(scope, declared.derive);
      const bindings = declared.bindings
        .map((each) => settleBinding(each, inner, bindables))
        .filter((each) => each !== undefined);
      checkBuffers(declared.id, bindings, this.device);
      return {
        declared,
        scope: inner,
        bindings,
        workgroups: settleDispatch(declared, inner, this.template(declared.shader), this.device),
      };
    });
    const demoted = variant.demoteWhen.length > 0 && variant.demoteWhen.every((each) => truth(each.evaluate(scope)));
    return { intermediates, passes, demoted };
  }

  /** The variants in the order in which they are tried, with what each can do. */
  private ranked(
    call: Call,
  ): { variant: VariantDeclaration; candidate: (Candidate & { demoted: boolean }) | undefined; reason: string }[] {
    const tried = this.manifest.variants.map((variant) => {
      try {
        return { variant, candidate: this.candidate(variant, call), reason: "" };
      } catch (thrown) {
        if (!(thrown instanceof Unsuitable)) throw thrown;
        return { variant, candidate: undefined, reason: thrown.message };
      }
    });
    const demotion = (each: (typeof tried)[number]): number => (each.candidate?.demoted === true ? 1 : 0);
    return tried.sort((a, b) => demotion(a) - demotion(b) || b.variant.priority - a.variant.priority);
  }

  /** Each variant with the reason for or against it, the one that runs marked. */
  explain(call: Call): VariantDecision[] {
    return this.decisions(this.ranked(call));
  }

  private decisions(ranked: ReturnType<Planner["ranked"]>): VariantDecision[] {
    const chosen = ranked.find(({ candidate }) => candidate !== undefined);
    return ranked.map((each) => {
      const { variant, candidate } = each;
      const demoted = candidate?.demoted ?? false;
      const selected = each === chosen;
      const reason =
        candidate === undefined
          ? each.reason
          : selected
            ? `it comes first of those whose needs are met${demoted ? ", although it is demoted" : ""}`
            : demoted
              ? `it could run, but is demoted; ${chosen?.variant.id} comes first`
              : `it could run, but ${chosen?.variant.id} comes first`;
      return { id: variant.id, priority: variant.priority, demoted, selected, reason };
    });
  }

  plan(call: Call): Plan {
    const empty = [...call.outputs.values()].every(({ shape }) => elementCount(shape) === 0);
    if (empty) return { call, variant: undefined, intermediates: [], passes: [] };
    const ranked = this.ranked(call);
    const chosen = ranked.find(({ candidate }) => candidate !== undefined);
    if (chosen?.candidate === undefined) throw new NoVariantError(this.manifest.name, this.decisions(ranked));
    const { intermediates, passes } = chosen.candidate;
    const work = passes.filter(({ workgroups }) => workgroups.every((count) => count > 0));
    return {
      call,
      variant: chosen.variant.id,
      intermediates,
      passes: work.map((pass) => this.render(chosen.variant, pass)),
    };
  }

  private render(
    variant: VariantDeclaration,
    { declared, scope, bindings, workgroups }: Candidate["passes"][number],
  ): PlannedPass {
    const inner = Object.create(scope) as Record<string, Scope[string]>;
    inner["env"] = { wgsl: { resourceDeclarations: resourceDeclarations(bindings) } };
    const source = withEnables(this.template(declared.shader).render(inner), this.device);
    return {
      label: `${this.manifest.name} ${variant.id} ${declared.id}`,
      file: declared.shader,
      entryPoint: declared.entryPoint,
      source,
      bindings,
      workgroups,
    };
  }
}

/** Enables what a shader uses and forgot to ask for, without moving its lines. */
function withEnables(source: string, device: DeviceOffer): string {
  const lacks = (extension: string): boolean => !new RegExp(`\\benable\\b[^;]*\\b${extension}\\b`).test(source);
  const f16 = device.features.has("shader-f16") && /\bf16\b|\bvec[234]h\b/.test(source) && lacks("f16");
  const subgroups =
    device.features.has("subgroups") &&
    /\bsubgroup[A-Z_]\w*\s*\(|@builtin\(subgroup_/.test(source) &&
    lacks("subgroups");
  return `${f16 ? "enable f16; " : ""}${subgroups ? "enable subgroups; " : ""}${source}`;
}

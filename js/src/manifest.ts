import type { DType } from "./dtype.js";
import { UnsupportedSpecError } from "./errors.js";
import type { Derived, Expression } from "./expression.js";

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
export const namespaces = [
  "args",
  "attrs",
  "shapes",
  "ranks",
  "dtypes",
  "tensorDtypes",
  "tunables",
  "device",
  foldConstant,
] as const;

/** Refuses a spec that this loader does not know. */
export function checkSpec(spec: string): void {
  if (!/^2\.[01](\.|$)/.test(spec)) throw new UnsupportedSpecError(spec);
}

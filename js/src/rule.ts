import { elementCount, type DType } from "./dtype.js";
import type { Json } from "./json.js";

/** A mix of 32 bits; with a multiplication each, neighbours become unlike. */
function mix(value: number): number {
  let h = value >>> 0;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  h ^= h >>> 16;
  return h >>> 0;
}

/** The element at an index in row-major order, before it is rounded to the tensor's type. */
export type Rule = (index: number) => number;

/** The rule that a tensor of test.json or bench.json names in place of its elements; docs/packages.md defines them. */
export function ruleAt(json: Json, dtype: DType, shape: readonly number[]): Rule {
  const kind = json.at("kind").string();
  switch (kind) {
    case "constant": {
      const value = json.at("value").number();
      return () => value;
    }
    case "uniform": {
      const start = mix(json.at("seed").number());
      const low = json.at("low").number();
      const range = json.at("high").number() - low;
      const value = (index: number): number => low + range * ((mix(index + start) >>> 8) / 2 ** 24);
      return dtype.startsWith("float") ? value : (index) => Math.floor(value(index));
    }
    case "ramp": {
      const first = json.at("first").number();
      const step = json.at("step").number();
      const axis = json.at("axis").number();
      const extent = shape[axis];
      if (extent === undefined) return json.at("axis").fail(`the tensor has rank ${shape.length}`);
      const inner = elementCount(shape.slice(axis + 1));
      return (index) => first + step * (Math.floor(index / inner) % extent);
    }
    default:
      return json.at("kind").fail(`"${kind}" is not one of constant, uniform, ramp`);
  }
}

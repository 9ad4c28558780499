// What a package is: its inputs and outputs, attributes, variants, and why a call runs this one.
import { inputSpecs, type Case } from "../src/cases.js";
import type { Kernel, KernelPackage, Manifest, TensorDeclaration } from "../src/index.js";
import { h, labelled, messageOf, table } from "./dom.js";

function typeOf({ variable, dtypes, dtypeOf }: TensorDeclaration): string {
  return variable ?? dtypeOf?.source ?? dtypes.join(" or ");
}

function shapeOf({ shape, rank }: TensorDeclaration): string {
  if (shape !== undefined) return shape.source;
  return rank === undefined ? "any" : `rank ${rank.source}`;
}

/** Rows for tensors; those that the package has values of, when they are many, are for who opens them. */
function tensors(manifest: Manifest, weights: KernelPackage["weights"]): HTMLElement[] {
  const heads = ["Name", "", "Type", "Shape"];
  const cells = (each: TensorDeclaration, note: string): (string | Node)[] => [
    h("code", {}, each.key),
    note,
    h("code", {}, typeOf(each)),
    h("code", {}, shapeOf(each)),
  ];
  const stored = manifest.inputs.filter(({ key }) => weights.has(key));
  const apart = stored.length > 4 ? stored : [];
  const main = table("Inputs and outputs", heads);
  for (const each of manifest.inputs.filter((input) => !apart.includes(input)))
    main.row(cells(each, weights.has(each.key) ? "input, has a value" : each.optional ? "input, optional" : "input"));
  for (const each of manifest.outputs) main.row(cells(each, "output"));
  if (apart.length === 0) return [main.region];
  const rest = table("Inputs that have values", heads);
  for (const each of apart) rest.row(cells(each, "input, has a value"));
  const summary = h("summary", {}, `${apart.length} more inputs, of which the package has values`);
  return [main.region, h("details", {}, summary, rest.region)];
}

function facts(manifest: Manifest): HTMLElement {
  const rows: [string, string][] = [...manifest.typeConstraints].map(([name, types]) => [name, types.join(", ")]);
  for (const { name, default: value, values } of manifest.attributes)
    rows.push([
      `attribute ${name}`,
      [
        value === undefined ? "no default" : `default ${JSON.stringify(value)}`,
        values === undefined ? "" : `one of ${values.join(", ")}`,
      ]
        .filter((text) => text !== "")
        .join("; "),
    ]);
  for (const { name, default: value } of manifest.tunables) rows.push([`tunable ${name}`, `default ${value}`]);
  if (manifest.when.length > 0) rows.push(["needs", manifest.when.map(({ source }) => source).join(" and ")]);
  return h("dl", { class: "facts" }, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : noun === "pass" ? "es" : "s"}`;
}

function variantList(manifest: Manifest): HTMLElement {
  const { region, row } = table("Variants", ["Variant", "Priority", "Passes", "Runs when"], [1]);
  for (const { id, priority, passes, when, features, limits } of manifest.variants) {
    const needs = [
      ...features,
      ...limits.map(({ name, expression }) => `${name} ≥ ${expression.source}`),
      ...when.map(({ source }) => source),
    ];
    const names = passes.map(({ name }) => name);
    const shown = names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
    row([
      h("code", {}, id),
      String(priority),
      `${plural(passes.length, "pass")}: ${shown}`,
      needs.length === 0 ? "always" : h("code", {}, needs.join(", ")),
    ]);
  }
  return region;
}

/** A case to choose, and for it each variant with the reason for or against it. */
function explanation(kernel: Kernel, cases: readonly Case[]): HTMLElement {
  const select = h("select", {}, ...cases.map(({ name }, i) => h("option", { value: String(i) }, name)));
  const list = h("ol", { class: "reasons", "aria-live": "polite" });
  const show = (): void => {
    const each = cases[Number(select.value)];
    if (each === undefined) return;
    try {
      const { variants } = kernel.explain(inputSpecs(each), each);
      list.replaceChildren(
        ...variants.map(({ id, selected, reason }) =>
          h("li", { class: selected ? "selected" : "" }, h("code", {}, id), selected ? " runs: " : ": ", reason),
        ),
      );
    } catch (thrown) {
      list.replaceChildren(h("li", {}, messageOf(thrown)));
    }
  };
  select.addEventListener("change", show);
  show();
  return h("div", {}, labelled("Why this variant? For the case", select), list);
}

/** The card of a package; without a kernel, which needs a device, it explains no calls. */
export function card(loaded: KernelPackage, kernel: Kernel | undefined, cases: readonly Case[]): HTMLElement {
  const { metadata, manifest, location } = loaded;
  const about = [
    metadata.version === undefined ? "" : `version ${metadata.version}`,
    metadata.license === undefined ? "" : `license ${metadata.license}`,
    manifest.conformance,
    metadata.revision === undefined ? "" : `revision ${metadata.revision.slice(0, 7)}`,
    `spec ${metadata.spec}`,
  ];
  return h(
    "article",
    { class: "card", "aria-labelledby": "card-title" },
    h("h3", { id: "card-title" }, metadata.name),
    h("p", { class: "about" }, about.filter((text) => text !== "").join(" · ")),
    h("p", { class: "about where" }, location),
    h(
      "details",
      { open: matchMedia("(min-width: 62rem)").matches },
      h("summary", {}, "Inputs, outputs and variants"),
      ...tensors(manifest, loaded.weights),
      facts(manifest),
      variantList(manifest),
    ),
    kernel !== undefined && cases.length > 0 && explanation(kernel, cases),
  );
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { TemplateError } from "../src/errors.js";
import { functions, type Value } from "../src/functions.js";
import { Template } from "../src/template.js";

const scope = Object.assign(Object.create(null) as Record<string, Value>, functions, {
  T: "f32",
  n: 8,
  attrs: { reverse: 0 },
  shapes: { x: [2, 4], gone: undefined },
  device: { features: { has: (name: Value) => name === "subgroups" } },
});

function render(text: string): string {
  return new Template("test.wgsl.jinja", text).render(scope);
}

test("names, members and functions", () => {
  assert.equal(render("array<{{ T }}, {{ n / 2 }}> {{ numel(shapes.x) }} {{ ceilDiv(n, 3) }}"), "array<f32, 4.0> 8 3");
  assert.equal(render("{{ dim(shapes.x, -1) }} {{ max(1, n) }} {{ has(attrs, 'reverse') }}"), "4 8 true");
  assert.equal(render("{% if device.features.has('subgroups') %}yes{% endif %}"), "yes");
});

test("lines that hold only a block vanish", () => {
  assert.equal(render("a\n  {% if n == 8 %}\n  b\n  {% else %}\n  c\n  {% endif %}\nd"), "a\n  b\nd");
});

test("loops and variables of the template", () => {
  assert.equal(render("{% set m = 2 %}{% for i in range(m) %}{{ i }}{{ loop.index }};{% endfor %}"), "01;12;");
  assert.equal(render("{% macro twice(v) %}{{ v }}{{ v }}{% endmacro %}{{ twice(n) }}"), "88");
});

test("an inner scope sees the names", () => {
  const inner = Object.create(scope) as Record<string, Value>;
  inner["rows"] = 3;
  assert.equal(new Template("t", "{{ rows }} {{ n }}").render(inner), "3 8");
});

test("an unknown name is an error that names it", () => {
  for (const [text, name] of [
    ["{{ missing }}", "missing"],
    ["{{ attrs.revers }}", "attrs.revers"],
    ["{% if missing %}{% endif %}", "missing"],
    ["{% for i in range(2) %}{{ missing }}{% endfor %}", "missing"],
    ["{{ numel(shapes.y) }}", "shapes.y"],
  ] as const) {
    assert.throws(
      () => render(text),
      (thrown: unknown) =>
        thrown instanceof TemplateError && thrown.unknownName === name && thrown.file === "test.wgsl.jinja",
    );
  }
});

test("a name that is not reached, or provided for, is no error", () => {
  assert.equal(render("{% if n == 9 %}{{ missing }}{% endif %}"), "");
  assert.equal(render("{{ missing | default(3) }}"), "3");
  assert.equal(render("{% if attrs.nothing is defined %}{{ attrs.nothing }}{% else %}none{% endif %}"), "none");
  assert.equal(render("{{ 'yes' if shapes.gone is defined else 'no' }}"), "no");
});

test("a template that does not parse is an error", () => {
  assert.throws(() => new Template("t", "{% if %}"), TemplateError);
});

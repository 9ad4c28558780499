import { parse, tokenize } from "@huggingface/jinja";

/** A node of the tree that @huggingface/jinja's parser makes; which fields there are depends on `type`. */
export interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly operator?: { readonly value: string };
  readonly left?: Node;
  readonly right?: Node;
  readonly argument?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly computed?: boolean;
  readonly callee?: Node;
  readonly args?: readonly Node[];
  readonly operand?: Node;
  readonly filter?: Node;
  readonly negate?: boolean;
  readonly test?: Node;
  readonly lhs?: Node;
  readonly condition?: Node;
  readonly trueExpr?: Node;
  readonly falseExpr?: Node;
  readonly start?: Node;
  readonly stop?: Node;
  readonly step?: Node;
  readonly key?: Node;
  readonly name?: Node;
  readonly loopvar?: Node;
  readonly assignee?: Node;
  readonly body?: readonly Node[];
}

/** The tree of a template, with the first newline after a block and the blanks before it dropped. */
export function parseTemplate(text: string): Node {
  return parse(tokenize(text, { trim_blocks: true, lstrip_blocks: true })) as unknown as Node;
}

/** The tree of a bare expression. */
export function parseExpression(text: string): Node {
  // The space keeps a sign in front from being read as whitespace control.
  const body = (parse(tokenize(`{{ (${text}) }}`)) as unknown as Node).body ?? [];
  const [node] = body;
  if (body.length !== 1 || node === undefined || node.type === "Text" || node.type === "TupleLiteral") {
    throw new SyntaxError("not one expression");
  }
  return node;
}

/** A place where a tree reads a variable: `path` is the name and the members read from it by constant names. */
export interface NameUse {
  readonly path: readonly string[];
  /** True where a missing value is provided for, by `default` or `is defined`. */
  readonly guarded: boolean;
}

/** The constant path of a chain such as `attrs.reverse`; undefined for anything else. */
export function pathOf(node: Node): readonly string[] | undefined {
  if (node.type === "Identifier") return [String(node.value)];
  if (node.type !== "MemberExpression" || node.object === undefined || node.property === undefined) return undefined;
  const base = pathOf(node.object);
  if (base === undefined) return undefined;
  const member = node.property;
  if (!node.computed && member.type === "Identifier") return [...base, String(member.value)];
  if (node.computed && member.type === "StringLiteral") return [...base, String(member.value)];
  return undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function providesForMissing(node: Node): boolean {
  if (node.type === "TestExpression") return node.test?.value === "defined" || node.test?.value === "undefined";
  const name = node.type === "FilterExpression" ? (node.filter?.callee ?? node.filter)?.value : undefined;
  return name === "default" || name === "d";
}

/** The fields of a node that hold names which are not variables: filters, tests, keywords. */
function isPlainName(node: Node, field: string): boolean {
  return (
    field === "operator" ||
    (node.type === "TestExpression" && field === "test") ||
    (node.type === "KeywordArgumentExpression" && field === "key") ||
    (node.type === "MemberExpression" && field === "property" && !node.computed)
  );
}

/** Calls `use` for every variable that the tree reads, and `bind` for every name that it defines itself. */
export function walkNames(root: Node, use: (name: NameUse) => void, bind: (name: string) => void): void {
  const bindAll = (target: unknown): void => {
    if (Array.isArray(target)) target.forEach(bindAll);
    else if (isNode(target) && target.type === "Identifier") bind(String(target.value));
    else if (isNode(target) && target.type === "TupleLiteral") bindAll(target.value);
    else if (isNode(target) && target.type === "KeywordArgumentExpression") bindAll(target.key);
  };
  const visit = (value: unknown, guarded: boolean): void => {
    if (Array.isArray(value)) value.forEach((item) => visit(item, guarded));
    else if (value instanceof Map)
      value.forEach((item, key) => {
        visit(key, guarded);
        visit(item, guarded);
      });
    else if (isNode(value)) visitNode(value, guarded);
  };
  const visitNode = (node: Node, guarded: boolean): void => {
    const path = pathOf(node);
    if (path !== undefined) {
      use({ path, guarded });
      return;
    }
    if (node.type === "For") (bindAll(node.loopvar), bind("loop"));
    if (node.type === "Set") bindAll(node.assignee);
    if (node.type === "Macro") (bindAll(node.name), bindAll(node.args));
    for (const [field, child] of Object.entries(node)) {
      if (isPlainName(node, field)) continue;
      if (node.type === "FilterExpression" && field === "filter") visit((child as Node).args, false);
      else
        visit(
          child,
          field === "operand" ? guarded || providesForMissing(node) : guarded && node.type === "MemberExpression",
        );
    }
  };
  visit(root, false);
}

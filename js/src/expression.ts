import { ExpressionError, messageOf } from "./errors.js";
import { isRecord, show, type Value } from "./functions.js";
import { parseExpression, walkNames, type NameUse, type Node } from "./syntax.js";

/** The names that an expression sees; inherited ones count, so a scope's last prototype is null. */
export type Scope = Readonly<Record<string, Value>>;

/** An expression of a manifest, parsed; JSON values other than strings stand for themselves. */
export interface Expression {
  readonly source: string;
  /** Where in the manifest it stands, for messages. */
  readonly where: string;
  readonly names: readonly NameUse[];
  evaluate(scope: Scope): Value;
}

/** A name or member that is not there: kept apart from `undefined`, which may be a declared optional thing. */
class UnknownName extends Error {
  constructor(readonly unknown: string) {
    super(`unknown name "${unknown}"`);
  }
}

const constants: Readonly<Record<string, Value>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};

/** The truth of a value as Jinja sees it: empty lists, objects and strings are false. */
export function truth(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

function numeric(value: Value, operator: string): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  throw new Error(`${operator} needs numbers, not ${show(value)}`);
}

function same(a: Value, b: Value): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (typeof a === "boolean" && typeof b === "number") return Number(a) === b;
  if (typeof a === "number" && typeof b === "boolean") return a === Number(b);
  return a === b;
}

function contains(container: Value, item: Value): boolean {
  if (Array.isArray(container)) return container.some((each) => same(each, item));
  if (typeof container === "string" && typeof item === "string") return container.includes(item);
  if (isRecord(container) && typeof item === "string") return container[item] !== undefined;
  throw new Error(`"in" needs a list, a string or an object, not ${show(container)}`);
}

function compare(operator: string, left: Value, right: Value): boolean {
  if (typeof left === "string" && typeof right === "string") {
    const order = left < right ? -1 : left > right ? 1 : 0;
    return compare(operator, order, 0);
  }
  if (typeof left !== "number" || typeof right !== "number") {
    throw new Error(`${operator} needs two numbers or two strings, not ${show(left)} and ${show(right)}`);
  }
  switch (operator) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    default:
      return left >= right;
  }
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  if (operator === "~") return text(left) + text(right);
  if (operator === "+" && Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (operator === "+" && typeof left === "string" && typeof right === "string") return left + right;
  const a = numeric(left, operator);
  const b = numeric(right, operator);
  if ((operator === "/" || operator === "//" || operator === "%") && b === 0) throw new Error("division by zero");
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.floor(a / b);
    case "%":
      return a % b;
    case "**":
      return a ** b;
    default:
      throw new Error(`unknown operator ${operator}`);
  }
}

function text(value: Value): string {
  return typeof value === "string" ? value : show(value);
}

function list(value: Value, what: string): readonly Value[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${what} needs a list, not ${show(value)}`);
}

function lengthOf(value: Value): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (isRecord(value)) return Object.keys(value).length;
  throw new Error(`length needs a list, a string or an object, not ${show(value)}`);
}

function fallback(value: Value, args: readonly Value[]): Value {
  return value === undefined || (args[1] !== undefined && truth(args[1]) && !truth(value)) ? (args[0] ?? "") : value;
}

const filters: Readonly<Record<string, (value: Value, args: readonly Value[]) => Value>> = {
  default: fallback,
  d: fallback,
  length: lengthOf,
  count: lengthOf,
  int: (value) => Math.trunc(typeof value === "string" ? Number(value) : numeric(value, "int")),
  float: (value) => (typeof value === "string" ? Number(value) : numeric(value, "float")),
  abs: (value) => Math.abs(numeric(value, "abs")),
  round: (value) => Math.round(numeric(value, "round")),
  first: (value) => list(value, "first")[0],
  last: (value) => list(value, "last").at(-1),
  sum: (value) => list(value, "sum").reduce<number>((sum, item) => sum + numeric(item, "sum"), 0),
  min: (value) => Math.min(...list(value, "min").map((item) => numeric(item, "min"))),
  max: (value) => Math.max(...list(value, "max").map((item) => numeric(item, "max"))),
  join: (value, args) =>
    list(value, "join")
      .map(text)
      .join(text(args[0] ?? "")),
  string: text,
  lower: (value) => text(value).toLowerCase(),
  upper: (value) => text(value).toUpperCase(),
};

const tests: Readonly<Record<string, (value: Value) => boolean>> = {
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  true: (value) => value === true,
  false: (value) => value === false,
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  float: (value) => typeof value === "number" && !Number.isInteger(value),
  string: (value) => typeof value === "string",
  sequence: (value) => Array.isArray(value) || typeof value === "string",
  iterable: (value) => Array.isArray(value) || typeof value === "string",
  mapping: (value) => isRecord(value),
  odd: (value) => Math.abs(numeric(value, "odd") % 2) === 1,
  even: (value) => numeric(value, "even") % 2 === 0,
};

class Evaluation {
  constructor(private readonly scope: Scope) {}

  value(node: Node): Value {
    switch (node.type) {
      case "IntegerLiteral":
      case "FloatLiteral":
      case "StringLiteral":
        return node.value as Value;
      case "ArrayLiteral":
      case "TupleLiteral":
        return (node.value as Node[]).map((item) => this.value(item));
      case "ObjectLiteral":
        return this.object(node.value as Map<Node, Node>);
      case "Identifier":
        return this.name(String(node.value));
      case "MemberExpression":
        return this.member(node);
      case "CallExpression":
        return this.call(node);
      case "BinaryExpression":
        return this.binary(node);
      case "UnaryExpression":
        return this.unary(node);
      case "FilterExpression":
        return this.filter(node);
      case "TestExpression":
        return this.test(node);
      case "Ternary":
        return this.value(truth(this.child(node.condition)) ? part(node.trueExpr) : part(node.falseExpr));
      case "SelectExpression":
        return truth(this.child(node.test)) ? this.child(node.lhs) : undefined;
      default:
        throw new Error(`${node.type} is not part of an expression`);
    }
  }

  private child(node: Node | undefined): Value {
    return this.value(part(node));
  }

  private name(name: string): Value {
    if (name in this.scope) return this.scope[name];
    if (Object.hasOwn(constants, name)) return constants[name];
    throw new UnknownName(name);
  }

  private object(entries: Map<Node, Node>): Value {
    return Object.fromEntries([...entries].map(([key, value]) => [text(this.value(key)), this.value(value)]));
  }

  private member(node: Node): Value {
    const object = this.child(node.object);
    const property = part(node.property);
    if (property.type === "SliceExpression") return this.slice(object, property);
    const key = node.computed || property.type === "IntegerLiteral" ? this.value(property) : String(property.value);
    if ((Array.isArray(object) || typeof object === "string") && typeof key === "number") {
      // As in Jinja: an item that is not there is undefined, so that conditions may ask for it.
      return object.at(key);
    }
    if (isRecord(object) && typeof key === "string" && Object.hasOwn(object, key)) return object[key];
    if (key === "length" && (Array.isArray(object) || typeof object === "string")) return object.length;
    if (object === undefined) throw new Error(`there is no value to read ${show(key)} from`);
    throw new UnknownName(typeof key === "string" ? key : show(key));
  }

  private slice(object: Value, node: Node): Value {
    if (!Array.isArray(object) && typeof object !== "string") throw new Error(`${show(object)} cannot be sliced`);
    const bound = (end: Node | undefined): number | undefined =>
      end === undefined ? undefined : numeric(this.value(end), "slice");
    const step = bound(node.step) ?? 1;
    if (step !== 1) throw new Error("slices with a step are not supported");
    return object.slice(bound(node.start), bound(node.stop));
  }

  private call(node: Node): Value {
    const callee = this.child(node.callee);
    if (typeof callee !== "function") throw new Error(`${show(callee)} is not a function`);
    return callee(...(node.args ?? []).map((argument) => this.value(argument)));
  }

  private binary(node: Node): Value {
    const operator = node.operator?.value ?? "";
    const left = this.child(node.left);
    if (operator === "and") return truth(left) ? this.child(node.right) : left;
    if (operator === "or") return truth(left) ? left : this.child(node.right);
    const right = this.child(node.right);
    switch (operator) {
      case "==":
        return same(left, right);
      case "!=":
        return !same(left, right);
      case "in":
        return contains(right, left);
      case "not in":
        return !contains(right, left);
      case "<":
      case "<=":
      case ">":
      case ">=":
        return compare(operator, left, right);
      default:
        return arithmetic(operator, left, right);
    }
  }

  private unary(node: Node): Value {
    const value = this.child(node.argument);
    const operator = node.operator?.value ?? "";
    if (operator === "not") return !truth(value);
    return operator === "-" ? -numeric(value, "-") : numeric(value, "+");
  }

  private filter(node: Node): Value {
    const filter = part(node.filter);
    const name = String((filter.callee ?? filter).value);
    const apply = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (apply === undefined) throw new UnknownName(name);
    const operand = apply === fallback ? this.ifThere(part(node.operand)) : this.child(node.operand);
    return apply(
      operand,
      (filter.args ?? []).map((argument) => this.value(argument)),
    );
  }

  private test(node: Node): boolean {
    const name = String(node.test?.value);
    const holds = Object.hasOwn(tests, name) ? tests[name] : undefined;
    if (holds === undefined) throw new UnknownName(name);
    const forgiving = name === "defined" || name === "undefined";
    return holds(forgiving ? this.ifThere(part(node.operand)) : this.child(node.operand)) !== node.negate;
  }

  /** The value, or undefined when a name or member on the way is missing. */
  private ifThere(node: Node): Value {
    try {
      return this.value(node);
    } catch (thrown) {
      if (thrown instanceof UnknownName || node.type === "MemberExpression") return undefined;
      throw thrown;
    }
  }
}

function part(node: Node | undefined): Node {
  if (node === undefined) throw new Error("an operand is missing");
  return node;
}

/** The scope with derived names added: each is computed when it is first read, and then kept. */
export function derivedScope(scope: Scope, derive: readonly Derived[]): Scope {
  const inner = Object.create(scope) as Record<string, Value>;
  for (const { name, expression: source } of derive) {
    Object.defineProperty(inner, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = source.evaluate(inner);
        Object.defineProperty(inner, name, { enumerable: true, configurable: true, value });
        return value;
      },
    });
  }
  return inner;
}

/** A name that a manifest defines by an expression. */
export interface Derived {
  readonly name: string;
  readonly expression: Expression;
}

function parsed(source: string, where: string): Node {
  try {
    return parseExpression(source);
  } catch (thrown) {
    throw new ExpressionError(source, where, `it does not parse (${messageOf(thrown)})`, undefined, { cause: thrown });
  }
}

/** What stands between braces when the whole text is one `{{ … }}`. */
function bare(source: string): string {
  return /^\s*\{\{(?!.*\}\}.*\}\})(.*)\}\}\s*$/s.exec(source)?.[1] ?? source;
}

function evaluated(node: Node, scope: Scope, source: string, where: string): Value {
  try {
    return new Evaluation(scope).value(node);
  } catch (thrown) {
    if (thrown instanceof ExpressionError) throw thrown;
    const unknown = thrown instanceof UnknownName ? thrown.unknown : undefined;
    throw new ExpressionError(source, where, messageOf(thrown), unknown, { cause: thrown });
  }
}

/** Parses a manifest's value: a string is an expression, a list is a list of them, all else stands for itself. */
export function expression(value: unknown, where: string): Expression {
  if (Array.isArray(value)) {
    const items = value.map((item, i) => expression(item, `${where}[${i}]`));
    return {
      source: JSON.stringify(value),
      where,
      names: items.flatMap((item) => item.names),
      evaluate: (scope) => items.map((item) => item.evaluate(scope)),
    };
  }
  if (typeof value !== "string") {
    return { source: JSON.stringify(value) ?? "undefined", where, names: [], evaluate: () => value as Value };
  }
  const node = parsed(bare(value), where);
  const names: NameUse[] = [];
  walkNames(
    node,
    (use) => names.push(use),
    () => {},
  );
  return {
    source: value,
    where,
    names: names.filter((use) => !Object.hasOwn(constants, use.path[0] ?? "")),
    evaluate: (scope) => evaluated(node, scope, value, where),
  };
}

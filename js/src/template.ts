import { Environment, Interpreter } from "@huggingface/jinja";
import { TemplateError, messageOf } from "./errors.js";
import type { Scope } from "./expression.js";
import type { Value } from "./functions.js";
import { parseTemplate, walkNames, type Node } from "./syntax.js";

/** The methods of Jinja's objects: reading them is no access to a member. */
const methods = new Set(["get", "items", "keys", "values", "dictsort"]);

/** A map that tells of every key that is asked for and not there. */
class WatchedMap<V> extends Map<string, V> {
  constructor(
    entries: Iterable<readonly [string, V]>,
    private readonly missed: (key: string) => void,
  ) {
    super();
    for (const [key, value] of entries) super.set(key, value);
  }

  override has(key: string): boolean {
    const there = super.has(key);
    if (!there) this.missed(key);
    return there;
  }

  override get(key: string): V | undefined {
    if (!super.has(key)) this.missed(key);
    return super.get(key);
  }
}

/** A value of Jinja's run time. */
interface RuntimeValue {
  value: unknown;
}

/** A value as the functions take it, out of one of Jinja's run time. */
function plain(value: unknown): Value {
  if (Array.isArray(value)) return value.map((item: RuntimeValue) => plain(item.value));
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]: [string, RuntimeValue]) => [key, plain(item.value)]));
  return value as Value;
}

/** A value as Jinja takes it: its functions hand over values of the run time. */
function forJinja(value: Value): unknown {
  if (typeof value === "function") return (...args: unknown[]) => forJinja(value(...args.map(plain)));
  if (Array.isArray(value)) return value.map(forJinja);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, forJinja(item)]));
}

/** Makes every object below a value tell of members that are asked for and not there. */
function watch(value: RuntimeValue, path: string, missed: (path: string) => void): void {
  if (!(value.value instanceof Map)) return;
  const members = value.value as Map<string, RuntimeValue>;
  for (const [key, member] of members) watch(member, `${path}.${key}`, missed);
  value.value = new WatchedMap(members, (key) => {
    if (!methods.has(key)) missed(`${path}.${key}`);
  });
}

/** A shader template of a package. */
export class Template {
  private readonly root: Node;
  /** Paths that `default` or `is defined` provides for somewhere in the text: there, missing is no error. */
  private readonly guarded = new Set<string>();

  constructor(
    readonly file: string,
    readonly text: string,
  ) {
    try {
      this.root = parseTemplate(text);
    } catch (thrown) {
      throw new TemplateError(file, `it does not parse (${messageOf(thrown)})`, undefined, { cause: thrown });
    }
    walkNames(
      this.root,
      ({ path, guarded }) => {
        if (guarded) path.forEach((_, i) => this.guarded.add(path.slice(0, i + 1).join(".")));
      },
      () => {},
    );
  }

  /** The text with all names replaced; a name that the scope lacks is an error where the text is reached. */
  render(scope: Scope): string {
    let unknown: string | undefined;
    const missed = (path: string): void => {
      if (!this.guarded.has(path)) unknown ??= path;
    };
    let text: string;
    try {
      const environment = this.environment(scope, missed);
      const program = this.root as unknown as Parameters<Interpreter["run"]>[0];
      text = (new Interpreter(environment).run(program) as unknown as { value: string }).value;
    } catch (thrown) {
      if (unknown === undefined) throw new TemplateError(this.file, messageOf(thrown), undefined, { cause: thrown });
      text = "";
    }
    if (unknown !== undefined) throw new TemplateError(this.file, `unknown name "${unknown}"`, unknown);
    return text;
  }

  private environment(scope: Scope, missed: (path: string) => void): Environment {
    const environment = new Environment();
    const set = (name: string, value: unknown): void => {
      environment.variables.delete(name);
      environment.set(name, value);
    };
    for (const [name, value] of [
      ["true", true],
      ["True", true],
      ["false", false],
      ["False", false],
      ["none", null],
      ["None", null],
    ]) {
      set(String(name), value);
    }
    set("raise_exception", (message: unknown) => {
      throw new Error(String(message));
    });
    // Inherited names count.
    for (const name in scope) set(name, forJinja(scope[name]));
    for (const [name, value] of environment.variables) watch(value, name, missed);
    environment.variables = new WatchedMap(environment.variables, missed);
    return environment;
  }
}

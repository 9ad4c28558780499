import { PackageFormatError, messageOf } from "./errors.js";

/** A part of a JSON file that knows where it stands, so that what is wrong with it can be named. */
export class Json {
  constructor(
    readonly file: string,
    readonly path: string,
    readonly value: unknown,
  ) {}

  static parse(file: string, text: string): Json {
    try {
      return new Json(file, "", JSON.parse(text));
    } catch (thrown) {
      throw new PackageFormatError(file, "", `it is not JSON (${messageOf(thrown)})`, { cause: thrown });
    }
  }

  get absent(): boolean {
    return this.value === undefined || this.value === null;
  }

  fail(problem: string): never {
    throw new PackageFormatError(this.file, this.path, problem);
  }

  /** A member of an object; its value is undefined when there is none. */
  at(key: string): Json {
    const object = this.object();
    return new Json(
      this.file,
      this.path === "" ? key : `${this.path}.${key}`,
      Object.hasOwn(object, key) ? object[key] : undefined,
    );
  }

  isObject(): boolean {
    return typeof this.value === "object" && this.value !== null && !Array.isArray(this.value);
  }

  object(): Readonly<Record<string, unknown>> {
    if (!this.isObject()) this.fail(`an object is needed, not ${this.shown()}`);
    return this.value as Record<string, unknown>;
  }

  /** The members of an object in their order; none when it is absent. */
  entries(): [string, Json][] {
    return this.absent ? [] : Object.keys(this.object()).map((key) => [key, this.at(key)]);
  }

  /** The items of a list; none when it is absent. */
  items(): Json[] {
    if (this.absent) return [];
    if (!Array.isArray(this.value)) this.fail(`a list is needed, not ${this.shown()}`);
    return (this.value as unknown[]).map((item, i) => new Json(this.file, `${this.path}[${i}]`, item));
  }

  /** The items of a list, or the value alone. */
  itemsOrOne(): Json[] {
    return this.absent || Array.isArray(this.value) ? this.items() : [this];
  }

  string(): string {
    if (typeof this.value !== "string") this.fail(`a string is needed, not ${this.shown()}`);
    return this.value as string;
  }

  stringOr<T>(missing: T): string | T {
    return this.absent ? missing : this.string();
  }

  numberOr<T>(missing: T): number | T {
    return this.absent ? missing : this.number();
  }

  number(): number {
    if (typeof this.value !== "number") this.fail(`a number is needed, not ${this.shown()}`);
    return this.value as number;
  }

  /** A list of whole numbers from 0. */
  extents(): number[] {
    if (!Array.isArray(this.value)) this.fail(`a list is needed, not ${this.shown()}`);
    return this.items().map((item) =>
      Number.isSafeInteger(item.value) && Number(item.value) >= 0
        ? Number(item.value)
        : item.fail(`a whole number from 0 is needed, not ${item.shown()}`),
    );
  }

  booleanOr<T>(missing: T): boolean | T {
    if (this.absent) return missing;
    if (typeof this.value !== "boolean") this.fail(`true or false is needed, not ${this.shown()}`);
    return this.value as boolean;
  }

  private shown(): string {
    if (this.value === undefined) return "nothing";
    const text = JSON.stringify(this.value) ?? String(this.value);
    return text.length > 60 ? `${text.slice(0, 60)}…` : text;
  }
}

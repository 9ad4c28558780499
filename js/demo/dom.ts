// Elements in a line: tag, properties, children.
type Child = Node | string | undefined | false;

/** An element; `class`, `for` and names with a dash are attributes, all else are properties. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Readonly<Record<string, unknown>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name === "class" || name === "for" || name === "role" || name.includes("-"))
      element.setAttribute(name, String(value));
    else (element as unknown as Record<string, unknown>)[name] = value;
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** The element of the page with an id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

let labels = 0;

/** A control with its label, which may say more than its name. */
export function labelled(text: string, control: HTMLElement, ...more: readonly Child[]): HTMLElement {
  control.id ||= `control-${++labels}`;
  return h("div", { class: "field" }, h("label", { for: control.id }, text, ...more), control);
}

/**
 * A table in a region that scrolls by itself, so that the page never does sideways; a row may have a note below it.
 */
export function table(
  caption: string,
  heads: readonly string[],
  numeric: readonly number[] = [],
): { region: HTMLElement; row(cells: readonly Child[], kind?: string, note?: string): void } {
  const body = h("tbody");
  const numbers = new Set(numeric);
  const head = h(
    "tr",
    {},
    ...heads.map((text, i) => h("th", { scope: "col", class: numbers.has(i) ? "number" : "" }, text)),
  );
  const region = h(
    "div",
    { class: "scroll", role: "region", "aria-label": caption, tabIndex: 0 },
    h("table", {}, h("caption", { class: "unseen" }, caption), h("thead", {}, head), body),
  );
  const row = (cells: readonly Child[], kind = "", note = ""): void => {
    const [first, ...rest] = cells;
    body.append(
      h(
        "tr",
        { class: kind },
        h("th", { scope: "row" }, first),
        ...rest.map((cell, i) => h("td", { class: numbers.has(i + 1) ? "number" : "" }, cell)),
      ),
    );
    if (note !== "") body.append(h("tr", { class: `${kind} note` }, h("td", { colSpan: heads.length }, note)));
  };
  return { region, row };
}

/** What went wrong, where a reader of the screen hears of it. */
export function alertBox(message: string): HTMLElement {
  const [first = "", ...lines] = message.split("\n");
  const rest = lines.length === 0 ? [] : [h("ul", {}, ...lines.map((line) => h("li", {}, line.trim())))];
  return h("div", { class: "notice bad", role: "alert" }, h("p", {}, first), ...rest);
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

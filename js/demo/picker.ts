// Where a package comes from: the list of this site, an address, or files of this machine.
import { sourceOfFiles, type PackageLocation } from "../src/index.js";
import { h, labelled } from "./dom.js";

/** A package that this site has, as packages.json lists it. */
export interface Listed {
  readonly title: string;
  readonly path: string;
}

export interface Picked {
  readonly location: PackageLocation;
  /** The address as the page's own says it; undefined for files. */
  readonly address: string | undefined;
}

function pathOf(file: File): string {
  return file.webkitRelativePath === "" ? file.name : file.webkitRelativePath;
}

async function filesOfEntry(entry: FileSystemEntry): Promise<[string, File][]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [[entry.fullPath.replace(/^\//, ""), file]];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: [string, File][] = [];
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const each of entries) found.push(...(await filesOfEntry(each)));
  }
}

async function droppedFiles(transfer: DataTransfer): Promise<Map<string, File>> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return new Map([...transfer.files].map((file) => [pathOf(file), file]));
  return new Map((await Promise.all(entries.map(filesOfEntry))).flat());
}

const fromFiles = (files: ReadonlyMap<string, File>): Picked => ({
  location: sourceOfFiles(files, "this machine"),
  address: undefined,
});

function listControl(listed: readonly Listed[], pick: (picked: Picked) => void): HTMLSelectElement {
  const select = h(
    "select",
    {},
    h("option", { value: "" }, listed.length === 0 ? "none here" : "choose one …"),
    ...listed.map(({ title, path }) => h("option", { value: path }, title)),
  );
  select.addEventListener("change", () => {
    if (select.value !== "") pick({ location: select.value, address: select.value });
  });
  return select;
}

function addressForm(pick: (picked: Picked) => void): { form: HTMLFormElement; field: HTMLInputElement } {
  const field = h("input", {
    type: "text",
    inputMode: "url",
    autocomplete: "off",
    spellcheck: false,
    placeholder: "https://…",
  });
  const form = h(
    "form",
    { class: "line" },
    labelled("Address of a package", field),
    h("button", { type: "submit" }, "Load"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const address = field.value.trim();
    if (address !== "") pick({ location: address, address });
  });
  return { form, field };
}

function filesControl(pick: (picked: Picked) => void): HTMLElement {
  const field = h("input", { type: "file", multiple: true, webkitdirectory: true });
  const zone = h(
    "div",
    { class: "drop" },
    labelled("A package's folder of this machine, chosen or dropped here", field),
  );
  field.addEventListener("change", () => {
    const files = new Map([...(field.files ?? [])].map((file) => [pathOf(file), file]));
    if (files.size > 0) pick(fromFiles(files));
  });
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer !== null) void droppedFiles(event.dataTransfer).then((files) => pick(fromFiles(files)));
  });
  return zone;
}

/** The controls that pick a package; `show` makes them say which one is loaded. */
export function picker(
  listed: readonly Listed[],
  pick: (picked: Picked) => void,
): { element: HTMLElement; show(address: string | undefined): void } {
  const list = listControl(listed, pick);
  const { form, field } = addressForm(pick);
  const element = h("div", { class: "picker" }, labelled("Packages here", list), form, filesControl(pick));
  const show = (address: string | undefined): void => {
    const known = listed.some(({ path }) => path === address);
    list.value = known ? (address ?? "") : "";
    field.value = known ? "" : (address ?? "");
  };
  return { element, show };
}

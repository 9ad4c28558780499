import { CallError, DigestError, PackageFormatError, PackageNotFoundError, messageOf } from "./errors.js";
import { Json } from "./json.js";

/** Reads the files of a package, by their names in its folder; one may be passed where a location is asked for. */
export interface Source {
  /** The folder, as messages name it. */
  readonly location: string;
  /** The bytes of a file; undefined when there is none. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

export type Fetch = (url: string) => Promise<Response>;

/** A module of Node that bundlers for browsers must not look for. */
async function nodeModule<T>(name: string): Promise<T> {
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`)) as T;
}

interface FileSystem {
  readFile(path: string | URL): Promise<Uint8Array<ArrayBuffer>>;
}

class FolderSource implements Source {
  constructor(
    readonly location: string,
    private readonly files: FileSystem,
    private readonly base: URL,
  ) {}

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return new Uint8Array(await this.files.readFile(new URL(name, this.base)));
    } catch (thrown) {
      const code = (thrown as { code?: unknown }).code;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw new PackageNotFoundError(this.location, `${this.location}${name} cannot be read: ${messageOf(thrown)}`, {
        cause: thrown,
      });
    }
  }
}

class WebSource implements Source {
  constructor(
    readonly location: string,
    private readonly fetch: Fetch,
  ) {}

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const url = new URL(name, this.location).href;
    let response: Response;
    try {
      response = await this.fetch(url);
    } catch (thrown) {
      throw new PackageNotFoundError(url, `${url} cannot be fetched: ${messageOf(thrown)}`, { cause: thrown });
    }
    if (response.status === 404) return undefined;
    if (!response.ok)
      throw new PackageNotFoundError(
        url,
        `${url} cannot be fetched: status ${response.status} ${response.statusText}`.trimEnd(),
      );
    return new Uint8Array(await response.arrayBuffer());
  }
}

/**
 * A package in files that are at hand, by their paths: selected or dropped ones, say, or an unpacked archive.
 * The folder may lie deeper: it is the uppermost one that has a metadata.json.
 */
export function sourceOfFiles(files: ReadonlyMap<string, Blob | Uint8Array<ArrayBuffer>>, location = "files"): Source {
  const depth = (path: string): number => path.split("/").length;
  const [found] = [...files.keys()]
    .filter((path) => path === "metadata.json" || path.endsWith("/metadata.json"))
    .sort((a, b) => depth(a) - depth(b));
  const above = found?.slice(0, -"metadata.json".length) ?? "";
  return {
    location: `${location}/${above}`,
    read: async (name) => {
      const file = files.get(`${above}${name}`);
      return file instanceof Blob ? new Uint8Array(await file.arrayBuffer()) : file;
    },
  };
}

const inNode =
  typeof (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === "string";

/** The folder's URL with a slash at its end, so that names can be resolved against it. */
function folder(url: string): string {
  const { href } = new URL(url);
  const bare = href.replace(/[?#].*$/, "").replace(/[^/]*\.json$/, "");
  return bare.endsWith("/") ? bare : `${bare}/`;
}

async function folderSource(url: string): Promise<Source> {
  const files = await nodeModule<FileSystem>("fs/promises");
  return new FolderSource(folder(url), files, new URL(folder(url)));
}

/** Where a package is read from: a path in Node, a URL with file:, http: or https:, or one relative to the page. */
export async function sourceAt(location: string, fetch?: Fetch): Promise<Source> {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(location)?.[1]?.toLowerCase();
  if (scheme === "file") return folderSource(location);
  if (scheme === undefined && inNode) {
    const { pathToFileURL } = await nodeModule<{ pathToFileURL(path: string): URL }>("url");
    return folderSource(pathToFileURL(location).href);
  }
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") {
    throw new CallError(
      `${location}: packages are read from paths and from file:, http: and https: URLs, not ${scheme}:`,
    );
  }
  const page = (globalThis as { document?: { baseURI?: string } }).document?.baseURI;
  const url = scheme === undefined ? new URL(location, page).href : location;
  return new WebSource(folder(url), fetch ?? ((address) => globalThis.fetch(address)));
}

/** The source of a folder inside another. */
export function inside(source: Source, path: string): Source {
  return { location: `${source.location}${path}`, read: (name) => source.read(`${path}${name}`) };
}

async function subtle(): Promise<SubtleCrypto> {
  const { crypto } = globalThis as { crypto?: Crypto };
  if (crypto?.subtle !== undefined) return crypto.subtle;
  if (inNode) return (await nodeModule<{ webcrypto: Crypto }>("crypto")).webcrypto.subtle;
  throw new CallError(
    "digests need crypto.subtle, which pages have in secure contexts; verifyHashes: false goes without",
  );
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Throws when a file's sha256 is not the expected one, in base64. */
export async function checkDigest(file: string, bytes: Uint8Array<ArrayBuffer>, expected: string): Promise<void> {
  const actual = base64(new Uint8Array(await (await subtle()).digest("SHA-256", bytes)));
  if (actual !== expected) throw new DigestError(file, expected, actual);
}

/** The text of a file, which must be UTF-8. */
export function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw new PackageFormatError(file, "", "it is not UTF-8", { cause: thrown });
  }
}

export function jsonOf(file: string, bytes: Uint8Array): Json {
  return Json.parse(file, textOf(file, bytes));
}

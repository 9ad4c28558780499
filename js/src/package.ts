import { CallError, PackageFormatError, PackageNotFoundError, VersionError } from "./errors.js";
import type { Json } from "./json.js";
import { checkSpec, type Manifest } from "./manifest.js";
import { readManifest } from "./read_manifest.js";
import { Safetensors } from "./safetensors.js";
import { checkDigest, inside, jsonOf, sourceAt, textOf, type Fetch, type Source } from "./source.js";
import { Template } from "./template.js";
import type { HostTensor } from "./tensor.js";

/** What metadata.json says of the package. */
export interface PackageMetadata {
  readonly name: string;
  readonly id: string | undefined;
  readonly version: number | string | undefined;
  readonly license: string | undefined;
  readonly spec: string;
  /** The commit that the package was made from. */
  readonly revision: string | undefined;
  /** The sha256 of every file, in base64, by the file's name. */
  readonly digests: ReadonlyMap<string, string>;
}

export interface LoadOptions {
  /** The contract's version. Stands for `{revision}` in the location as v1, v2, …, and must be what the package says. */
  readonly version?: number | string | undefined;
  /** A commit. Stands for `{revision}` in the location; elsewhere the package's provenance must begin with it. */
  readonly revision?: string | undefined;
  /** Whether files are checked against the digests in metadata.json; true when left out. */
  readonly verifyHashes?: boolean | undefined;
  /** Replaces the global fetch, for headers or caches of the caller. */
  readonly fetch?: Fetch | undefined;
}

export interface KernelPackage {
  readonly location: string;
  readonly metadata: PackageMetadata;
  readonly manifest: Manifest;
  readonly templates: ReadonlyMap<string, Template>;
  /** Values of inputs that a call may leave out, by the input's key. */
  readonly weights: ReadonlyMap<string, HostTensor>;
  /** Another file of the package, such as test.json, checked like the rest; undefined when the package has none. */
  file(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** A path (in Node), a URL, or something that reads the package's files. */
export type PackageLocation = string | URL | Source;

const placeholder = "{revision}";

function resolved(location: string, { version, revision }: LoadOptions): string {
  if (version !== undefined && revision !== undefined) throw new CallError("version and revision exclude each other");
  const standsFor = revision ?? (version === undefined ? undefined : `v${version}`);
  const written = location.replaceAll("%7Brevision%7D", placeholder);
  if (!written.includes(placeholder)) return location;
  if (standsFor === undefined) throw new CallError(`${written}: ${placeholder} needs a version or a revision`);
  return written.replaceAll(placeholder, encodeURIComponent(standsFor));
}

function readMetadata(json: Json): PackageMetadata {
  const backend = json.at("backend");
  const type = backend.absent ? "webgpu" : backend.at("type").stringOr("webgpu");
  if (type !== "webgpu") backend.at("type").fail(`the package is for ${type}, not for webgpu`);
  const spec = json.at("webgpu").at("manifestSpec");
  checkSpec(typeof spec.value === "number" ? String(spec.value) : spec.string());
  const version = json.at("version").value;
  const digest = json.at("digest");
  if (!digest.absent && digest.at("algorithm").string() !== "sha256")
    digest.at("algorithm").fail("only sha256 is supported");
  const files = digest.absent ? [] : digest.at("files").entries();
  const provenance = json.at("provenance");
  const kernel = provenance.absent ? provenance : provenance.at("kernel");
  return {
    name: json.at("name").string(),
    id: json.at("id").stringOr(undefined),
    version: typeof version === "number" || typeof version === "string" ? version : undefined,
    license: json.at("license").stringOr(undefined),
    spec: String(spec.value),
    revision: kernel.absent ? undefined : kernel.at("sha").stringOr(undefined),
    digests: new Map(files.map(([name, value]) => [name, value.string()])),
  };
}

function checkVersion(metadata: PackageMetadata, location: string, options: LoadOptions): void {
  const { version, revision } = options;
  if (version !== undefined && String(metadata.version) !== String(version)) {
    throw new VersionError(`${metadata.name} has version ${metadata.version ?? "unknown"}, not ${version}`);
  }
  if (revision === undefined || location.includes(encodeURIComponent(revision))) return;
  if (metadata.revision?.startsWith(revision) !== true) {
    throw new VersionError(
      `${metadata.name} was made from revision ${metadata.revision ?? "unknown"}, not ${revision}`,
    );
  }
}

/** The folder with the manifest: `build/webgpu` of a package, or the location itself. */
async function findFolder(source: Source): Promise<{ source: Source; metadata: Json }> {
  const isInner = source.location.endsWith("/build/webgpu/");
  for (const path of isInner ? [""] : ["build/webgpu/", ""]) {
    const candidate = inside(source, path);
    const bytes = await candidate.read("metadata.json");
    if (bytes !== undefined) return { source: candidate, metadata: jsonOf("metadata.json", bytes) };
  }
  throw new PackageNotFoundError(
    source.location,
    `${source.location}: there is no metadata.json here or in build/webgpu`,
  );
}

/** The file with values of inputs that calls may leave out. */
const weightsFile = "weights.safetensors";

function weightsOf(manifest: Manifest, bytes: Uint8Array<ArrayBuffer>): Map<string, HostTensor> {
  const tensors = new Safetensors(weightsFile, bytes);
  const weights = new Map<string, HostTensor>();
  for (const { key, dtypes } of manifest.inputs) {
    if (!tensors.has(key)) continue;
    const tensor = tensors.tensor(key);
    if (!dtypes.includes(tensor.dtype))
      throw new PackageFormatError(weightsFile, key, `its type is ${tensor.dtype}, the input's ${dtypes.join(" or ")}`);
    weights.set(key, tensor);
  }
  return weights;
}

/** Reads a package and checks all of it that can be checked without a device. */
export async function loadPackage(location: PackageLocation, options: LoadOptions = {}): Promise<KernelPackage> {
  const from =
    typeof location === "string" || location instanceof URL
      ? await sourceAt(resolved(String(location), options), options.fetch)
      : location;
  const { source, metadata: json } = await findFolder(from);
  const metadata = readMetadata(json);
  checkVersion(metadata, source.location, options);
  const verify = options.verifyHashes ?? true;
  if (verify && metadata.digests.size === 0)
    throw new PackageFormatError("metadata.json", "digest", "there are no digests; verifyHashes: false goes without");
  const readIfThere = async (file: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const digest = metadata.digests.get(file);
    const bytes = await source.read(file);
    if (bytes === undefined || !verify) return bytes;
    if (digest === undefined)
      throw new PackageFormatError("metadata.json", "digest.files", `there is no digest of ${file}`);
    await checkDigest(file, bytes, digest);
    return bytes;
  };
  const read = async (file: string): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = await readIfThere(file);
    if (bytes === undefined) throw new PackageNotFoundError(source.location, `${source.location}: there is no ${file}`);
    return bytes;
  };
  const manifest = readManifest(jsonOf("manifest.json", await read("manifest.json")));
  const files = new Set(manifest.variants.flatMap((variant) => variant.passes.map((pass) => pass.shader)));
  const templates = await Promise.all(
    [...files].map(async (file) => new Template(file, textOf(file, await read(file)))),
  );
  return {
    location: source.location,
    metadata,
    manifest,
    templates: new Map(templates.map((template) => [template.file, template])),
    weights: metadata.digests.has(weightsFile) ? weightsOf(manifest, await read(weightsFile)) : new Map(),
    // What metadata.json does not list is not there: asking for it would only put an error into a browser's console.
    file: async (name) => (verify && !metadata.digests.has(name) ? undefined : readIfThere(name)),
  };
}

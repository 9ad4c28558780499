// The packages that tests run: those of this folder, and those in the folders that PAWL_PACKAGES names, or else of the repository.
import { existsSync, readdirSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface PackageFolder {
  readonly name: string;
  readonly path: string;
}

const folders = [
  fileURLToPath(new URL("../../test/packages", import.meta.url)),
  ...(process.env["PAWL_PACKAGES"]?.split(delimiter) ?? [fileURLToPath(new URL("../../../packages", import.meta.url))]),
];

function packagesIn(folder: string): PackageFolder[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, path: join(folder, name) }))
    .filter(({ path }) => existsSync(join(path, "build/webgpu/test.json")));
}

/** All packages with tests of their own; of two with one name, the first. */
export const packageFolders: readonly PackageFolder[] = folders
  .flatMap(packagesIn)
  .filter(({ name }, i, all) => all.findIndex((other) => other.name === name) === i);

/** The package under test/packages with a name. */
export function testPackage(name: string): string {
  const found = packageFolders.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no test package ${basename(name)}`);
  return found.path;
}

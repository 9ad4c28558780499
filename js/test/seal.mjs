// Writes the metadata.json of every test package, with the digests of its files.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const packages = new URL("packages/", import.meta.url);
for (const name of readdirSync(packages)) {
  const folder = new URL(`${name}/build/webgpu/`, packages);
  const manifest = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8"));
  const names = readdirSync(folder)
    .filter((file) => file !== "metadata.json")
    .sort();
  const files = Object.fromEntries(
    names.map((file) => [
      file,
      createHash("sha256")
        .update(readFileSync(new URL(file, folder)))
        .digest("base64"),
    ]),
  );
  const metadata = {
    name: `${manifest.domain}.${manifest.name}`,
    id: `_test_pawl_${name.replaceAll("-", "_")}_webgpu_0123abc`,
    version: 1,
    license: "Apache-2.0",
    backend: { type: "webgpu" },
    digest: { algorithm: "sha256", files },
    provenance: { kernel: { sha: "0123abcd0123abcd0123abcd0123abcd0123abcd", dirty: false } },
    webgpu: {
      manifestSpec: "2.1",
      variants: Object.fromEntries(
        manifest.variants.map((variant) => [variant.id, variant.passes.map((pass) => pass.shader)]),
      ),
    },
  };
  writeFileSync(new URL("metadata.json", folder), `${JSON.stringify(metadata, null, 2)}\n`);
}

// Puts the page together in site/, beside what TypeScript made of demo/ and src/: plain files for any web server.
// The packages are those in the folders that PAWL_PACKAGES names, or else of the repository (those that
// tools/test_packages exported too), and those under test/packages.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "site");

for (const file of ["index.html", "style.css"]) cpSync(join(root, "demo", file), join(site, file));
cpSync(join(root, "node_modules/@huggingface/jinja/dist/index.js"), join(site, "jinja.js"));

const folders = [
  ...(process.env.PAWL_PACKAGES?.split(delimiter) ?? [join(root, "../packages"), join(root, "../build/packages")]),
  join(root, "test/packages"),
];
rmSync(join(site, "packages"), { recursive: true, force: true });
mkdirSync(join(site, "packages"), { recursive: true });
const listed = new Map();
for (const folder of folders.filter((each) => existsSync(each))) {
  for (const name of readdirSync(folder).sort()) {
    const metadata = join(folder, name, "build/webgpu/metadata.json");
    if (listed.has(name) || !existsSync(metadata)) continue;
    const { name: written } = JSON.parse(readFileSync(metadata, "utf8"));
    const title = written.endsWith(name) ? written : `${name} (${written})`;
    cpSync(join(folder, name, "build"), join(site, "packages", name, "build"), { recursive: true });
    listed.set(name, { title, path: `packages/${name}` });
  }
}
// Filters first: there is most to see.
const rank = ({ title }) => (/biquad/i.test(title) ? 0 : 1);
const all = [...listed.values()].sort((a, b) => rank(a) - rank(b));
writeFileSync(join(site, "packages.json"), `${JSON.stringify(all, null, 2)}\n`);
console.log(`site/: ${all.length} packages`);

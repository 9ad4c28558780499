// Serves site/ on this machine: node demo/serve.mjs [PORT].
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const types = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
};

/** A server of a folder's files; nothing outside of it is read. */
export function fileServer(folder) {
  return createServer((request, response) => {
    const fail = (status) => response.writeHead(status).end();
    if (request.method !== "GET" && request.method !== "HEAD") return fail(405);
    let path;
    try {
      path = join(folder, normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
    } catch {
      return fail(400);
    }
    if (path.includes("\0") || !`${path}${sep}`.startsWith(`${normalize(folder)}${sep}`)) return fail(404);
    if (path.endsWith(sep)) path = join(path, "index.html");
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return fail(404);
    response.writeHead(200, {
      "content-type": types[extname(path)] ?? "application/octet-stream",
      "content-length": found.size,
      "cache-control": "no-cache",
    });
    if (request.method === "HEAD") response.end();
    else createReadStream(path).pipe(response);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const port = Number(process.argv[2] ?? 8017);
  const site = fileURLToPath(new URL("../site", import.meta.url));
  fileServer(site)
    .on("error", ({ message }) => {
      console.error(`error: ${message}`);
      process.exit(2);
    })
    .listen(port, "127.0.0.1", () => console.log(`http://localhost:${port}/`));
}

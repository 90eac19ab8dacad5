import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { precompress } from "@/scripts/support/precompress.mjs";
import { hasPrecompressedAnswer, readPrecompressed } from "./precompressed";

const SCRIPT = "export const words = 'one of many';\n".repeat(100);
const folder = mkdtempSync(join(tmpdir(), "precompressed-"));
let server: Server;
let base: string;

beforeAll(async () => {
  writeFileSync(join(folder, "a.js"), SCRIPT);
  writeFileSync(join(folder, "small.js"), "1");
  writeFileSync(join(folder, "picture.png"), SCRIPT);
  await precompress(folder);
  const files = readPrecompressed(folder, "/static/");
  server = createServer((incoming, outgoing) => {
    if (!hasPrecompressedAnswer(files, incoming, outgoing)) outgoing.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const ask = (path: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" | "POST" = "GET") =>
  request(base + path, { method, headers: { "accept-encoding": "gzip, br", ...headers } });

it("sends a script compressed by the build, to be cached forever", async () => {
  const { statusCode, headers, body } = await ask("/static/a.js?v=1");
  const sent = Buffer.from(await body.arrayBuffer());
  expect([statusCode, headers["content-encoding"], headers.vary]).toEqual([200, "br", "Accept-Encoding"]);
  expect([headers["cache-control"], headers["content-type"]]).toEqual([
    "public, max-age=31536000, immutable",
    "application/javascript; charset=UTF-8",
  ]);
  expect(brotliDecompressSync(sent).toString()).toBe(SCRIPT);
  const head = await ask("/static/a.js", {}, "HEAD");
  expect([head.headers["content-length"], (await head.body.arrayBuffer()).byteLength]).toEqual([`${sent.length}`, 0]);
});

it.each([
  ["a client that reads no Brotli", "/static/a.js", { "accept-encoding": "gzip" }],
  ["a client that refuses it", "/static/a.js", { "accept-encoding": "gzip, br;q=0" }],
  ["a part", "/static/a.js", { range: "bytes=0-9" }],
  ["a text too short to gain by it", "/static/small.js", {}],
  ["what is compressed by nature", "/static/picture.png", {}],
  ["the compressed file by its own name", "/static/a.js.br", {}],
  ["a place outside", "/static/../static/a.js/../../etc/passwd", {}],
  ["what is not there", "/static/b.js", {}],
])("leaves %s to the framework", async (_, path, headers: Record<string, string>) => {
  const answer = await ask(path, headers);
  expect(answer.statusCode).toBe(418);
  await answer.body.dump();
});

it("leaves other verbs, and builds without compressed files, to the framework", async () => {
  const answer = await ask("/static/a.js", {}, "POST");
  expect(answer.statusCode).toBe(418);
  await answer.body.dump();
  expect(readPrecompressed(join(folder, "none"), "/").size).toBe(0);
});

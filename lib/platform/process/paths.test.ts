import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { absolutePath, ensureSocketFolder, socketPathFor } from "./paths.ts";
import { storeUri } from "./store-uri.ts";

/** Maximum length of a Unix socket's address in bytes, without its terminating zero. */
const SOCKET_PATH_BYTES_MAX = 107;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "paths-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("gives a long path with capitals and spaces a short lower-case socket", () => {
  const path = socketPathFor(join(folder, "My Data", "X".repeat(200)));
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(SOCKET_PATH_BYTES_MAX);
  expect(path).toBe(path.toLowerCase());
});

test("gives two folders two sockets, and one folder one", () => {
  expect(socketPathFor("/srv/a")).not.toBe(socketPathFor("/srv/b"));
  expect(socketPathFor("/srv/a")).toBe(socketPathFor("/srv/a"));
});

test("names a folder once, through a link and before it exists", () => {
  mkdirSync(join(folder, "real"));
  symlinkSync(join(folder, "real"), join(folder, "link"));
  const before = absolutePath(join(folder, "link", "data"));
  mkdirSync(join(folder, "real", "data"));
  expect(absolutePath(join(folder, "link", "data"))).toBe(before);
  expect(absolutePath(join(folder, "real", "data"))).toBe(before);
});

test("asks the driver for this server only in the store's URI", () => {
  expect(storeUri(folder)).toMatch(/^mongodb:\/\/%2Ftmp%2Fmillrace-\d+%2F[0-9a-f]{12}\.sock\/\?directConnection=true$/);
});

test("closes the socket folder to others, even if it was open", () => {
  const sockets = join(folder, "sockets");
  ensureSocketFolder(sockets);
  expect(statSync(sockets).mode & 0o777).toBe(0o700);
  chmodSync(sockets, 0o777);
  ensureSocketFolder(sockets);
  expect(statSync(sockets).mode & 0o777).toBe(0o700);
});

test("refuses a link in place of the socket folder", () => {
  mkdirSync(join(folder, "elsewhere"));
  symlinkSync(join(folder, "elsewhere"), join(folder, "sockets"));
  expect(() => ensureSocketFolder(join(folder, "sockets"))).toThrow("belongs to another user");
});

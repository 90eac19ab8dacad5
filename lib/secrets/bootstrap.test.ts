import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deriveKey, loadSecrets } from "@/lib/secrets/bootstrap";

let folder: string;
let dataDir: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "secrets-"));
  dataDir = join(folder, "data");
  file = join(dataDir, "secrets.json");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function load(settings: Partial<Parameters<typeof loadSecrets>[0]> = {}) {
  return loadSecrets({ DATA_DIR: dataDir, AUTH_SECRET: undefined, ENCRYPTION_KEYS: undefined, ...settings });
}

test("the first start makes both secrets, later ones read them", () => {
  const made = load();
  expect(Buffer.from(made.authSecret, "base64url")).toHaveLength(32);
  expect(made.encryptionKeys.map((entry) => entry.key.length)).toEqual([32]);
  expect(load()).toEqual(made);
});

test("two installations have different secrets", () => {
  const first = load();
  const second = load({ DATA_DIR: join(folder, "other") });
  expect(second.authSecret).not.toBe(first.authSecret);
  expect(second.encryptionKeys[0]?.key).not.toEqual(first.encryptionKeys[0]?.key);
});

test("only the owner can read the folder and the file, whatever they were before", () => {
  mkdirSync(dataDir, { mode: 0o755 });
  load();
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, readFileSync(file), { mode: 0o644 });
  load();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("nothing but the file is left behind", () => {
  load();
  expect(readdirSync(dataDir)).toEqual(["secrets.json"]);
});

test("a setting wins over the file, each for itself", () => {
  const kept = load();
  const AUTH_SECRET = "a".repeat(40);
  expect(load({ AUTH_SECRET })).toEqual({ ...kept, authSecret: AUTH_SECRET });
  const ENCRYPTION_KEYS = [{ id: "k9", key: Buffer.alloc(32, 9) }];
  expect(load({ ENCRYPTION_KEYS })).toEqual({ ...kept, encryptionKeys: ENCRYPTION_KEYS });
});

test("with both settings no file is made", () => {
  load({ AUTH_SECRET: "a".repeat(40), ENCRYPTION_KEYS: [{ id: "k9", key: Buffer.alloc(32, 9) }] });
  expect(existsSync(dataDir)).toBe(false);
});

test("a damaged file is never replaced", () => {
  load();
  writeFileSync(file, "{");
  expect(() => load()).toThrow(/secrets\.json is damaged/);
  expect(readFileSync(file, "utf8")).toBe("{");
});

test("each purpose has a key of its own, the same one each time", () => {
  vi.stubEnv("AUTH_SECRET", "s".repeat(32));
  vi.stubEnv("ENCRYPTION_KEYS", `k1:${Buffer.alloc(32).toString("base64")}`);
  expect(deriveKey("sessions")).toHaveLength(32);
  expect(deriveKey("sessions")).toEqual(deriveKey("sessions"));
  expect(deriveKey("sessions")).not.toEqual(deriveKey("invites"));
});

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
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { deriveKey, loadSecrets, replaceSecrets, SecretsMissing } from "@/lib/platform/secrets/bootstrap";

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

test("creates both secrets at the first start and reads them later", () => {
  const made = load();
  expect(Buffer.from(made.authSecret, "base64url")).toHaveLength(32);
  expect(made.encryptionKeys.map((entry) => entry.key.length)).toEqual([32]);
  expect(load()).toEqual(made);
});

test("creates different secrets per installation", () => {
  const first = load();
  const second = load({ DATA_DIR: join(folder, "other") });
  expect(second.authSecret).not.toBe(first.authSecret);
  expect(second.encryptionKeys[0]?.key).not.toEqual(first.encryptionKeys[0]?.key);
});

test("makes the folder and the file readable by their owner only, whatever they were before", () => {
  mkdirSync(dataDir, { mode: 0o755 });
  load();
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, readFileSync(file), { mode: 0o644 });
  load();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("leaves only the file behind", () => {
  load();
  expect(readdirSync(dataDir)).toEqual(["secrets.json"]);
});

test("prefers each setting over the file", () => {
  const kept = load();
  const AUTH_SECRET = "a".repeat(40);
  expect(load({ AUTH_SECRET })).toEqual({ ...kept, authSecret: AUTH_SECRET });
  const ENCRYPTION_KEYS = [{ id: "k9", key: Buffer.alloc(32, 9) }];
  expect(load({ ENCRYPTION_KEYS })).toEqual({ ...kept, encryptionKeys: ENCRYPTION_KEYS });
});

test("creates no file with both settings", () => {
  load({ AUTH_SECRET: "a".repeat(40), ENCRYPTION_KEYS: [{ id: "k9", key: Buffer.alloc(32, 9) }] });
  expect(existsSync(dataDir)).toBe(false);
});

test("never replaces a damaged file", () => {
  load();
  writeFileSync(file, "{");
  expect(() => load()).toThrow(/secrets\.json is damaged/);
  expect(readFileSync(file, "utf8")).toBe("{");
});

test("derives a stable key per purpose", () => {
  vi.stubEnv("AUTH_SECRET", "s".repeat(32));
  vi.stubEnv("ENCRYPTION_KEYS", `k1:${Buffer.alloc(32).toString("base64")}`);
  expect(deriveKey("sessions")).toHaveLength(32);
  expect(deriveKey("sessions")).toEqual(deriveKey("sessions"));
  expect(deriveKey("sessions")).not.toEqual(deriveKey("invites"));
});

describe("beside an existing store", () => {
  const GOOD_KEY = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
  const good = { authSecret: "a".repeat(40), encryptionKeys: GOOD_KEY };
  beforeEach(() => {
    mkdirSync(join(dataDir, "store"), { recursive: true });
    writeFileSync(join(dataDir, "store", "millrace.db"), "any");
  });

  type State = [what: string, content: string | null];
  const STATES: State[] = [
    ["missing", null],
    ["empty", ""],
    ["of spaces", "  \n"],
    ["cut off", JSON.stringify(good).slice(0, 40)],
    ["no JSON", "authSecret=abc"],
    ["null", "null"],
    ["a list", "[]"],
    ["without its auth secret", JSON.stringify({ encryptionKeys: GOOD_KEY })],
    ["without its keys", JSON.stringify({ authSecret: good.authSecret })],
    ["of a short auth secret", JSON.stringify({ ...good, authSecret: "short" })],
    ["of no keys", JSON.stringify({ ...good, encryptionKeys: "" })],
    ["of a short key", JSON.stringify({ ...good, encryptionKeys: "k1:YWJj" })],
    ["of two keys with one id", JSON.stringify({ ...good, encryptionKeys: `${GOOD_KEY},${GOOD_KEY}` })],
    ["of keys without ids", JSON.stringify({ ...good, encryptionKeys: GOOD_KEY.slice(3) })],
  ];
  it.each(STATES)(
    "C34 refuses to start with secrets that are %s, says what to do and changes nothing",
    (_, content) => {
      if (content !== null) writeFileSync(file, content);
      expect(() => load()).toThrow(SecretsMissing);
      expect(() => load()).toThrow(/secrets\.json.* from your backup\. If they are lost, run `npm run secrets:new`/);
      expect(() => load({ AUTH_SECRET: "b".repeat(40) })).toThrow(SecretsMissing);
      expect(existsSync(file) ? readFileSync(file, "utf8") : null).toBe(content);
    },
  );

  it("C34 refuses a folder in place of the file", () => {
    mkdirSync(file);
    expect(() => load()).toThrow(/can't be read/);
  });

  it.each(["millrace.db", "millrace.db.restore.json"])("C34 treats %s as a store, and an empty one not", (name) => {
    rmSync(join(dataDir, "store", "millrace.db"));
    writeFileSync(join(dataDir, "store", name), "any");
    expect(() => load()).toThrow(SecretsMissing);
    writeFileSync(join(dataDir, "store", name), "");
    expect(load().authSecret).toHaveLength(43);
  });

  it("C34 needs no file with both secrets in settings", () => {
    const ENCRYPTION_KEYS = [{ id: "k9", key: Buffer.alloc(32, 9) }];
    expect(load({ AUTH_SECRET: "b".repeat(40), ENCRYPTION_KEYS }).authSecret).toBe("b".repeat(40));
    expect(existsSync(file)).toBe(false);
  });

  it.each([null, "", JSON.stringify(good)])(
    "C34 starts with new secrets on request and keeps the old file: %s",
    (content) => {
      if (content !== null) writeFileSync(file, content);
      const settings = { DATA_DIR: dataDir, AUTH_SECRET: undefined, ENCRYPTION_KEYS: undefined };
      const aside = replaceSecrets(settings, new Date("2026-11-25T12:00:00Z"));
      expect(aside).toBe(content === null ? null : `${file}.2026-11-25T12-00-00-000Z`);
      if (aside) expect(readFileSync(aside, "utf8")).toBe(content);
      expect(load().authSecret).not.toBe(good.authSecret);
    },
  );
});

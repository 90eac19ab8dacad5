// @module-tag heavy
import { createDecipheriv } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSealed, needsRotation, open, type SealContext, SealError, type Sealed, seal } from "./seal";

const keyOf = (id: string, fill: number) => ({ id, key: Buffer.alloc(32, fill) });
const ring = [keyOf("new", 2), keyOf("old", 1)];
const place: SealContext = { workspaceId: "w1", recordId: "c1", field: "config.password" };

function failure(work: () => unknown): SealError {
  try {
    work();
  } catch (error) {
    if (error instanceof SealError) return error;
  }
  throw new Error("It did not fail.");
}

test("decrypts any text in its place unchanged", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.string(),
      fc.string(),
      (text, workspaceId, recordId, field) => {
        const context = { workspaceId, recordId, field };
        expect(open(seal(text, context, ring), context, ring)).toBe(text);
      },
    ),
  );
});

test("encrypts with AES-256-GCM under the newest key, in the documented format", () => {
  const sealed = seal("hunter2", place, ring);
  const [version, keyId, nonce, content] = sealed.split(":").map(String) as [string, string, string, string];
  expect([version, keyId]).toEqual(["v1", "new"]);
  const bytes = Buffer.from(content, "base64url");
  expect(Buffer.from(nonce, "base64url")).toHaveLength(12);
  expect(bytes).toHaveLength("hunter2".length + 16);
  const decipher = createDecipheriv("aes-256-gcm", Buffer.alloc(32, 2), Buffer.from(nonce, "base64url"));
  decipher.setAAD(Buffer.from('["v1","w1","c1","config.password"]'));
  decipher.setAuthTag(bytes.subarray(-16));
  expect(`${decipher.update(bytes.subarray(0, -16), undefined, "utf8")}${decipher.final("utf8")}`).toBe("hunter2");
});

test("encrypts the same secret differently each time, and never reveals it", () => {
  const all = new Set(Array.from({ length: 1000 }, () => seal("a-marker-password", place, ring)));
  expect(all.size).toBe(1000);
  for (const sealed of all) expect(sealed).not.toContain("marker");
});

test.each<[string, SealContext]>([
  ["workspace", { ...place, workspaceId: "w2" }],
  ["row", { ...place, recordId: "c2" }],
  ["field", { ...place, field: "config.token" }],
  ["row that splits the names otherwise", { workspaceId: "w1c", recordId: "1", field: "config.password" }],
])("T44 does not decrypt a value moved to another %s", (_what, elsewhere) => {
  expect(failure(() => open(seal("hunter2", place, ring), elsewhere, ring)).reason).toBe("mismatch");
});

test("T44 detects a changed byte anywhere", () => {
  const sealed = seal("hunter2", place, ring);
  const start = sealed.lastIndexOf(":") + 1;
  for (let index = "v1:new:".length; index < sealed.length - 1; index += 1) {
    if (index === start - 1) continue;
    const other = sealed[index] === "A" ? "B" : "A";
    const changed = `${sealed.slice(0, index)}${other}${sealed.slice(index + 1)}` as Sealed;
    expect(failure(() => open(changed, place, ring)).reason).toBe("mismatch");
  }
});

test("decrypts with old keys and names a missing one", () => {
  const old = seal("hunter2", place, [keyOf("old", 1)]);
  expect(open(old, place, ring)).toBe("hunter2");
  expect([needsRotation(old, ring), needsRotation(seal("x", place, ring), ring)]).toEqual([true, false]);
  const error = failure(() => open(old, place, [keyOf("new", 2)]));
  expect(error.reason).toBe("unknown_key");
  expect(error.message).toContain('"old"');
  expect(failure(() => open(old, place, [keyOf("old", 9)])).reason).toBe("mismatch");
});

test.each([
  "",
  "hunter2",
  "v1:new",
  "v2:new:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAA",
  "v1::AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAA",
  "v1:new:AAAA:AAAAAAAAAAAAAAAAAAAAAA",
])("%j is not taken for an encrypted value", (text) => {
  expect(isSealed(text)).toBe(false);
  expect(failure(() => open(text as Sealed, place, ring)).reason).toBe("malformed");
});

test("T47 leaves nothing of the value in an error, its cause or its stack", () => {
  const sealed = seal("hunter2", place, ring);
  for (const bad of [
    failure(() => open(sealed, { ...place, recordId: "c2" }, ring)),
    failure(() => open("hunter2" as Sealed, place, ring)),
  ]) {
    const told = `${bad.message} ${bad.stack} ${JSON.stringify(bad)}`;
    expect(told).not.toContain("hunter2");
    expect(told).not.toContain(sealed.slice(-20));
    expect(bad.cause).toBeUndefined();
  }
});

test("recognises an encrypted value by its format", () => {
  expect(isSealed(seal("", place, ring))).toBe(true);
  expect(isSealed(7)).toBe(false);
  expect(isSealed(null)).toBe(false);
});

// @module-tag heavy
import { describe, expect, it, vi } from "vitest";
import { HeldBody, readJson } from "./body";

const LIMIT = 1000;
const post = (body: BodyInit | null, headers: Record<string, string> = { "content-type": "application/json" }) =>
  new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" } as RequestInit);
const read = (request: Request, demandJsonType = true) =>
  readJson(request, LIMIT, { demandJsonType, held: new HeldBody() });

describe("readJson", () => {
  it("parses JSON of a JSON type, with or without a charset", async () => {
    expect(await read(post('{"a":1}'))).toEqual({ a: 1 });
    expect(await read(post("[1]", { "content-type": "application/json; charset=utf-8" }))).toEqual([1]);
  });

  it("returns undefined for an empty body of any type", async () => {
    expect(await read(post(null, {}))).toBeUndefined();
    expect(await read(post("", { "content-type": "text/plain" }))).toBeUndefined();
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"])(
    "rejects %s, which a form of another site could send (T13)",
    async (type) => {
      await expect(read(post("{}", { "content-type": type }))).rejects.toMatchObject({
        kind: "unsupported_media_type",
      });
    },
  );

  it("accepts any type with an API key, which no form can send", async () => {
    expect(await read(post("{}", { "content-type": "text/plain" }), false)).toEqual({});
  });

  it("rejects a body over the limit by its announced length, before reading it", async () => {
    const request = post("x", { "content-type": "application/json", "content-length": String(LIMIT + 1) });
    await expect(read(request)).rejects.toMatchObject({ kind: "too_large" });
  });

  it("stops a body without a length at the limit, and accepts one of exactly the limit", async () => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100).fill(32)) });
    await expect(read(post(endless))).rejects.toMatchObject({ kind: "too_large" });
    const exact = JSON.stringify("x".repeat(LIMIT - 2));
    expect(exact.length).toBe(LIMIT);
    expect(await read(post(exact))).toHaveLength(LIMIT - 2);
  });

  it.each(["{", "{'a':1}", "undefined", "\u0000", "[1,]"])("rejects %j as malformed", async (text) => {
    await expect(read(post(text))).rejects.toMatchObject({ kind: "invalid_request" });
  });

  it("rejects bytes that are not UTF-8", async () => {
    await expect(read(post(new Uint8Array([0x22, 0xff, 0x22])))).rejects.toMatchObject({ kind: "invalid_request" });
  });

  it("rejects nesting deeper than 64 levels and accepts 64 (T72)", async () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    await expect(read(post(nested(65)))).rejects.toMatchObject({ kind: "invalid_request" });
    expect(await read(post(nested(64)))).toBeDefined();
  });

  it.each(['{"a":{"__proto__":{"isAdmin":true}}}', '[{"constructor":{"prototype":{"isAdmin":true}}}]'])(
    "rejects keys that would reach an object's prototype, at any depth: %s (T58)",
    async (text) => {
      await expect(read(post(text))).rejects.toMatchObject({ kind: "invalid_request" });
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    },
  );

  it("accepts a field named constructor", async () => {
    expect(await read(post('{"filter":{"constructor":"Arup"}}'))).toEqual({ filter: { constructor: "Arup" } });
  });

  it("rejects a compressed body, which could expand without limit (T72)", async () => {
    const request = post("{}", { "content-type": "application/json", "content-encoding": "gzip" });
    await expect(read(request)).rejects.toMatchObject({ kind: "unsupported_media_type" });
  });
});

describe("a body that would be much larger in memory than as text", () => {
  const MIB = 1024 * 1024;
  const readLarge = (body: string, held = new HeldBody()) =>
    readJson(post(body), MIB, { demandJsonType: true, held }).finally(() => held.release());

  it.each([
    ["lists", `[${"[],".repeat(150_000)}1]`],
    ["numbers", `[${"1,".repeat(150_000)}1]`],
    ["objects", `[${'{"a":{}},'.repeat(60_000)}1]`],
    ["levels", `${"[".repeat(65)}${"]".repeat(65)}`],
  ])("of %s is rejected before it is parsed", async (_, body) => {
    const parse = vi.spyOn(JSON, "parse");
    await expect(readLarge(body)).rejects.toMatchObject({ kind: "invalid_request" });
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it("does not count the content of strings: a long statement is accepted", async () => {
    const query = `insert into t values ${'([{,\\"}]),'.repeat(70_000)}`;
    expect(await readLarge(JSON.stringify({ query }))).toEqual({ query });
  });

  it("share a budget with concurrent requests; the next one is told to retry", async () => {
    const held = Array.from({ length: 511 }, () => new HeldBody());
    for (const each of held) each.add(MIB);
    const body = `"${"x".repeat(MIB - 2)}"`;
    expect(await readLarge(body).catch(({ kind }) => kind)).toBe("unavailable");
    for (const each of held) each.release();
    expect(await readLarge(body)).toHaveLength(MIB - 2);
  });

  it("parses a hundred large bodies, one per turn of the event loop (F15)", async () => {
    const parse = vi.spyOn(JSON, "parse");
    const body = `[${"1,".repeat(90_000)}1]`;
    const perTurn: number[] = [];
    let before = 0;
    const look = () => {
      perTurn.push(parse.mock.calls.length - before);
      before = parse.mock.calls.length;
      if (before < 100) setImmediate(look);
    };
    setImmediate(look);
    await Promise.all(Array.from({ length: 100 }, () => readLarge(body)));
    look();
    expect(before).toBe(100);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(2);
    parse.mockRestore();
  });
});

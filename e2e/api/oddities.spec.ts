import { gzipSync } from "node:zlib";
import { exchange } from "./client";
import { expect, expectError, expectOk, newConnection, newKey, type Person, sampleOf, test } from "./fixtures";

const JSON_TYPE = { "content-type": "application/json" };

/** Returns a request as text, with a line for each header. */
function raw(person: Person | null, start: string, headers: readonly string[] = [], body = ""): string {
  const cookie = person === null ? [] : [`Cookie: auth_session=${person.session}`];
  return `${[start, "Host: localhost", ...cookie, ...headers, "", body].join("\r\n")}`;
}

/** Returns the status of each received answer. */
function statuses(received: string): number[] {
  return [...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}

test.describe("on the wire", () => {
  test("answers pipelined requests in order", async ({ service, reader }) => {
    const received = await exchange(
      service,
      raw(null, "GET /api/health HTTP/1.1") +
        raw(reader, "GET /api/auth/me HTTP/1.1") +
        raw(null, "GET /api/auth/me HTTP/1.1") +
        raw(null, "GET /api/nothing HTTP/1.1", ["Connection: close"]),
    );
    expect(statuses(received)).toEqual([200, 200, 401, 404]);
  });

  test("rejects a request with two lengths, and does not run a hidden one", async ({ service, owner }) => {
    const hidden = raw(owner, `DELETE ${owner.home} HTTP/1.1`);
    for (const headers of [
      [`Content-Length: ${hidden.length}`, "Transfer-Encoding: chunked"],
      ["Content-Length: 3", `Content-Length: ${hidden.length}`],
      ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
      ["Transfer-Encoding : chunked"],
      ["Content-Length: +5"],
      ["Content-Length: -1"],
    ]) {
      const received = await exchange(
        service,
        raw(
          owner,
          "POST /api/auth/login HTTP/1.1",
          [...headers, "Content-Type: application/json"],
          `0\r\n\r\n${hidden}`,
        ),
        /HTTP\/1\.1 [45]\d\d[\s\S]*\r\n\r\n/,
      );
      expect(statuses(received)[0]).toBe(400);
    }
    expectOk(await owner.api.get(owner.home));
  });

  test("grants no more than one of two Authorization headers", async ({ service, owner }) => {
    const { key } = await newKey(owner);
    for (const pair of [
      [`Authorization: Bearer ${key}`, "Authorization: Bearer junk"],
      ["Authorization: Bearer junk", `Authorization: Bearer ${key}`],
    ]) {
      const received = await exchange(service, raw(null, `GET ${owner.home} HTTP/1.1`, [...pair, "Connection: close"]));
      expect([200, 400, 401]).toContain(statuses(received)[0]);
    }
    const [cookieAndJunk] = statuses(
      await exchange(
        service,
        raw(owner, `GET ${owner.home} HTTP/1.1`, ["Authorization: x", "Authorization: y", "Connection: close"]),
      ),
    );
    expect(cookieAndJunk).toBe(401);
  });

  test("returns 400 without Host or with an invalid first line", async ({ service }) => {
    for (const bytes of [
      "GET /api/health HTTP/1.1\r\n\r\n",
      "GET\r\n\r\n",
      "\u0016\u0003\u0001\r\n\r\n",
      "get /api/health HTTP/1.1\r\nHost: x\r\n\r\n",
    ]) {
      expect(statuses(await exchange(service, bytes, /\r\n\r\n/))[0]).toBe(400);
    }
  });

  test("supports HTTP/1.0", async ({ service }) => {
    expect(await exchange(service, "GET /api/health HTTP/1.0\r\nHost: localhost\r\n\r\n")).toMatch(
      /^HTTP\/1\.[01] 200/,
    );
  });

  test("ignores the host of a full URL in the first line", async ({ service }) => {
    const full = raw(null, "GET http://evil.example/api/health HTTP/1.1", ["Connection: close"]);
    expect([200, 400, 404]).toContain(statuses(await exchange(service, full))[0]);
  });

  test("rejects verbs that HTTP knows and the service does not", async ({ service }) => {
    for (const verb of ["TRACE", "PROPFIND", "LINK", "PURGE", "SEARCH", "MKCOL", "QUERY"]) {
      const received = await exchange(service, raw(null, `${verb} /api/health HTTP/1.1`, ["Connection: close"]));
      expect([verb, [400, 405, 501].includes(statuses(received)[0] ?? 0)]).toEqual([verb, true]);
    }
  });

  test("rejects an oversized URL or header and keeps running", async ({ service, anyone }) => {
    for (const bytes of [
      raw(null, `GET /api/${"x".repeat(140_000)} HTTP/1.1`),
      raw(null, "GET /api/health HTTP/1.1", [`X-Long: ${"x".repeat(140_000)}`]),
      raw(null, "GET /api/auth/me HTTP/1.1", [`Cookie: ${"a=b; ".repeat(30_000)}`]),
    ]) {
      expect([414, 431]).toContain(statuses(await exchange(service, bytes, /\r\n\r\n/))[0]);
    }
    expect((await anyone.get("/api/health")).status).toBe(200);
  });

  test("answers a badly encoded URL in the envelope", async ({ anyone, reader }) => {
    for (const path of [
      "/api/%zz",
      "/api/%",
      "/api/workspaces/%ff",
      `${reader.home}/connectors/%c0%ae`,
      "/api/invites/%E0%A4%A",
    ]) {
      const answer = await reader.api.get(path);
      expect([path, answer.status < 500]).toEqual([path, true]);
      expectError(answer, answer.status);
    }
    expect((await anyone.get("/%zz")).status).toBeLessThan(500);
  });

  test("accepts a large body with Expect: 100-continue", async ({ service, owner }) => {
    const body = JSON.stringify({ name: "Patient" });
    const head = raw(owner, `PATCH ${owner.home} HTTP/1.1`, [
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "Expect: 100-continue",
      "Connection: close",
    ]);
    const received = await exchange(service, head + body);
    expect(statuses(received).at(-1)).toBe(200);
  });

  test("survives interrupted uploads unchanged", async ({ service, owner, anyone }) => {
    await Promise.all(
      Array.from({ length: 20 }, () => {
        const cut = new AbortController();
        const sent = owner.api.patch(owner.home, undefined, {
          body: '{"name":"cut',
          headers: { ...JSON_TYPE, "content-length": 5000 },
          signal: cut.signal,
        });
        setTimeout(() => cut.abort(), 100);
        return expect(sent).rejects.toThrow();
      }),
    );
    expect((await anyone.get("/api/health")).status).toBe(200);
    expect((await owner.api.get(owner.home)).json.data.name).not.toContain("cut");
    expect(service).toBeTruthy();
  });
});

test.describe("special headers", () => {
  test("does not bypass checks with the framework's own headers", async ({ anyone, owner }) => {
    for (const headers of [
      { "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy" },
      { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
      { "x-middleware-rewrite": "/api/health" },
      { "x-middleware-next": "1" },
      { "x-invoke-path": "/api/health" },
      { "x-matched-path": "/api/health" },
      { "x-now-route-matches": "1=health" },
      { "x-original-url": "/api/health" },
      { "x-rewrite-url": "/api/health" },
      { "x-nextjs-data": "1" },
      { "next-router-prefetch": "1" },
      { "x-prerender-revalidate": "1" },
      { "x-forwarded-user": owner.email },
    ]) {
      expectError(await anyone.get(owner.home, { headers }), 401, "unauthenticated");
      expectError(await anyone.patch(owner.home, { name: "taken" }, { headers }), 401, "unauthenticated");
    }
  });

  test("ignores the header for page parts on API paths", async ({ anyone, owner }) => {
    for (const headers of [{ rsc: "1" }, { rsc: "1", "next-router-state-tree": "x" }]) {
      expectError(await anyone.get(owner.home, { headers }), 401, "unauthenticated");
      expectOk(await owner.api.get(owner.home, { headers }));
      expectOk(await owner.api.patch(owner.home, { name: "Once" }, { headers }));
    }
  });

  test("ignores a verb in a header, a field or the query", async ({ owner }) => {
    const headers = { "x-http-method-override": "DELETE", "x-http-method": "DELETE", "x-method-override": "DELETE" };
    expectOk(await owner.api.get(`${owner.home}?_method=DELETE`, { headers }));
    expectOk(await owner.api.patch(owner.home, { name: "Still here", _method: "DELETE" }, { headers }));
    expectOk(await owner.api.get(owner.home));
  });

  test("ignores ranges and conditions: JSON responses are 200 and whole", async ({ owner }) => {
    const whole = (await owner.api.get(owner.home)).text;
    for (const headers of [
      { range: "bytes=0-9" },
      { range: "bytes=abc" },
      { "if-none-match": "*" },
      { "if-none-match": '"x"' },
      { "if-modified-since": new Date(Date.now() + 1e9).toUTCString() },
    ]) {
      const answer = await owner.api.get(owner.home, { headers });
      expect([answer.status, answer.text]).toEqual([200, whole]);
    }
  });

  test("compresses a response only if the caller accepts it", async ({ owner }) => {
    expect((await owner.api.get(owner.home)).headers["content-encoding"]).toBeUndefined();
    const none = await owner.api.get(owner.home, { headers: { "accept-encoding": "identity" } });
    expect(none.headers["content-encoding"]).toBeUndefined();
    expectOk(none);
  });

  test("returns the envelope for any Accept", async ({ owner, anyone }) => {
    for (const accept of ["text/html", "image/png", "x", ""]) {
      expectOk(await owner.api.get(owner.home, { headers: { accept } }));
      expectError(await anyone.get("/api/nothing", { headers: { accept } }), 404, "not_found");
    }
  });
});

test.describe("unusual bodies", () => {
  const patch = (owner: Person, body: string | Buffer, headers: Record<string, string> = {}) =>
    owner.api.patch(owner.home, undefined, { body, headers: { ...JSON_TYPE, ...headers } });

  test("T72 rejects a compressed body, without unpacking a bomb", async ({ owner }) => {
    for (const body of [gzipSync('{"name":"Zipped"}'), gzipSync(`{"name":"${"x".repeat(30_000_000)}"}`)]) {
      const answer = await patch(owner, body, { "content-encoding": "gzip" });
      expect([400, 415]).toContain(answer.status);
      expectError(answer, answer.status);
    }
    expect((await owner.api.get(owner.home)).json.data.name).not.toBe("Zipped");
  });

  test("rejects a body that is not UTF-8, or never misreads it", async ({ owner }) => {
    const answer = await patch(owner, Buffer.from('{"name":"caf\u00e9"}', "latin1"), {
      "content-type": "application/json; charset=latin1",
    });
    expect([400, 415]).toContain(answer.status);
    const utf16 = await patch(owner, Buffer.from('{"name":"wide"}', "utf16le"), {
      "content-type": "application/json; charset=utf-16",
    });
    expect([400, 415]).toContain(utf16.status);
  });

  test("reads or rejects deep nesting, long lists, duplicate keys and huge numbers", async ({ owner }) => {
    for (const body of [
      `{"name":"x","a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
      `{"name":"x","a":[${"1,".repeat(300_000)}1]}`,
      '{"name":"first","name":"second"}',
      '{"name":"x","a":1e400,"b":-0,"c":123456789012345678901234567890}',
      '\ufeff{"name":"marked"}',
    ]) {
      const answer = await patch(owner, body);
      expect([200, 400]).toContain(answer.status);
    }
  });

  test("rejects text with a lone surrogate or a NUL, or returns valid UTF-8", async ({ owner }) => {
    for (const name of ["\\ud800", "a\\u0000b", "\\udfff\\ud800"]) {
      const answer = await patch(owner, `{"name":"${name}"}`);
      expect([200, 400]).toContain(answer.status);
      const seen = await owner.api.get(owner.home);
      expect(seen.text).toBe(Buffer.from(seen.text, "utf8").toString("utf8"));
      expect(() => new TextDecoder("utf8", { fatal: true }).decode(seen.bytes)).not.toThrow();
      expectOk(seen);
    }
  });

  test("ignores the body of a GET or DELETE", async ({ owner }) => {
    expectOk(await owner.api.get(owner.home, { body: "{", headers: JSON_TYPE }));
    const id = await newConnection(owner);
    expectOk(await owner.api.delete(`${owner.home}/connections/sources/${id}`, { body: "anything" }));
  });

  test("requires no content type for a POST without a body", async ({ owner }) => {
    const id = await sampleOf(owner);
    const path = `${owner.home}/connections/sources/${id}/test`;
    for (const ask of [{}, { json: {} }, { body: "", headers: JSON_TYPE }]) {
      expectOk(await owner.api.post(path, undefined, ask));
    }
    expectOk(await owner.api.post("/api/auth/logout", undefined, { body: "", headers: JSON_TYPE }));
  });
});

test.describe("unusual URLs", () => {
  test("answers a query parameter that is repeated, a list or an object without a failure", async ({ owner }) => {
    for (const query of [
      "limit=1&limit=2",
      "limit[]=1",
      "limit[$ne]=1",
      "cursor[]=x",
      "limit=1&limit=x",
      "__proto__=1",
      "limit=1;x",
      "%00=1",
      "=",
      "&&&",
    ]) {
      const answer = await owner.api.get(`${owner.home}/executions?${query}`);
      expect([query, [200, 400].includes(answer.status)]).toEqual([query, true]);
    }
  });

  test("treats an ID in capitals as the same or malformed, without a failure", async ({ owner }) => {
    const id = await sampleOf(owner);
    const answers = [
      await owner.api.get(`/api/workspaces/${owner.workspaceId.toUpperCase()}`),
      await owner.api.get(`${owner.home}/connectors/${id.toUpperCase()}`),
    ];
    for (const answer of answers) {
      expect([200, 400]).toContain(answer.status);
    }
    expect(answers[0]?.status).toBe(answers[1]?.status);
  });

  test("accepts an ID with percent-encoded letters", async ({ owner }) => {
    const encoded = [...owner.workspaceId].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    expectOk(await owner.api.get(`/api/workspaces/${encoded}`));
  });

  test("rejects letters that only look like hex digits, or are wide", async ({ owner }) => {
    const wide = owner.workspaceId.replace(/\d/, (digit) => String.fromCharCode(0xff10 + Number(digit)));
    expectError(await owner.api.get(`/api/workspaces/${encodeURIComponent(wide)}`), 400, "invalid_request");
    expectError(await owner.api.get(`/api/workspaces/${owner.workspaceId}%0a`), 400, "invalid_request");
    expectError(await owner.api.get(`/api/workspaces/%20${owner.workspaceId}`), 400, "invalid_request");
  });

  test("treats dots and slashes in a URL as ordinary characters", async ({ owner, stranger }) => {
    for (const path of [
      `${owner.home}/../${stranger.workspaceId}`,
      `${owner.home}/connectors/..%2f..%2f${stranger.workspaceId}`,
      `${owner.home}%2f..%2f${stranger.workspaceId}`,
    ]) {
      const answer = await owner.api.get(path);
      expect([400, 403, 404]).toContain(answer.status);
      expect(answer.text).not.toContain(stranger.email);
    }
  });
});

test.describe("concurrent requests", () => {
  test("T111 applies the same concurrent change completely each time", async ({ owner }) => {
    const names = Array.from({ length: 20 }, (_, n) => `Name ${n}`);
    const answers = await Promise.all(names.map((name) => owner.api.patch(owner.home, { name })));
    for (const answer of answers) expectOk(answer);
    expect(names).toContain((await owner.api.get(owner.home)).json.data.name);
  });

  test("answers a read during logout with data or 401", async ({ owner }) => {
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => owner.api.get(owner.home)),
      owner.api.post("/api/auth/logout"),
      ...Array.from({ length: 10 }, () => owner.api.get(owner.home)),
    ]);
    for (const { status } of answers) expect([200, 401]).toContain(status);
    expectError(await owner.api.get(owner.home), 401, "unauthenticated");
  });

  test("serves a hundred callers at once", async ({ anyone, reader }) => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 2 ? reader.api.get(reader.home) : anyone.get("/api/auth/me"))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(50);
  });
});

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
  test("requests in one packet are answered each, in their order", async ({ service, reader }) => {
    const received = await exchange(
      service,
      raw(null, "GET /api/health HTTP/1.1") +
        raw(reader, "GET /api/auth/me HTTP/1.1") +
        raw(null, "GET /api/auth/me HTTP/1.1") +
        raw(null, "GET /api/nothing HTTP/1.1", ["Connection: close"]),
    );
    expect(statuses(received)).toEqual([200, 200, 401, 404]);
  });

  test("a request whose length is said in two ways is refused, and what is hidden in it is not run", async ({
    service,
    owner,
  }) => {
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

  test("two Authorization headers never add up to more than one of them", async ({ service, owner }) => {
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

  test("a request without Host, or with rubbish for a first line, is 400", async ({ service }) => {
    for (const bytes of [
      "GET /api/health HTTP/1.1\r\n\r\n",
      "GET\r\n\r\n",
      "\u0016\u0003\u0001\r\n\r\n",
      "get /api/health HTTP/1.1\r\nHost: x\r\n\r\n",
    ]) {
      expect(statuses(await exchange(service, bytes, /\r\n\r\n/))[0]).toBe(400);
    }
  });

  test("HTTP/1.0 is served", async ({ service }) => {
    expect(await exchange(service, "GET /api/health HTTP/1.0\r\nHost: localhost\r\n\r\n")).toMatch(
      /^HTTP\/1\.[01] 200/,
    );
  });

  test("a full address in the first line sends nobody to another host", async ({ service }) => {
    const full = raw(null, "GET http://evil.example/api/health HTTP/1.1", ["Connection: close"]);
    expect([200, 400, 404]).toContain(statuses(await exchange(service, full))[0]);
  });

  test("verbs that HTTP knows and the service does not are refused in good order", async ({ service }) => {
    for (const verb of ["TRACE", "PROPFIND", "LINK", "PURGE", "SEARCH", "MKCOL", "QUERY"]) {
      const received = await exchange(service, raw(null, `${verb} /api/health HTTP/1.1`, ["Connection: close"]));
      expect([verb, [400, 405, 501].includes(statuses(received)[0] ?? 0)]).toEqual([verb, true]);
    }
  });

  test("an address or a header beyond all measure is refused, and the server goes on", async ({ service, anyone }) => {
    for (const bytes of [
      raw(null, `GET /api/${"x".repeat(140_000)} HTTP/1.1`),
      raw(null, "GET /api/health HTTP/1.1", [`X-Long: ${"x".repeat(140_000)}`]),
      raw(null, "GET /api/auth/me HTTP/1.1", [`Cookie: ${"a=b; ".repeat(30_000)}`]),
    ]) {
      expect([414, 431]).toContain(statuses(await exchange(service, bytes, /\r\n\r\n/))[0]);
    }
    expect((await anyone.get("/api/health")).status).toBe(200);
  });

  test("an address that is not well encoded is an answer in the envelope, not a failure", async ({
    anyone,
    reader,
  }) => {
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

  test("a large body that waits for leave is let in", async ({ service, owner }) => {
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

  test("uploads that break off in the middle leave the server as it was", async ({ service, owner, anyone }) => {
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

test.describe("headers that mean something elsewhere", () => {
  test("none of the framework's own headers passes a check", async ({ anyone, owner }) => {
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

  test("the header by which pages fetch their parts changes nothing on an API address", async ({ anyone, owner }) => {
    for (const headers of [{ rsc: "1" }, { rsc: "1", "next-router-state-tree": "x" }]) {
      expectError(await anyone.get(owner.home, { headers }), 401, "unauthenticated");
      expectOk(await owner.api.get(owner.home, { headers }));
      expectOk(await owner.api.patch(owner.home, { name: "Once" }, { headers }));
    }
  });

  test("a verb in a header, a field or the query is no verb", async ({ owner }) => {
    const headers = { "x-http-method-override": "DELETE", "x-http-method": "DELETE", "x-method-override": "DELETE" };
    expectOk(await owner.api.get(`${owner.home}?_method=DELETE`, { headers }));
    expectOk(await owner.api.patch(owner.home, { name: "Still here", _method: "DELETE" }, { headers }));
    expectOk(await owner.api.get(owner.home));
  });

  test("a part or a condition asked for is not taken for the whole: JSON answers are 200 and whole", async ({
    owner,
  }) => {
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

  test("an answer is compressed only when the caller takes it", async ({ owner }) => {
    expect((await owner.api.get(owner.home)).headers["content-encoding"]).toBeUndefined();
    const none = await owner.api.get(owner.home, { headers: { "accept-encoding": "identity" } });
    expect(none.headers["content-encoding"]).toBeUndefined();
    expectOk(none);
  });

  test("an Accept that wants something else still gets the envelope", async ({ owner, anyone }) => {
    for (const accept of ["text/html", "image/png", "x", ""]) {
      expectOk(await owner.api.get(owner.home, { headers: { accept } }));
      expectError(await anyone.get("/api/nothing", { headers: { accept } }), 404, "not_found");
    }
  });
});

test.describe("bodies of an unusual kind", () => {
  const patch = (owner: Person, body: string | Buffer, headers: Record<string, string> = {}) =>
    owner.api.patch(owner.home, undefined, { body, headers: { ...JSON_TYPE, ...headers } });

  test("T72 a compressed body is refused, and a small one that would be large is not unpacked", async ({ owner }) => {
    for (const body of [gzipSync('{"name":"Zipped"}'), gzipSync(`{"name":"${"x".repeat(30_000_000)}"}`)]) {
      const answer = await patch(owner, body, { "content-encoding": "gzip" });
      expect([400, 415]).toContain(answer.status);
      expectError(answer, answer.status);
    }
    expect((await owner.api.get(owner.home)).json.data.name).not.toBe("Zipped");
  });

  test("a body in another encoding than UTF-8 is refused, or never taken for other letters", async ({ owner }) => {
    const answer = await patch(owner, Buffer.from('{"name":"caf\u00e9"}', "latin1"), {
      "content-type": "application/json; charset=latin1",
    });
    expect([400, 415]).toContain(answer.status);
    const utf16 = await patch(owner, Buffer.from('{"name":"wide"}', "utf16le"), {
      "content-type": "application/json; charset=utf-16",
    });
    expect([400, 415]).toContain(utf16.status);
  });

  test("deep nesting, long lists, doubled keys and great numbers are read or refused", async ({ owner }) => {
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

  test("texts with a lone surrogate or a NUL are refused, or come back as valid UTF-8", async ({ owner }) => {
    for (const name of ["\\ud800", "a\\u0000b", "\\udfff\\ud800"]) {
      const answer = await patch(owner, `{"name":"${name}"}`);
      expect([200, 400]).toContain(answer.status);
      const seen = await owner.api.get(owner.home);
      expect(seen.text).toBe(Buffer.from(seen.text, "utf8").toString("utf8"));
      expect(() => new TextDecoder("utf8", { fatal: true }).decode(seen.bytes)).not.toThrow();
      expectOk(seen);
    }
  });

  test("a GET or a DELETE with a body is what it is without one", async ({ owner }) => {
    expectOk(await owner.api.get(owner.home, { body: "{", headers: JSON_TYPE }));
    const id = await newConnection(owner);
    expectOk(await owner.api.delete(`${owner.home}/connections/sources/${id}`, { body: "anything" }));
  });

  test("a POST that takes no body does not ask for a content type", async ({ owner }) => {
    const id = await sampleOf(owner);
    const path = `${owner.home}/connections/sources/${id}/test`;
    for (const ask of [{}, { json: {} }, { body: "", headers: JSON_TYPE }]) {
      expectOk(await owner.api.post(path, undefined, ask));
    }
    expectOk(await owner.api.post("/api/auth/logout", undefined, { body: "", headers: JSON_TYPE }));
  });
});

test.describe("addresses of an unusual kind", () => {
  test("a query field that comes twice, as a list or as an object is an answer, not a failure", async ({ owner }) => {
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

  test("an id in capitals is the id or malformed, never somebody else's or a failure", async ({ owner }) => {
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

  test("an id with its letters percent-encoded is the same id", async ({ owner }) => {
    const encoded = [...owner.workspaceId].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    expectOk(await owner.api.get(`/api/workspaces/${encoded}`));
  });

  test("letters that only look like hex digits, or are wide, are malformed", async ({ owner }) => {
    const wide = owner.workspaceId.replace(/\d/, (digit) => String.fromCharCode(0xff10 + Number(digit)));
    expectError(await owner.api.get(`/api/workspaces/${encodeURIComponent(wide)}`), 400, "invalid_request");
    expectError(await owner.api.get(`/api/workspaces/${owner.workspaceId}%0a`), 400, "invalid_request");
    expectError(await owner.api.get(`/api/workspaces/%20${owner.workspaceId}`), 400, "invalid_request");
  });

  test("dots and slashes in an address lead nowhere else", async ({ owner, stranger }) => {
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

test.describe("two at once", () => {
  test("T111 the same change sent at once is done whole each time, and the record stays whole", async ({ owner }) => {
    const names = Array.from({ length: 20 }, (_, n) => `Name ${n}`);
    const answers = await Promise.all(names.map((name) => owner.api.patch(owner.home, { name })));
    for (const answer of answers) expectOk(answer);
    expect(names).toContain((await owner.api.get(owner.home)).json.data.name);
  });

  test("a session that logs out while it reads gets an answer or 401, nothing between", async ({ owner }) => {
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => owner.api.get(owner.home)),
      owner.api.post("/api/auth/logout"),
      ...Array.from({ length: 10 }, () => owner.api.get(owner.home)),
    ]);
    for (const { status } of answers) expect([200, 401]).toContain(status);
    expectError(await owner.api.get(owner.home), 401, "unauthenticated");
  });

  test("a hundred callers at once are all served", async ({ anyone, reader }) => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 2 ? reader.api.get(reader.home) : anyone.get("/api/auth/me"))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(50);
  });
});

import { describe, expect, it } from "vitest";
import { refuseCrossSite } from "./csrf";

const PUBLIC_URL = "https://data.example.com";
const check = (headers: Record<string, string>) => () =>
  refuseCrossSite(new Headers({ host: "localhost:3000", ...headers }), PUBLIC_URL);

describe("refuseCrossSite (T13)", () => {
  it.each([
    ["no browser at all", {}],
    ["the page itself", { "sec-fetch-site": "same-origin" }],
    ["an address that the person typed", { "sec-fetch-site": "none" }],
    ["an older browser on the request's own host", { origin: "http://localhost:3000" }],
    ["an older browser on the public address", { origin: PUBLIC_URL }],
  ])("allows %s", (_, headers) => {
    expect(check(headers)).not.toThrow();
  });

  it.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["a neighbour under the same registrable domain", { "sec-fetch-site": "same-site" }],
    ["another origin in an older browser", { origin: "https://evil.example" }],
    ["a plain-http page of the public name", { origin: PUBLIC_URL.replace("https:", "http:") }],
    ["a sandboxed frame", { origin: "null" }],
    ["another port of the same host", { origin: "http://localhost:4000" }],
    ["a foreign site that claims our Origin", { "sec-fetch-site": "cross-site", origin: PUBLIC_URL }],
  ])("rejects %s", (_, headers) => {
    expect(check(headers)).toThrow(expect.objectContaining({ kind: "forbidden" }));
  });
});

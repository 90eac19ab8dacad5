import { afterAll, describe, expect, it } from "vitest";
import { commonHeaders } from "@/lib/platform/http/security-headers";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { PASSWORD } from "@/test/seed";

const PUBLIC_URL = "https://data.example.com";
process.env.PUBLIC_URL = PUBLIC_URL;
process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(() => own.drop());

const register = (headers = {}) =>
  call("POST", "/api/auth/register", { body: { email: `${Math.random()}@example.com`, password: PASSWORD }, headers });

describe("an installation on https", () => {
  it("sets cookies for https only, also when clearing them (T9)", async () => {
    const attributes = "Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure";
    const answer = await register();
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(`^auth_session=[\\w-]{43}; ${attributes}$`)]);
    const left = await call("POST", "/api/auth/logout");
    expect(left.headers.getSetCookie()).toEqual(["auth_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"]);
  });

  it("sends HSTS for a year, on responses and errors (T106)", async () => {
    for (const path of ["/api/health", "/api/auth/me", "/api/nothing"]) {
      expect((await call("GET", path)).headers.get("strict-transport-security")).toBe("max-age=31536000");
    }
    expect(commonHeaders("http://localhost:3000")).not.toHaveProperty("Strict-Transport-Security");
  });

  it("accepts writes from its own pages behind a proxy with another host name (T13)", async () => {
    expect((await register({ origin: PUBLIC_URL, host: "inner:3000" })).status).toBe(201);
    expect((await register({ origin: "https://inner:3000", host: "inner:3000" })).status).toBe(201);
    for (const origin of ["https://evil.example", "https://data.example.com.evil.example", "null", "file://", ""]) {
      expect([origin, (await register({ origin, host: "inner:3000" })).status]).toEqual([origin, 403]);
    }
  });
});

import { describe, expect, it } from "vitest";
import { parseConnectionString } from "@/lib/features/connections/browser/connection-string";

describe("a pasted connection string", () => {
  it("fills in all its parts", () => {
    expect(parseConnectionString(" postgres://reader:p%40ss@db.example.com:6432/shop?sslmode=verify-full ")).toEqual({
      host: "db.example.com",
      port: 6432,
      database: "shop",
      user: "reader",
      password: "p@ss",
      ssl: "verify-full",
    });
  });

  it("leaves missing parts unset", () => {
    expect(parseConnectionString("mysql://db.example.com")).toEqual({
      host: "db.example.com",
      port: null,
      database: null,
      user: null,
      password: null,
      ssl: null,
    });
  });

  it("reads IPv6 addresses without their brackets", () => {
    expect(parseConnectionString("postgres://[2001:db8::1]:5432/shop")).toMatchObject({
      host: "2001:db8::1",
      port: 5432,
    });
  });

  it("never weakens a stricter TLS option", () => {
    expect(parseConnectionString("mysql://h/d?ssl-mode=VERIFY_CA")?.ssl).toBe("verify-full");
    expect(parseConnectionString("postgres://h/d?sslmode=prefer")?.ssl).toBe("require");
  });

  it.each(["", "db.example.com:5432", "postgres://", "mongodb://a:1,b:2/x", "postgres://%zz:5432:1"])(
    "is null for %j, which names no single server",
    (text) => expect(parseConnectionString(text)).toBeNull(),
  );
});

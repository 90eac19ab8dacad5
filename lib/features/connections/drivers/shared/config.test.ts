import { expect, test } from "vitest";
import { parseMongoConfig } from "../mongodb/config";
import { parsePostgresConfig } from "../postgres/config";

test("omitted fields get the database's defaults", () => {
  expect(parsePostgresConfig({ host: "h", port: "", password: null })).toEqual({
    host: "h",
    port: 5432,
    database: "postgres",
    user: "postgres",
    password: "",
    ssl: "disable",
    options: {},
  });
});

test("parses a connection string and decodes its special characters", () => {
  expect(
    parsePostgresConfig({ connectionString: "postgres://u%40x:p%3A%2F@h.example:6543/d?sslmode=verify-ca" }),
  ).toEqual({
    host: "h.example",
    port: 6543,
    database: "d",
    user: "u@x",
    password: "p:/",
    ssl: "verify-full",
    options: {},
  });
  expect(parsePostgresConfig({ connectionString: "postgresql://[::1]/d" })).toMatchObject({ host: "::1", port: 5432 });
});

test("prefers the form's TLS setting over the connection string", () => {
  const config = { connectionString: "postgres://u:p@h/d?sslmode=disable", ssl: "verify-full" };
  expect(parsePostgresConfig(config).ssl).toBe("verify-full");
});

test.each([
  [{}, "config.host"],
  [{ host: "h", port: 70_000 }, "config.port"],
  [{ host: "h", ssl: "prefer" }, "config.ssl"],
  [{ host: "h", connectionString: "postgres://h/d" }, "config.host"],
  [{ host: "h", extra: 1 }, "config.extra"],
  [{ connectionString: "mysql://h/d" }, "config.connectionString"],
  [{ connectionString: "postgres://u:%zz@h/d" }, "config.connectionString"],
])("%j is rejected at its field", (config, path) => {
  const parse = () => parsePostgresConfig(config);
  expect(parse).toThrow(
    expect.objectContaining({ kind: "invalid_request", details: [expect.objectContaining({ path })] }),
  );
});

test("rebuilds a MongoDB URI with the authentication database", () => {
  expect(parseMongoConfig({ connectionString: "mongodb://u:p%40@a:1,b/shop?replicaSet=rs&TLS=true" })).toEqual({
    uri: "mongodb://u:p%40@a:1,b/?replicaSet=rs&tls=true&authSource=shop",
    hosts: [
      { host: "a", port: 1 },
      { host: "b", port: 27_017 },
    ],
    database: "shop",
    secrets: ["p@"],
  });
  expect(() => parseMongoConfig({ connectionString: "mongodb://h" })).toThrow(
    expect.objectContaining({ kind: "invalid_request" }),
  );
});

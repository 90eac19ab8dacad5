import { describe, expect, it } from "vitest";
import { toAddress } from "@/lib/features/connections/browser/connection-address";

describe("the address of a connection", () => {
  it("has host, port and database of a server", () => {
    expect(toAddress({ host: "db.example.com", port: 5432, database: "shop" })).toBe("db.example.com:5432/shop");
    expect(toAddress({ host: "db.example.com" })).toBe("db.example.com");
  });

  it("is the file's name, or the base URL without its scheme", () => {
    expect(toAddress({ file: "warehouse.duckdb" })).toBe("warehouse.duckdb");
    expect(toAddress({ baseUrl: "https://returns.example.com/v2/" })).toBe("returns.example.com/v2");
  });

  it("shows only the database next to an encrypted connection string", () => {
    expect(toAddress({ connectionString: { set: true }, database: "catalogue" })).toBe("catalogue");
    expect(toAddress({ connectionString: { set: true } })).toBe("");
  });
});

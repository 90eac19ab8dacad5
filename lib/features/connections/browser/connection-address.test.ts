import { describe, expect, it } from "vitest";
import { toAddress } from "@/lib/features/connections/browser/connection-address";

describe("where a connection leads", () => {
  it("is host, port and database of a server", () => {
    expect(toAddress({ host: "db.example.com", port: 5432, database: "shop" })).toBe("db.example.com:5432/shop");
    expect(toAddress({ host: "db.example.com" })).toBe("db.example.com");
  });

  it("is the file's name, or the base address without its scheme", () => {
    expect(toAddress({ file: "warehouse.duckdb" })).toBe("warehouse.duckdb");
    expect(toAddress({ baseUrl: "https://returns.example.com/v2/" })).toBe("returns.example.com/v2");
  });

  it("shows nothing of a sealed connection string but the database that stands beside it", () => {
    expect(toAddress({ connectionString: { set: true }, database: "catalogue" })).toBe("catalogue");
    expect(toAddress({ connectionString: { set: true } })).toBe("");
  });
});

import { expect, test } from "vitest";
import { fastestMs } from "@/test/processor-time";
import { checkPort, normalizeHost, parseWebTarget } from "./host";

test("accepts names and plain addresses, in one spelling", () => {
  expect(normalizeHost("DB.Example.com")).toBe("db.example.com");
  expect(normalizeHost("postgres")).toBe("postgres");
  expect(normalizeHost("xn--bcher-kva.example")).toBe("xn--bcher-kva.example");
  expect(normalizeHost("1and1.com")).toBe("1and1.com");
  expect(normalizeHost("10.0.0.1")).toBe("10.0.0.1");
  expect(normalizeHost("FD12:0::1")).toBe("fd12::1");
});

test.each([
  "", " ", ".", "a..b", "-a.example", "a-.example", "db.example.com.", "localhost.", "127.0.0.1.", "127.1", "0177.0.0.1", "0x7f.1", "0x7f000001",
  "0x", "2130706433", "example.0x1", "example.1", "①②⑦.0.0.1", "bücher.example", "127。0。0。1", "/var/run/postgresql", "%2Fvar%2Frun",
  "@abstract", "a,b", "db1.example.com,db2.example.com", "db:5432", "user@db", "[::1]", "fe80::1%eth0", "db example", "db\r\n", "db\u0000", "db;x",
  `${"a".repeat(64)}.example`, `${"a.".repeat(127)}example`,
])("T31 T43 refuses the host %j", (host) => {
  expect(() => normalizeHost(host)).toThrow(expect.objectContaining({ kind: "invalid_request", status: 400 }));
}); // biome-ignore format: a table

test.each([0, -1, 65_536, 1.5, Number.NaN])("refuses the port %d", (port) => {
  expect(() => checkPort(port)).toThrow(expect.objectContaining({ kind: "invalid_request" }));
});

test("parses a web address into the address to dial", () => {
  expect(parseWebTarget("https://Example.com/a?b=c")).toMatchObject({ host: "example.com", port: 443, isTls: true });
  expect(parseWebTarget("http://[2606:4700:0::1111]:8080/")).toMatchObject({
    host: "2606:4700::1111",
    port: 8080,
    isTls: false,
  });
  expect(parseWebTarget("http://2130706433/").host).toBe("127.0.0.1");
  expect(parseWebTarget("http://0x7f.1/").host).toBe("127.0.0.1");
  expect(parseWebTarget("http://①②⑦.0.0.1/").host).toBe("127.0.0.1");
  expect(parseWebTarget("http://bücher.example/").host).toBe("xn--bcher-kva.example");
});

test.each([
  "file:///etc/passwd", "gopher://example.com/", "ftp://example.com/", "data:text/plain,x", "javascript:alert(1)", "ws://example.com/", "blob:http://example.com/x",
  "https://user@example.com/", "https://user:pass@example.com/", "https://:pass@example.com/",
  "http://example.com:22/", "http://example.com:25/", "https://example.com:465/", "http://example.com:587/", "http://example.com:6379/", "http://example.com:11211/",
  "http://example.com/a\r\nX: y", "http://exa\nmple.com/", "http://exam\tple.com/", "\u0000http://example.com/", "http://example.com:0/", "http://example.com:65536/",
  "http://localhost./", "http://example.com./", "http://exa_mple.com/", "http:///", "http://", "//example.com/", "example.com", "", `http://example.com/${"a".repeat(9000)}`,
])("T36 refuses the web address %j", (address) => {
  expect(() => parseWebTarget(address)).toThrow(expect.objectContaining({ kind: "invalid_request", status: 400 }));
}); // biome-ignore format: a table

test("T105 checks hostile text in linear time", () => {
  for (const piece of ["a", "a.", "-", "0x", "1.", ":", "::", "%", "@", "http://", "[", "xn--", "\u0131"]) {
    const text = piece.repeat(100_000 / piece.length);
    const readers = [() => normalizeHost(text), () => parseWebTarget(text), () => parseWebTarget(`http://${text}/`)];
    for (const read of readers) expect(read).toThrow();
    for (const read of readers) expect(fastestMs(50, read), piece).toBeLessThan(50);
  }
});

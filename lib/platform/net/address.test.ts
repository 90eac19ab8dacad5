import fc from "fast-check";
import { expect, test } from "vitest";
import { type AddressClass, canonicalAddress, classifyAddress, isClassAllowed } from "./address";

const CLASSES: Record<AddressClass, string[]> = {
  public: ["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.255.255", "100.64.0.1", "fc00::1", "fdff::1"],
  loopback: ["127.0.0.1", "127.255.255.255", "::1"],
  forbidden: [
    "0.0.0.0", "169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "224.0.0.1", "255.255.255.255",
    "198.18.0.1", "192.0.2.1", "::", "::ffff:8.8.8.8", "::8.8.8.8", "64:ff9b::808:808", "2002:808:808::", "2001::1",
    "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42", "fe80::1", "fe80::1%eth0", "::1%lo", "ff02::1",
    "2001:db8::1", "4000::1", "localhost", "127.1", "2130706433", "",
  ],
}; // biome-ignore format: a table

for (const [expected, addresses] of Object.entries(CLASSES)) {
  test.each(addresses)(`T30 T32 %s is ${expected}`, (address) => {
    expect(classifyAddress(address)).toBe(expected);
  });
}

test("opens in each mode only what the setting promises", () => {
  const open = (mode: "none" | "databases" | "all") =>
    (["database", "http", "platform"] as const).flatMap((purpose) =>
      (["public", "private", "loopback", "forbidden"] as const)
        .filter((addressClass) => isClassAllowed(addressClass, purpose, mode))
        .map((addressClass) => `${purpose}:${addressClass}`),
    );
  const platform = ["platform:public", "platform:private", "platform:loopback"];
  expect(open("none")).toEqual(["database:public", "http:public", ...platform]);
  expect(open("databases")).toEqual([
    "database:public",
    "database:private",
    "database:loopback",
    "http:public",
    ...platform,
  ]);
  expect(open("all")).toEqual([
    "database:public", "database:private", "database:loopback", "http:public", "http:private", "http:loopback", ...platform,
  ]); // biome-ignore format: one purpose after the other
});

test("normalises each address to one spelling", () => {
  expect(canonicalAddress("2606:4700:0:0:0:0:0:1111")).toBe("2606:4700::1111");
  expect(canonicalAddress("FD12::0001")).toBe("fd12::1");
  expect(canonicalAddress("8.8.8.8")).toBe("8.8.8.8");
  expect(canonicalAddress("08.8.8.8")).toBeNull();
  expect(canonicalAddress("fe80::1%1")).toBeNull();
});

test("T32 blocks IPv4 addresses inside IPv6 addresses", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number];
      const high = ((a << 8) | b).toString(16);
      const low = ((c << 8) | d).toString(16);
      const forms = [
        `::ffff:${address}`,
        `::ffff:${high}:${low}`,
        `::ffff:0:${high}:${low}`,
        `64:ff9b::${high}:${low}`,
      ];
      forms.push(`64:ff9b:1::${high}:${low}`, `2002:${high}:${low}::1`, `2001:0:${high}:${low}::`);
      for (const form of forms) expect(classifyAddress(form), form).toBe("forbidden");
      // The oldest form shares its range with ::1.
      expect(classifyAddress(`::${high}:${low}`)).not.toMatch(/public|private/);
    }),
  );
});

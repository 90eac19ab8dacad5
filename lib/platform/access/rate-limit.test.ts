import { describe, expect, it } from "vitest";
import { addressSubject } from "./rate-limit";

describe("addresses that per-address limits count (T4, T109)", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["192.0.2.1:51234", "192.0.2.1"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::1]:443", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["::1", "::/64"],
    [null, "unknown"],
    ["", "unknown"],
    ["unknown", "unknown"],
    ["no address at all", "unknown"],
    ["x".repeat(10_000), "unknown"],
  ])("%s counts as %s", (address, subject) => {
    expect(addressSubject(address)).toBe(subject);
  });
});

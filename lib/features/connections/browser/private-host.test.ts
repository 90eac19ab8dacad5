import { expect, it } from "vitest";
import { isPrivateHost } from "./private-host";

it.each([
  ...["localhost", "db.localhost", "LOCALHOST.", "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.1", "192.168.0.9"],
  ...["100.64.0.1", "100.127.0.1", "::1", "fd12:3456::1", "postgres", "my_db-1", "db.internal", "nas.local", "pi.lan"],
])("calls %s private", (host) => expect(isPrivateHost(host)).toBe(true));

it.each([
  ...["", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.169.0.1", "2001:db8::1", "::"],
  ...["db.example.com", "localhost.example.com", "internal.example", "10.example.com", "127.1", "2130706433", "10.1.2"],
  ...["fe80::1", "10.0.0.0.1.2", "ab12:34::1", "a b"],
])("calls %s public", (host) => expect(isPrivateHost(host)).toBe(false));

import { expect, test } from "vitest";
import { nextLink } from "./link-header";

test.each([
  ['<https://a.example/x?page=2>; rel="next"', "https://a.example/x?page=2"],
  ['</x?page=1>; rel="prev", </x?page=3>; rel="next", </x?page=9>; rel="last"', "/x?page=3"],
  ["</x>; rel=next", "/x"],
  ['</x>; title="a, b"; rel="last next"', "/x"],
  ['</x,y>; REL="NEXT"', "/x,y"],
  ['</x>; rel="nextish"', null],
  ['</x>; rel="prev"', null],
  ["nonsense", null],
  ["", null],
  [null, null],
])("of %s is %s", (header, address) => {
  expect(nextLink(header)).toBe(address);
});

test("takes little time for a long header", () => {
  const before = process.threadCpuUsage();
  expect(nextLink(`${'<a>; rel="'.repeat(1600)}`)).toBeNull();
  expect(nextLink("<".repeat(200_000))).toBeNull();
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});

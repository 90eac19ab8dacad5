import { expect, it } from "vitest";
import { type PageAddress, WrittenAddress } from "./written-address";

const at = (search: string, path = "/w/a/activity"): PageAddress => ({ path, search });

it("is current until the router shows it, through the addresses in between", () => {
  const written = new WrittenAddress();
  written.write(at("kind=query"));
  written.write(at("kind=query&state=bad"));
  written.follow(at("kind=query"), at("kind=query&state=bad"));
  expect(written.read()).toEqual(at("kind=query&state=bad"));
  written.follow(at("kind=query&state=bad"), at("kind=query&state=bad"));
  expect(written.read()).toBeNull();
});

it("ends when a link or another page takes its place", () => {
  for (const other of [at("kind=flow"), at("kind=query", "/w/a/flows")]) {
    const written = new WrittenAddress();
    written.write(at("kind=query"));
    written.follow(other, other);
    expect(written.read()).toBeNull();
  }
});

it("notifies its listeners, until they leave", () => {
  const written = new WrittenAddress();
  let count = 0;
  const leave = written.subscribe(() => {
    count += 1;
  });
  written.write(at("a=1"));
  written.follow(at("a=1"), at("a=1"));
  written.follow(at("a=1"), at("a=1"));
  leave();
  written.write(at("a=2"));
  expect(count).toBe(2);
});

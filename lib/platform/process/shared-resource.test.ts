import { expect, test } from "vitest";
import { SharedResource } from "./shared-resource";

function shared(options: { closesWhenFree?: boolean; fails?: boolean } = {}) {
  const closed: string[] = [];
  const resource = new SharedResource("engine", {
    ...(options.closesWhenFree && { closesWhenFree: true }),
    close: async (name) => {
      closed.push(name);
      if (options.fails) throw new Error("stuck");
    },
  });
  return { resource, closed };
}

test("C4 closes when the last lease is released after it was retired", async () => {
  const { resource, closed } = shared();
  const [first, second] = [resource.lease(), resource.lease()];
  const over = resource.retire();
  await first.release();
  await first.release();
  expect([closed, resource.leaseCount]).toEqual([[], 1]);
  await second.release();
  await over;
  expect([closed, resource.leaseCount]).toEqual([["engine"], 0]);
});

test("C4 stays open without leases until it is retired", async () => {
  const { resource, closed } = shared();
  await resource.lease().release();
  expect(closed).toEqual([]);
  await resource.retire();
  await resource.retire();
  expect(closed).toEqual(["engine"]);
});

test("C4 closes with its last lease if no one has to retire it", async () => {
  const { resource, closed } = shared({ closesWhenFree: true });
  const [first, second] = [resource.lease(), resource.lease()];
  await first.release();
  expect(closed).toEqual([]);
  await second.release();
  expect(closed).toEqual(["engine"]);
});

test("C4 grants a lease while it is retired, and none while it closes", async () => {
  const { resource, closed } = shared();
  const first = resource.lease();
  void resource.retire();
  const second = resource.lease();
  await first.release();
  expect(closed).toEqual([]);
  await second.release();
  expect(resource.isClosing).toBe(true);
  expect(() => resource.lease()).toThrow("closing");
});

test("C4 reports a failed close to the last holder", async () => {
  const { resource } = shared({ fails: true });
  const lease = resource.lease();
  const over = resource.retire();
  await expect(lease.release()).rejects.toThrow("stuck");
  await expect(over).rejects.toThrow("stuck");
});

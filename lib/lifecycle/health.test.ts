import { beforeEach, expect, test, vi } from "vitest";
import { health, setHealthCheck } from "@/lib/lifecycle/health";
import { version } from "@/package.json";

const works = () => Promise.resolve();
const fails = () => Promise.reject(new Error("down"));

beforeEach(() => {
  setHealthCheck("mongo", works);
  setHealthCheck("jobs", works);
});

test("a healthy server says so, with its version and its parts", async () => {
  expect(await health()).toEqual({ status: "ok", version, mongo: "ok", jobs: "ok" });
});

test("the failing part is named", async () => {
  setHealthCheck("jobs", fails);
  expect(await health()).toEqual({ status: "unavailable", version, mongo: "ok", jobs: "failing", failing: "jobs" });
});

test("a part that does not answer within 2 s counts as failing", async () => {
  vi.useFakeTimers();
  setHealthCheck("mongo", () => new Promise(() => {}));
  const answer = health();
  await vi.advanceTimersByTimeAsync(2000);
  expect(await answer).toMatchObject({ status: "unavailable", failing: "mongo" });
  vi.useRealTimers();
});

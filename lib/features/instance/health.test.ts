import { beforeEach, expect, test, vi } from "vitest";
import { health, setHealthCheck } from "@/lib/features/instance/health";
import { version } from "@/package.json";

const works = () => Promise.resolve();
const fails = () => Promise.reject(new Error("down"));

beforeEach(() => {
  setHealthCheck("mongo", works);
  setHealthCheck("jobs", works);
  setHealthCheck("disk", works);
});

test("a healthy server says so, with its version and its parts", async () => {
  expect(await health()).toEqual({ status: "ok", version, mongo: "ok", jobs: "ok" });
});

test("the failing part is named", async () => {
  setHealthCheck("jobs", fails);
  expect(await health()).toEqual({
    status: "unavailable",
    version,
    mongo: "ok",
    jobs: "failing",
    failing: "jobs",
  });
});

test("a part that does not answer within 2 s counts as failing", async () => {
  vi.useFakeTimers();
  setHealthCheck("mongo", () => new Promise(() => {}));
  const answer = health();
  await vi.advanceTimersByTimeAsync(2000);
  expect(await answer).toMatchObject({ status: "unavailable", failing: "mongo" });
  vi.useRealTimers();
});

test("a part that answers late is taken at its last good word, for three seconds", async () => {
  vi.useFakeTimers();
  let answers: () => Promise<void> = works;
  setHealthCheck("mongo", () => answers());
  expect((await health()).status).toBe("ok");
  answers = () => new Promise(() => {});
  await vi.advanceTimersByTimeAsync(1500);
  const late = health();
  await vi.advanceTimersByTimeAsync(50);
  expect((await late).status).toBe("ok");
  await vi.advanceTimersByTimeAsync(2000);
  const overdue = health();
  await vi.advanceTimersByTimeAsync(2000);
  expect(await overdue).toMatchObject({ status: "unavailable", failing: "mongo" });
  vi.useRealTimers();
});

test("a thousand askers at once are one question to a part", async () => {
  const check = vi.fn(works);
  setHealthCheck("mongo", check);
  await Promise.all(Array.from({ length: 1000 }, health));
  expect(check).toHaveBeenCalledTimes(1);
});

test("a part that failed is asked again at once, so that its return is seen", async () => {
  setHealthCheck("mongo", vi.fn(works).mockRejectedValueOnce(new Error("down")));
  expect((await health()).status).toBe("unavailable");
  expect((await health()).status).toBe("ok");
});

test.each([
  [["disk"], "disk"],
  [["mongo"], "mongo"],
  [["jobs"], "jobs"],
  [["disk", "mongo"], "disk"],
  [["mongo", "jobs"], "mongo"],
  [["disk", "mongo", "jobs"], "disk"],
] as const)("C35 of the failing parts %j the one that is named is %s", async (failing, named) => {
  for (const part of failing) setHealthCheck(part, fails);
  const answer = await health();
  expect(answer).toMatchObject({ status: "unavailable", failing: named });
  for (const part of failing) expect(answer[part]).toBe("failing");
});

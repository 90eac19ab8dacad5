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

test("reports a healthy server with its version and components", async () => {
  expect(await health()).toEqual({ status: "ok", version, mongo: "ok", jobs: "ok" });
});

test("names the failing component", async () => {
  setHealthCheck("jobs", fails);
  expect(await health()).toEqual({
    status: "unavailable",
    version,
    mongo: "ok",
    jobs: "failing",
    failing: "jobs",
  });
});

test("counts a component that does not answer within 2 s as failing", async () => {
  vi.useFakeTimers();
  setHealthCheck("mongo", () => new Promise(() => {}));
  const answer = health();
  await vi.advanceTimersByTimeAsync(2000);
  expect(await answer).toMatchObject({ status: "unavailable", failing: "mongo" });
  vi.useRealTimers();
});

test("uses a slow component's last state for three seconds", async () => {
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

test("checks a component once for a thousand concurrent requests", async () => {
  const check = vi.fn(works);
  setHealthCheck("mongo", check);
  await Promise.all(Array.from({ length: 1000 }, health));
  expect(check).toHaveBeenCalledTimes(1);
});

test("checks a failed component again at once, to see its recovery", async () => {
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
] as const)("C35 of the failing components %j names %s", async (failing, named) => {
  for (const part of failing) setHealthCheck(part, fails);
  const answer = await health();
  expect(answer).toMatchObject({ status: "unavailable", failing: named });
  for (const part of failing) expect(answer[part]).toBe("failing");
});

import { RetryAfterError } from "inngest";
import { beforeEach, expect, it, vi } from "vitest";
import { PAUSES_MS } from "@/lib/platform/jobs/backoff";

const mocks = vi.hoisted(() => ({ isEmbedded: false, afterMs: null as number | null }));
vi.mock("@/lib/platform/jobs/runner", async (original) => ({
  ...(await original<typeof import("@/lib/platform/jobs/runner")>()),
  isEmbeddedRunner: () => mocks.isEmbedded,
}));
vi.mock("@/lib/features/notifications/deliver", () => ({
  deliver: async () => ({ state: "retry", error: "The receiver returned 503.", afterMs: mocks.afterMs }),
}));
const { deliverNotification } = await import("./deliver-notification");

type Runnable = { fn: (context: { attempt: number; event: { data: object }; step: object }) => Promise<unknown> };

/** Returns the error that one attempt throws. */
async function thrownAt(attempt: number): Promise<unknown> {
  const { fn } = deliverNotification as unknown as Runnable;
  return fn({ attempt, event: { data: {} }, step: {} }).catch((error: unknown) => error);
}

const seconds = (error: unknown) => Number((error as RetryAfterError).retryAfter);

beforeEach(() => {
  mocks.isEmbedded = false;
  mocks.afterMs = null;
});

it.each(PAUSES_MS.slice(0, 5).map((pauseMs, attempt) => [attempt, pauseMs / 1000]))(
  "C33 attempt %i tells an own Inngest server to retry after %i s, so that its restart loses no schedule",
  async (attempt, pause) => {
    const error = await thrownAt(attempt);
    expect(error).toBeInstanceOf(RetryAfterError);
    expect(seconds(error)).toBe(pause);
  },
);

it("C33 uses the receiver's own pause", async () => {
  mocks.afterMs = 120_000;
  expect(seconds(await thrownAt(0))).toBe(120);
});

it("C33 keeps the embedded executor's schedule", async () => {
  mocks.isEmbedded = true;
  expect(await thrownAt(0)).not.toBeInstanceOf(RetryAfterError);
});

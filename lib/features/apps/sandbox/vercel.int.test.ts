import { afterAll, beforeAll, expect, it } from "vitest";
import { env } from "@/lib/platform/env";
import { getSandbox } from ".";

beforeAll(() => void Object.assign(env(), { isVercel: true }));
afterAll(() => void Object.assign(env(), { isVercel: false }));

it("C31 refuses previews and builds of apps with a message on Vercel", async () => {
  expect(await getSandbox().availability()).toEqual({
    isAvailable: false,
    what: expect.stringContaining("require persistent processes"),
  });
});

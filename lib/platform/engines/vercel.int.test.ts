import { afterAll, beforeAll, expect, it } from "vitest";
import { askPictureProcess } from "@/lib/platform/engines/pictures/process";
import { env } from "@/lib/platform/env";
import { leaseEngine } from "./service";

beforeAll(() => void Object.assign(env(), { isVercel: true }));
afterAll(() => void Object.assign(env(), { isVercel: false }));

const REFUSED = { kind: "not_allowed", message: expect.stringContaining("require persistent processes") };

it.each(["duckdb", "sqlite", "memory"] as const)(
  "C31 refuses an engine of %s with a message on Vercel",
  async (kind) => {
    await expect(leaseEngine({ kind, path: "/x", readOnlyFile: true, trusted: true })).rejects.toMatchObject(REFUSED);
  },
);

it.each(["drawing", "thumbnails"] as const)(
  "C31 refuses the process for %s with a message on Vercel",
  async (entry) => {
    const request = {} as Parameters<typeof askPictureProcess>[1];
    await expect(askPictureProcess(entry, request)).rejects.toMatchObject(REFUSED);
  },
);

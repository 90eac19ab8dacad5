import "server-only";
import { headers } from "next/headers";
import { cache } from "react";
import { databaseReady } from "@/lib/platform/db/ready";
import { identify } from "./identity";
import type { Me } from "./schema";
import { getMe } from "./service";

/** Returns the user of a page and the workspaces that they can enter; null for a visitor. One look-up per page. */
export const getPageSession = cache(async (): Promise<Me | null> => {
  await databaseReady();
  // Only the cookie counts for a page: an Authorization header is for the API.
  const cookie = (await headers()).get("cookie");
  const identity = await identify(new Headers(cookie ? { cookie } : {}), { workspaceId: null });
  return identity && getMe(identity);
});

import "server-only";
import { databaseReady } from "@/lib/platform/db/ready";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { getOpenShareOrThrow } from "./service";

/** The page of a link; tokens are base64url, so any other characters are invalid. */
const PAGE = /^\/share\/([A-Za-z0-9_-]{1,100})\/?$/;

/**
 * Returns the origins that may embed a page in a frame: those of an active share, for the page of its link only. Empty
 * for everything else, and while the share cannot be looked up.
 */
export async function sitesThatFrame(pathname: string): Promise<readonly string[]> {
  const token = PAGE.exec(pathname)?.[1];
  if (token === undefined) return [];
  try {
    await databaseReady();
    const { embed, embedOrigins } = await getOpenShareOrThrow(token);
    return embed ? embedOrigins : [];
  } catch (error) {
    if (!(error instanceof AppError)) log.warn({ err: error }, "failed to read the allowed sites of a share");
    return [];
  }
}

import "server-only";
import { databaseReady } from "@/lib/platform/db/ready";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { getOpenShareOrThrow } from "./service";

/** The page of a link; a token is base64url, so one that is written in another way is none. */
const PAGE = /^\/share\/([A-Za-z0-9_-]{1,100})\/?$/;

/**
 * The origins whose pages may show a page of ours in a frame: those of an open share, for the page of its link alone. None for
 * everything else, and none while that cannot be known.
 */
export async function sitesThatFrame(pathname: string): Promise<readonly string[]> {
  const token = PAGE.exec(pathname)?.[1];
  if (token === undefined) return [];
  try {
    await databaseReady();
    const { embed, embedOrigins } = await getOpenShareOrThrow(token);
    return embed ? embedOrigins : [];
  } catch (error) {
    if (!(error instanceof AppError)) log.warn({ err: error }, "the sites of a share could not be read");
    return [];
  }
}

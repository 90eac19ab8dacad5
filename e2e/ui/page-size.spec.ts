import { gzipSync } from "node:zlib";
import type { APIRequestContext } from "@playwright/test";
import { expect, test } from "./fixtures";

/*
 * What a browser has to fetch and read before a page can be used. What is loaded later, in a quiet moment or when it is
 * asked for, is not in the document and not counted.
 */

const CONSOLE_BYTES_MAX = 330_000;
/** React and the framework's router, which no page does without, are 115 kB of it. */
const SIGN_IN_BYTES_MAX = 120_000;

/** Bytes on the line of all scripts that the document of an address asks a browser of today for. */
async function scriptBytesOf(request: APIRequestContext, address: string): Promise<number> {
  const html = await (await request.get(address)).text();
  const tags = [...html.matchAll(/<(?:script|link)\b[^>]*>/g)].map(([tag]) => tag);
  const paths = tags
    .filter((tag) => !/nomodule/i.test(tag))
    .flatMap((tag) => /(?:src|href)="([^"]+\.js(?:\?[^"]*)?)"/.exec(tag)?.[1] ?? []);
  expect(paths.length).toBeGreaterThan(3);
  let sum = 0;
  for (const path of new Set(paths)) {
    const answer = await request.get(path.replaceAll("&amp;", "&"));
    expect(answer.status(), path).toBe(200);
    const body = await answer.body();
    const { "content-encoding": coding, "content-length": length } = answer.headers();
    // What the build has compressed says its length.
    if (path.startsWith("/_next/") && body.length > 300) expect(coding, path).toBe("br");
    sum += coding === "gzip" ? gzipSync(body).length : Number(length);
  }
  return sum;
}

test("the scripts of the sign-in and of a console keep within their budgets", async ({
  playwright,
  baseURL,
  page,
  person,
}) => {
  const stranger = await playwright.request.newContext({ baseURL });
  expect(await scriptBytesOf(stranger, "/login")).toBeLessThan(SIGN_IN_BYTES_MAX);
  await stranger.dispose();
  await page.goto(`/w/${person.slug}`);
  await expect(page).toHaveURL(/\/consoles\//);
  expect(await scriptBytesOf(page.request, page.url())).toBeLessThan(CONSOLE_BYTES_MAX);
});

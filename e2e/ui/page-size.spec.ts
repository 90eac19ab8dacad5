import { gzipSync } from "node:zlib";
import type { APIRequestContext } from "@playwright/test";
import { expect, test } from "./fixtures";

/*
 * Measures the size of the files that a browser must load before a page is usable. Files that load later, in a quiet
 * moment or on demand, are not in the document and not counted.
 */

const CONSOLE_BYTES_MAX = 330_000;
/** 115 kB of it is React and the framework's router, which every page needs, and 6 kB are the form hook. */
const SIGN_IN_BYTES_MAX = 125_000;

/** Returns the transferred bytes of all scripts that the document of an address loads in a current browser. */
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
    // Precompressed files have a length.
    if (path.startsWith("/_next/") && body.length > 300) expect(coding, path).toBe("br");
    sum += coding === "gzip" ? gzipSync(body).length : Number(length);
  }
  return sum;
}

test("keeps the scripts of the sign-in and console pages within their budgets", async ({
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

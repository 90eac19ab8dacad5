import type { APIRequestContext, Page } from "@playwright/test";
import { expect, type Person } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

export type Made = { id: string; name: string };
/** A query that counts for longer than any test takes, and can be cancelled within one row. */
export const LONG = "select count(*) from range(100000000000) a";

/** Creates a console that can run, on the sample. */
export async function addRunnable(
  request: APIRequestContext,
  name: string,
  content: string,
  access = "workspace",
): Promise<Made> {
  const base = `/api/workspaces/${await workspaceIdOf(request)}`;
  const [{ id: connectionId }] = (await (await request.get(`${base}/connectors`)).json()).data;
  const answer = await request.post(`${base}/consoles`, { data: { name, content, connectionId, access } });
  expect(answer.status()).toBe(201);
  return (await answer.json()).data;
}

/**
 * Starts a background run, as another user would while the page is open. @param by the user who starts it; default: the
 * page's user
 */
export async function startRun(request: APIRequestContext, consoleId: string, by = request): Promise<string> {
  const base = `/api/workspaces/${await workspaceIdOf(request)}`;
  const answer = await by.post(`${base}/consoles/${consoleId}/schedule/run`, { data: {} });
  expect(answer.status()).toBe(202);
  return (await answer.json()).data.run.id;
}

/** Starts a run and waits until it has finished. */
export async function runToEnd(request: APIRequestContext, consoleId: string, by = request): Promise<string> {
  const base = `/api/workspaces/${await workspaceIdOf(request)}`;
  const runId = await startRun(request, consoleId, by);
  const status = async () =>
    (await (await request.get(`${base}/consoles/${consoleId}/runs/${runId}`)).json()).data.status;
  await expect.poll(status, { timeout: 20_000 }).toMatch(/success|failure/);
  return runId;
}

type Channel = { channelType: "email"; recipients: string[] } | { channelType: "webhook"; url: string };

export async function addRule(
  request: APIRequestContext,
  consoleId: string,
  triggers: string[],
  channel: Channel,
): Promise<string> {
  const url = `/api/workspaces/${await workspaceIdOf(request)}/notification-rules`;
  const data = { resourceType: "scheduled_query", resourceId: consoleId, triggers, ...channel };
  const answer = await request.post(url, { data });
  expect(answer.status()).toBe(201);
  return (await answer.json()).data.id;
}

export function schedulePath(person: Person, consoleId: string): string {
  return `/w/${person.slug}/consoles/${consoleId}/schedule`;
}

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
}

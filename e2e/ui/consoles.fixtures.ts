import type { APIRequestContext, Page } from "@playwright/test";
import { expect } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

export type SavedConsole = { id: string; name: string; content: string; version: number };

const url = async (request: APIRequestContext) => `/api/workspaces/${await workspaceIdOf(request)}/consoles`;

/** Saves a console through the API, as another user would while the page is open. */
export async function addConsole(
  request: APIRequestContext,
  body: {
    name: string;
    content: string;
    access?: "private" | "workspace";
    folderId?: string;
    chart?: object;
    connectionId?: string;
  },
): Promise<SavedConsole> {
  const answer = await request.post(await url(request), { data: body });
  expect(answer.status()).toBe(201);
  return (await answer.json()).data;
}

/** Saves a text over the current version of a console. @param by the user who saves; default: the page's user */
export async function saveOver(
  request: APIRequestContext,
  id: string,
  content: string,
  by = request,
): Promise<SavedConsole> {
  const base = await url(request);
  const { version } = (await (await request.get(`${base}/${id}`)).json()).data;
  const answer = await by.put(`${base}/${id}`, { data: { version, content } });
  expect(answer.status()).toBe(200);
  return (await answer.json()).data;
}

export async function readConsole(
  request: APIRequestContext,
  id: string,
): Promise<(SavedConsole & { access: string; path: string; chart: unknown; connectionId: string | null }) | undefined> {
  return (await (await request.get(`${await url(request)}/${id}`)).json()).data;
}

export async function readDraft(request: APIRequestContext, id: string): Promise<{ content: string } | null> {
  return (await (await request.get(`${await url(request)}/${id}/draft`)).json()).data;
}

export async function readHistory(request: APIRequestContext, id: string): Promise<{ sha: string; subject: string }[]> {
  return (await (await request.get(`${await url(request)}/${id}/git/history`)).json()).data.items;
}

/** Returns the id of the console in the address. */
export function shownId(page: Page): string {
  const id = /\/consoles\/([0-9a-f]{24})/.exec(page.url())?.[1];
  if (id === undefined) throw new Error(`No saved console is shown: ${page.url()}`);
  return id;
}

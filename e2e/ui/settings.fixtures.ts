import type { APIRequestContext, Browser, Page } from "@playwright/test";
import { expect, newEmail, PASSWORD, type Person } from "./fixtures";

export type Role = "owner" | "admin" | "member";
export type Teammate = { email: string; name: string; page: Page; request: APIRequestContext };

/** Returns the id of the user's workspace. */
export async function workspaceIdOf(request: APIRequestContext): Promise<string> {
  const answer = await request.get("/api/workspaces");
  return (await answer.json()).data[0].id;
}

/** Invites an address and returns the token of its link. */
export async function invite(request: APIRequestContext, email: string, role: Role): Promise<string> {
  const wid = await workspaceIdOf(request);
  const answer = await request.post(`/api/workspaces/${wid}/invites`, { data: { email, role } });
  expect(answer.status()).toBe(201);
  return (await answer.json()).data.link.split("/").pop();
}

/** Adds a teammate, in another browser context, to the owner's workspace. */
export async function join(browser: Browser, owner: Page, role: Role, name = "Jun Abe"): Promise<Teammate> {
  const email = newEmail();
  const context = await browser.newContext();
  const registered = await context.request.post("/api/auth/register", { data: { email, password: PASSWORD, name } });
  expect(registered.status()).toBe(201);
  const token = await invite(owner.request, email, role);
  const accepted = await context.request.post(`/api/invites/${token}/accept`, { data: {} });
  expect(accepted.status()).toBe(200);
  return { email, name, page: await context.newPage(), request: context.request };
}

export function settings(person: Person, section: string): string {
  return `/w/${person.slug}/settings/${section}`;
}

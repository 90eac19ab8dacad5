import type { APIRequestContext } from "@playwright/test";
import { expect } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

export type SavedDashboard = {
  id: string;
  title: string;
  version: number;
  widgets: { id: string; kind: string; title: string; source: unknown; spec: Record<string, unknown>; layout: { x: number; y: number; w: number; h: number } }[];
  datasets: { id: string; name: string; maxAgeS: number | null }[];
  filters: { id: string; kind: string; field: string; default: unknown }[];
}; // biome-ignore format: one look

const url = async (request: APIRequestContext) => `/api/workspaces/${await workspaceIdOf(request)}`;

/** Returns the connection of the sample shop. */
export async function sampleConnection(request: APIRequestContext): Promise<string> {
  const answer = await request.get(`${await url(request)}/connectors`);
  return (await answer.json()).data[0].id;
}

/** Creates a dashboard through the API. */
export async function addDashboard(request: APIRequestContext, body: Record<string, unknown>): Promise<SavedDashboard> {
  const answer = await request.post(`${await url(request)}/dashboards`, { data: body });
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()).data;
}

export async function readDashboard(request: APIRequestContext, id: string): Promise<SavedDashboard> {
  return (await (await request.get(`${await url(request)}/dashboards/${id}`)).json()).data;
}

/** Saves over the current version, as another user would while the page is open. */
export async function saveDashboard(
  request: APIRequestContext,
  id: string,
  body: Record<string, unknown>,
): Promise<SavedDashboard> {
  const { version } = await readDashboard(request, id);
  const answer = await request.put(`${await url(request)}/dashboards/${id}`, { data: { version, ...body } });
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()).data;
}

import { type Answer, type Credentials, call } from "@/test/client";
import type { Dashboard } from "../schema";

/** One person's way to a workspace's dashboards, through the interface. */
export type DashboardAuthor = {
  send: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Makes a dashboard and gives it back. */
  make: (title: string, more?: Record<string, unknown>) => Promise<Dashboard>;
  makeFolder: (name: string, more?: Record<string, unknown>) => Promise<{ id: string; path: string; access: string }>;
};

export function authorOf(caller: Credentials, workspaceId: string): DashboardAuthor {
  const send: DashboardAuthor["send"] = (method, path, body) =>
    call(method, `/api/workspaces/${workspaceId}/dashboards${path}`, { ...caller, body });
  return {
    send,
    make: async (title, more) => made(await send("POST", "", { title, ...more })),
    makeFolder: async (name, more) => made(await send("POST", "/folders", { name, ...more })),
  };
}

function made<T>(answer: Answer): T {
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.data;
}

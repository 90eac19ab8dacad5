import { type Answer, type Credentials, call } from "@/test/client";
import type { App, AppStatus, TreeItem } from "../schema";

/** One person's way to a workspace's apps, through the interface. */
export type AppAuthor = {
  send: (method: string, path: string, body?: unknown) => Promise<Answer>;
  make: (title: string, more?: Record<string, unknown>) => Promise<App>;
  /** Writes a file as bytes. */
  write: (app: App, path: string, content: string | Uint8Array, oid?: string) => Promise<Answer>;
  remove: (app: App, path: string, oid?: string) => Promise<Answer>;
  read: (app: App, path: string) => Promise<Answer>;
  tree: (app: App) => Promise<TreeItem[]>;
  commit: (app: App, message?: string) => Promise<Answer>;
  status: (app: App) => Promise<AppStatus>;
};

export function authorOf(caller: Credentials, workspaceId: string): AppAuthor {
  const base = `/api/workspaces/${workspaceId}/apps`;
  const send: AppAuthor["send"] = (method, path, body) => call(method, base + path, { ...caller, body });
  const fileOf = ({ id }: App, path: string, oid?: string) =>
    `/${id}/files?${new URLSearchParams({ path, ...(oid !== undefined && { oid }) })}`;
  return {
    send,
    make: async (title, more) => {
      const answer = await send("POST", "", { title, ...more });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.json.data;
    },
    write: (app, path, content, oid) =>
      call("PUT", base + fileOf(app, path, oid), {
        ...caller,
        rawBody: content as BodyInit,
        headers: { "content-type": "application/octet-stream" },
      }),
    remove: (app, path, oid) => send("DELETE", fileOf(app, path, oid)),
    read: (app, path) => send("GET", fileOf(app, path)),
    tree: async ({ id }) => (await send("GET", `/${id}/files`)).json.data,
    commit: ({ id }, message = "Save") => send("POST", `/${id}/commit`, { message }),
    status: async ({ id }) => (await send("GET", `/${id}/status`)).json.data,
  };
}

import { type Answer, type Credentials, call } from "@/test/client";

/** One person's way to a workspace's consoles, through the interface. */
export type ConsoleAuthor = {
  send: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Makes a console and gives it back; the text is "select 1" unless told. */
  make: (name: string, more?: Record<string, unknown>) => Promise<SavedConsole>;
  makeFolder: (name: string, more?: Record<string, unknown>) => Promise<{ id: string; path: string; access: string }>;
  save: (id: string, body: Record<string, unknown>) => Promise<Answer>;
  /** Status, path and subject of its commits, newest first. */
  story: (id: string) => Promise<string[]>;
};
export type SavedConsole = {
  id: string;
  version: number;
  path: string;
  name: string;
  content: string;
  folderId: string | null;
};

export function authorOf(caller: Credentials, workspaceId: string): ConsoleAuthor {
  const send: ConsoleAuthor["send"] = (method, path, body) =>
    call(method, `/api/workspaces/${workspaceId}/consoles${path}`, { ...caller, body });
  return {
    send,
    make: async (name, more) => made(await send("POST", "", { name, content: "select 1", ...more })),
    makeFolder: async (name, more) => made(await send("POST", "/folders", { name, ...more })),
    save: (id, body) => send("PUT", `/${id}`, body),
    story: async (id) => {
      const { json } = await send("GET", `/${id}/git/history`);
      const lines: string[] = [];
      for (const { sha, subject } of json.data.items) {
        const commit = await send("GET", `/${id}/git/commit?sha=${sha}`);
        lines.push(`${commit.json.data.files[0].status} ${commit.json.data.files[0].path}: ${subject}`);
      }
      return lines;
    },
  };
}

function made<T>(answer: Answer): T {
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.data;
}

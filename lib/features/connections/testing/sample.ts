import { call } from "@/test/client";

/** The connection to the sample shop, which a workspace has from its start on. */
export async function sampleIdOf(workspaceId: string, { cookie }: { cookie: string }): Promise<string> {
  return (await call("GET", `/api/workspaces/${workspaceId}/connectors`, { cookie })).json.data[0].id;
}

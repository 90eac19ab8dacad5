import { ObjectId } from "mongodb";
import { call } from "@/test/client";
import type { Person } from "@/test/seed";

/**
 * Adds a connection to a DuckDB file of somebody's workspace, which may be written.
 * @param name of the connection and its file; one of its own unless told
 * @returns its id
 */
export async function connectFile(
  { workspaceId, cookie }: Pick<Person, "workspaceId" | "cookie">,
  name = new ObjectId().toHexString(),
): Promise<string> {
  const body = { name, type: "duckdb", config: { file: `${name}.duckdb` }, readOnly: false };
  const answer = await call("POST", `/api/workspaces/${workspaceId}/connectors`, { cookie, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.data.id;
}

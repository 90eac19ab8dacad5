import { ObjectId } from "mongodb";
import type { RunDoc } from "@/lib/features/runs/model";
import { beginRun, finishRun, queueRun, type RunEnd } from "@/lib/features/runs/service";
import { call } from "@/test/client";
import type { Person } from "@/test/seed";

/** Runs a console to its end, as a schedule would. */
export async function endRun(
  where: { workspaceId: string; consoleId: string },
  end: RunEnd = { status: "success", rowCount: 3 },
  resourceName = "Daily revenue",
): Promise<RunDoc> {
  const workspaceId = new ObjectId(where.workspaceId);
  const { run } = await queueRun({
    workspaceId,
    resourceType: "scheduled_query",
    resourceId: new ObjectId(where.consoleId),
    resourceName,
    triggerType: "scheduled",
    triggeredBy: null,
  });
  const begun = await beginRun(workspaceId, run._id);
  const ended = begun && (await finishRun(begun.hold, end));
  if (!ended) throw new Error("The run could not be ended.");
  return ended;
}

/** A console that the whole workspace sees. */
export async function addConsole(
  person: Person,
  name = `Console ${new ObjectId().toHexString()}`,
  access = "workspace",
): Promise<string> {
  const body = { name, content: "select 1", access };
  const answer = await call("POST", `/api/workspaces/${person.workspaceId}/consoles`, { cookie: person.cookie, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.data.id;
}

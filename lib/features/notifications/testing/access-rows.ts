import { consoleAccess } from "@/lib/features/consoles/testing/access-rows";
import { type AccessRows, MEMBER } from "@/test/access-rows";
import { call } from "@/test/client";
import type { World } from "@/test/seed";
import { takeJobEvents } from "./clock";
import { endRun } from "./ended-run";

/** Owners, admins and every key, whatever its creator's role is now. */
const RULE_KEEPERS = "401 401 403 200 200 200 200 403 401 403 403";
const CREATED_BY_RULE_KEEPERS = "401 401 403 201 201 201 201 403 401 403 403";

let seeded: Awaited<ReturnType<typeof seed>>;
const consoleIdOf = (world: World) => consoleAccess.ids?.consoleId?.(world) ?? "";
const otherConsoleIdOf = (world: World) => consoleAccess.foreignIds?.consoleId?.(world) ?? "";

async function seed(world: World) {
  const { workspaceId, otherWorkspaceId, people } = world;
  const addRule = async (home: string, { cookie }: { cookie?: string }, resourceId: string) => {
    const channel = { channelType: "email", recipients: ["b@example.com"] };
    const body = { resourceType: "scheduled_query", resourceId, triggers: ["success"], ...channel };
    const url = `/api/workspaces/${home}/notification-rules`;
    return (await call("POST", url, { ...(cookie && { cookie }), body })).json.data.id as string;
  };
  const told = async (home: string, person: { cookie?: string }, consoleId: string) => {
    const ruleId = await addRule(home, person, consoleId);
    const clock = takeJobEvents();
    await endRun({ workspaceId: home, consoleId });
    await clock.drain();
    const url = `/api/workspaces/${home}/notifications/deliveries`;
    const found = await call("GET", url, { ...(person.cookie && { cookie: person.cookie }) });
    return { ruleId, deliveryId: found.json.data.items[0].id as string };
  };
  return {
    ours: await told(workspaceId, people.owner, consoleIdOf(world)),
    theirs: await told(otherWorkspaceId, people.stranger, otherConsoleIdOf(world)),
    spareRuleId: await addRule(workspaceId, people.owner, consoleIdOf(world)),
  };
}

const ofConsole = (world: World) => ({ resourceType: "scheduled_query", resourceId: consoleIdOf(world) });
const ofConsoleQuery = (world: World) => `?${new URLSearchParams(ofConsole(world))}`;
const emailRule = (world: World) => ({
  ...ofConsole(world),
  triggers: ["failure"],
  channelType: "email",
  recipients: ["a@example.com"],
});

/** Behind the consoles, which they are about. */
export const notificationAccess: AccessRows = {
  async seed(world) {
    seeded = await seed(world);
  },
  ids: { ruleId: () => seeded.ours.ruleId, deliveryId: () => seeded.ours.deliveryId },
  foreignIds: { ruleId: () => seeded.theirs.ruleId, deliveryId: () => seeded.theirs.deliveryId },
  rows: {
    "GET /api/workspaces/{workspaceId}/notification-rules": { statuses: MEMBER, query: ofConsoleQuery },
    "POST /api/workspaces/{workspaceId}/notification-rules": { statuses: CREATED_BY_RULE_KEEPERS, body: emailRule },
    "PATCH /api/workspaces/{workspaceId}/notification-rules/{ruleId}": {
      statuses: RULE_KEEPERS,
      body: () => ({ enabled: false }),
    },
    "DELETE /api/workspaces/{workspaceId}/notification-rules/{ruleId}": {
      // The first who may, does; for the others it is gone.
      statuses: "401 401 403 200 404 404 404 403 401 403 403",
      ids: () => ({ ruleId: seeded.spareRuleId }),
    },
    "POST /api/workspaces/{workspaceId}/notification-rules/test": { statuses: RULE_KEEPERS, body: emailRule },
    "GET /api/workspaces/{workspaceId}/notification-rules/deliveries": { statuses: MEMBER, query: ofConsoleQuery },
    "GET /api/workspaces/{workspaceId}/notification-rules/deliveries/{deliveryId}": { statuses: MEMBER },
    // It has not failed.
    "POST /api/workspaces/{workspaceId}/notification-rules/deliveries/{deliveryId}/resend": {
      statuses: "401 401 403 409 409 409 409 403 401 403 403",
    },
    "GET /api/workspaces/{workspaceId}/notifications/rules": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/notifications/deliveries": { statuses: MEMBER },
  },
};

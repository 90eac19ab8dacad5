import { describe, expect, it } from "vitest";
import { TOOLS } from "@/lib/features/agent/tools/registry";
import { endpoints } from "@/test/security/routes";

/* Each write operation of the API has an agent tool, or a reason why it has none. */

const HOME = "/api/workspaces/{workspaceId}";

/** Operations by the tool that does the same. */
const BY_TOOL: Record<string, readonly string[]> = {
  save_console: [`POST ${HOME}/consoles`, `PUT ${HOME}/consoles/{consoleId}`],
  create_flow: [`POST ${HOME}/flows`],
  trigger_flow: [`POST ${HOME}/flows/{flowId}/runs`],
  save_metric: [`PUT ${HOME}/metrics/{metricName}`],
  save_dashboard: [`POST ${HOME}/dashboards`, `PUT ${HOME}/dashboards/{dashboardId}`],
  set_schedule: [
    `PUT ${HOME}/consoles/{consoleId}/schedule`,
    `DELETE ${HOME}/consoles/{consoleId}/schedule`,
    `PUT ${HOME}/dashboards/{dashboardId}/schedule`,
    `DELETE ${HOME}/dashboards/{dashboardId}/schedule`,
    `PATCH ${HOME}/flows/{flowId}`,
  ],
  save_app: [`POST ${HOME}/apps`, `PATCH ${HOME}/apps/{appId}`],
  save_folder: [
    `POST ${HOME}/consoles/folders`,
    `PATCH ${HOME}/consoles/folders/{folderId}`,
    `POST ${HOME}/dashboards/folders`,
    `PATCH ${HOME}/dashboards/folders/{dashboardFolderId}`,
  ],
  delete_item: [
    `DELETE ${HOME}/apps/{appId}`,
    `DELETE ${HOME}/consoles/folders/{folderId}`,
    `DELETE ${HOME}/dashboards/folders/{dashboardFolderId}`,
  ],
  save_rule: [`POST ${HOME}/notification-rules`, `PATCH ${HOME}/notification-rules/{ruleId}`],
};

/** Reasons for no tool. Each pattern matches the name of an operation. */
const EXCLUDED: Record<string, readonly RegExp[]> = {
  "a person's own account, preferences, drafts and chats": [
    /\/api\/auth\//,
    /\/api\/me\/preferences/,
    /\/consoles\/\{consoleId\}\/draft/,
    /\/dashboards\/\{dashboardId\}\/draft/,
    /\/chats/,
    /\/favorite/,
    /POST \/api\/invites\//,
  ],
  "decides what people and the agent may do": [
    /\/api\/agent\//,
    /\/agent\/instructions/,
    /\/api-keys/,
    /\/connected-apps/,
    /\/api\/oauth\//,
    /\/members\//,
    /\{workspaceId\}\/invites/,
    /^(?:POST \/api\/workspaces|PATCH \/api\/workspaces\/\{workspaceId\}|DELETE \/api\/workspaces\/\{workspaceId\})$/,
    /\/share$/,
  ],
  "takes credentials": [/\/connectors/, /\/connections\/sources\//, /\/apps-v2\/link/],
  "for programs, visitors of shares and app previews": [
    /\/api\/inngest/,
    /\/api\/webhooks\//,
    /\/api\/repohost\//,
    /\/api\/share\//,
    /\/api\/apps\/dev\//,
    /\/flows\/\{flowId\}\/webhook\//,
  ],
  "a person confirms it": [
    /\/rows\/changes$/,
    /\/reviews\//,
    /\/sessions/,
    /DELETE .*\/(?:consoles|flows|metrics|dashboards|apps|files|notification-rules)\//,
  ],
  "takes a file from a person": [/\/imports(?:$|\/)/, /\/imported-tables\//],
  "undoes or repeats a change of a person": [
    /\/restore$/,
    /\/duplicate$/,
    /\/cancel$/,
    /\/resend$/,
    /\/test$/,
    /\/preview$/,
    /\/import$/,
  ],
  "no tool yet": [
    /\/dashboards\/\{dashboardId\}\/(?:refresh|snapshots)/,
    /\/apps(?:-v2)?\//,
    /POST .*\/schedule\/run$/,
    /\/files$/,
    /\/flows\/preview$/,
  ],
};

const writes = endpoints.filter(({ method, definition }) => method !== "GET" && !definition.isRead);
const named = new Set(Object.values(BY_TOOL).flat());
const patterns = Object.values(EXCLUDED).flat();

describe("the write operations of the API", () => {
  it("each have an agent tool or a stated exclusion", () => {
    const open = writes.filter(({ name }) => !named.has(name) && !patterns.some((pattern) => pattern.test(name)));
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it("exist for each entry", () => {
    const names = new Set(writes.map(({ name }) => name));
    expect([...named].filter((name) => !names.has(name))).toEqual([]);
    expect(patterns.filter((pattern) => ![...names].some((name) => pattern.test(name)))).toEqual([]);
  });

  it("are those of the tools that write", () => {
    const tools = TOOLS.filter(({ writes: grant }) => grant !== null).map(({ name }) => name);
    expect(Object.keys(BY_TOOL).sort()).toEqual(tools.sort());
  });
});

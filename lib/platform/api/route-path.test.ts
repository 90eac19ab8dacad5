import { describe, expect, it } from "vitest";
import { toRoutePath } from "./route-path";

const W = "65f0aa00112233445566aabb";

describe("C49 a route's path as a label", () => {
  it.each<[string, unknown, string]>([
    ["http://x/api/health", undefined, "/api/health"],
    ["http://x/api/health/?a=1", {}, "/api/health"],
    [`http://x/api/workspaces/${W}/flows`, { workspaceId: W }, "/api/workspaces/{workspaceId}/flows"],
    [
      `http://x/api/workspaces/${W}/flows/${W}`,
      { workspaceId: W, flowId: W },
      "/api/workspaces/{workspaceId}/flows/{flowId}",
    ],
    ["http://x/api/workspaces/%61bc/flows", { workspaceId: "abc" }, "/api/workspaces/{workspaceId}/flows"],
    ["http://x/api/workspaces/abc/flows", { workspaceId: "%61bc" }, "/api/workspaces/{workspaceId}/flows"],
    ["http://x/api/workspaces/a%20b/flows", { workspaceId: "a b" }, "/api/workspaces/{workspaceId}/flows"],
    ["http://x/api/apps/view/t/a/b.js", { token: "t", path: ["a", "b.js"] }, "/api/apps/view/{token}/{path}"],
    ["http://x/api/workspaces/%E0%A4/flows", { workspaceId: "%E0%A4" }, "/api/workspaces/{workspaceId}/flows"],
    ["http://x/api/workspaces/abc/flows", { workspaceId: "def" }, "other"],
  ])("C49 %s with %j is %s", (url, params, expected) => {
    expect(toRoutePath(url, params)).toBe(expected);
  });
});

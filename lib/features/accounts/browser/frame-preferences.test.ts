import { describe, expect, it } from "vitest";
import {
  clampAgent,
  clampExplorer,
  FRAME_DEFAULTS,
  isBesideWork,
  parseFramePreferences,
} from "@/lib/features/accounts/browser/frame-preferences";

describe("parseFramePreferences", () => {
  it("returns defaults for missing, malformed and invalid values", () => {
    for (const text of [null, "", "{", "null", "7", '{"theme":"pink","density":"tall","explorerWidth":"wide"}']) {
      expect(parseFramePreferences(text)).toEqual(FRAME_DEFAULTS);
    }
  });

  it("keeps the stored choices", () => {
    const kept = {
      theme: "dark",
      density: "roomy",
      digits: "plain",
      times: "utc",
      wrapLines: true,
      areLettersOn: false,
      explorerOpen: false,
      explorerWidth: 300,
      agentBesideWork: false,
      agentElsewhere: true,
      agentWidth: 500,
    };
    expect(parseFramePreferences(JSON.stringify(kept))).toEqual(kept);
  });

  it("opens the agent beside the right pages by default", () => {
    const beside = ["/w/a", "/w/a/", "/w/a/consoles/1", "/w/a/consoles/1/history", "/w/a/flows", "/w/a/flows/1/runs/2"];
    const others = ["/w/a/connections", "/w/a/settings/agent", "/w/a/activity", "/w/a/flowsheets", "/login"];
    expect(beside.filter((path) => !isBesideWork(path))).toEqual([]);
    expect(others.filter(isBesideWork)).toEqual([]);
  });

  it("limits the widths of explorer and agent", () => {
    expect([0, 200.4, 9999].map(clampExplorer)).toEqual([200, 200, 420]);
    expect([0, 400.4, 9999].map(clampAgent)).toEqual([320, 400, 640]);
  });
});

import { describe, expect, it } from "vitest";
import { clampAgent, clampExplorer, FRAME_DEFAULTS, parseFramePreferences } from "@/lib/ui/frame-preferences";

describe("parseFramePreferences", () => {
  it("gives the defaults for nothing, for rubbish and for values that do not fit", () => {
    for (const text of [null, "", "{", "null", "7", '{"theme":"pink","density":"tall","explorerWidth":"wide"}']) {
      expect(parseFramePreferences(text)).toEqual(FRAME_DEFAULTS);
    }
  });

  it("keeps what was chosen", () => {
    const kept = {
      theme: "dark",
      density: "roomy",
      areLettersOn: false,
      explorerOpen: false,
      explorerWidth: 300,
      agentOpen: true,
      agentWidth: 500,
    };
    expect(parseFramePreferences(JSON.stringify(kept))).toEqual(kept);
  });

  it("holds the explorer and the agent between their bounds", () => {
    expect([0, 200.4, 9999].map(clampExplorer)).toEqual([200, 200, 420]);
    expect([0, 400.4, 9999].map(clampAgent)).toEqual([320, 400, 640]);
  });
});

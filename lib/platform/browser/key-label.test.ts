import { describe, expect, it } from "vitest";
import { toKeyLabel } from "@/lib/platform/browser/key-label";

describe("toKeyLabel", () => {
  it("writes a shortcut for the current keyboard", () => {
    expect(toKeyLabel("mod+shift+enter", true)).toBe("⌘⇧↵");
    expect(toKeyLabel("mod+shift+enter", false)).toBe("Ctrl Shift ↵");
    expect(toKeyLabel("g c", true)).toBe("G C");
    expect(toKeyLabel("F6", false)).toBe("F6");
  });
});

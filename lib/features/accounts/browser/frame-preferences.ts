import { type CellLook, DIGIT_LOOKS, toTimesLook } from "@/lib/base/values/cell-look";

/**
 * Storage key of the frame's preferences in this browser. components/shell/boot.js reads the same entry before the
 * first paint.
 */
export const FRAME_KEY = "millrace:frame";
export const EXPLORER_WIDTH = { min: 200, max: 420, normal: 264 } as const;
export const AGENT_WIDTH = { min: 320, max: 640, normal: 380 } as const;
export const THEMES = ["light", "dark", "system"] as const;
export type Theme = (typeof THEMES)[number];
export const DENSITIES = ["compact", "normal", "roomy"] as const;
export type Density = (typeof DENSITIES)[number];
/** Height of a grid's row in CSS pixels (docs/develop/design.md, Phones); equal to --h-row in the styles. */
export const ROW_HEIGHTS: Record<Density, number> = { compact: 24, normal: 28, roomy: 34 };
export type FramePreferences = {
  theme: Theme;
  density: Density;
  digits: CellLook["digits"];
  times: CellLook["times"];
  /** Whether long lines of the editor wrap instead of scrolling. */
  wrapLines: boolean;
  /** Whether one-letter shortcuts work; they can interfere with speech control. */
  areLettersOn: boolean;
  explorerOpen: boolean;
  explorerWidth: number;
  /** Whether the agent is open beside consoles and flows. */
  agentBesideWork: boolean;
  /** Whether it is open on all other pages. */
  agentElsewhere: boolean;
  agentWidth: number;
};

export const FRAME_DEFAULTS: FramePreferences = {
  theme: "system",
  density: "normal",
  digits: "grouped",
  times: "local",
  wrapLines: false,
  areLettersOn: true,
  explorerOpen: true,
  explorerWidth: EXPLORER_WIDTH.normal,
  agentBesideWork: true,
  agentElsewhere: false,
  agentWidth: AGENT_WIDTH.normal,
};

/** Parses the stored preferences; invalid values are replaced by the default. */
export function parseFramePreferences(text: string | null): FramePreferences {
  let kept: Record<string, unknown> = {};
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    if (typeof value === "object" && value !== null) kept = value as Record<string, unknown>;
  } catch {
    return FRAME_DEFAULTS;
  }
  return {
    theme: THEMES.find((theme) => theme === kept.theme) ?? FRAME_DEFAULTS.theme,
    density: DENSITIES.find((density) => density === kept.density) ?? FRAME_DEFAULTS.density,
    digits: DIGIT_LOOKS.find((digits) => digits === kept.digits) ?? FRAME_DEFAULTS.digits,
    times: toTimesLook(kept.times) ?? FRAME_DEFAULTS.times,
    wrapLines: kept.wrapLines === true,
    areLettersOn: kept.areLettersOn !== false,
    explorerOpen: kept.explorerOpen !== false,
    explorerWidth:
      typeof kept.explorerWidth === "number" ? clampExplorer(kept.explorerWidth) : FRAME_DEFAULTS.explorerWidth,
    agentBesideWork: kept.agentBesideWork !== false,
    agentElsewhere: kept.agentElsewhere === true,
    agentWidth: typeof kept.agentWidth === "number" ? clampAgent(kept.agentWidth) : FRAME_DEFAULTS.agentWidth,
  };
}

/** Returns whether the agent is shown beside a page's content. @param pathname of the whole address, from `/w/` on */
export function isBesideWork(pathname: string): boolean {
  return /^\/w\/[^/]+(?:\/?$|\/(?:consoles|flows)(?:\/|$))/.test(pathname);
}

/** @param width in CSS pixels */
export function clampExplorer(width: number): number {
  return Math.round(Math.min(EXPLORER_WIDTH.max, Math.max(EXPLORER_WIDTH.min, width)));
}

/** @param width in CSS pixels */
export function clampAgent(width: number): number {
  return Math.round(Math.min(AGENT_WIDTH.max, Math.max(AGENT_WIDTH.min, width)));
}

import { toTimesLook } from "@/lib/base/values/cell-look";
import { FRAME_DEFAULTS, type FramePreferences } from "@/lib/features/accounts/browser/frame-preferences";
import type { Preferences, UpdatePreferencesBody } from "@/lib/features/accounts/preferences/schema";

/** Preferences of the frame that belong to the account rather than to one browser. */
export type KeptChoices = Pick<
  FramePreferences,
  "theme" | "density" | "digits" | "times" | "wrapLines" | "areLettersOn"
>;

export function toChoices({ theme, density, digits, times, wrapLines, areLettersOn }: FramePreferences): KeptChoices {
  return { theme, density, digits, times, wrapLines, areLettersOn };
}

export function toPreferencesBody({ areLettersOn, ...choices }: KeptChoices): UpdatePreferencesBody {
  return { ...choices, singleKeyShortcuts: areLettersOn };
}

export function toFrameChange(kept: Preferences): KeptChoices {
  const { theme, density, digits, wrapLines, singleKeyShortcuts } = kept;
  // Another browser may know zones that this one does not.
  const times = toTimesLook(kept.times) ?? FRAME_DEFAULTS.times;
  return { theme, density, digits, times, wrapLines, areLettersOn: singleKeyShortcuts };
}

import type { Preferences, UpdatePreferencesBody } from "@/lib/preferences/schema";
import type { FramePreferences } from "@/lib/ui/frame-preferences";

/** The part of the frame that belongs to the account rather than to one browser. */
export type KeptChoices = Pick<FramePreferences, "theme" | "density" | "areLettersOn">;

export function toChoices({ theme, density, areLettersOn }: FramePreferences): KeptChoices {
  return { theme, density, areLettersOn };
}

export function toPreferencesBody({ theme, density, areLettersOn }: KeptChoices): UpdatePreferencesBody {
  return { theme, density, singleKeyShortcuts: areLettersOn };
}

export function toFrameChange(kept: Preferences): KeptChoices {
  return { theme: kept.theme, density: kept.density, areLettersOn: kept.singleKeyShortcuts };
}

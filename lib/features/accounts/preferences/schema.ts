import { z } from "zod";
import { toZoneName, ZONE_CHARS_MAX } from "@/lib/base/values/names";
import { boundedText } from "@/lib/platform/http/schema";

/** Maximum size of all preferences of a user; far above the needs of panels and keys. */
export const PREFERENCES_BYTES_MAX = 64 * 1024;

/** Times with a zone: in the device's, in UTC, as the database gives them, or in a zone by its name. */
const times = z.enum(["local", "utc", "raw"]).or(
  boundedText(ZONE_CHARS_MAX)
    .transform((text, context) => {
      const name = toZoneName(text);
      if (name !== null) return name;
      context.addIssue("times must be local, utc, raw or a time zone such as Europe/Vienna.");
      return z.NEVER;
    })
    // The reference has no schema for a transformation.
    .pipe(z.string()),
);

/**
 * A user's preferences for display and behaviour. `panels` is the layout of each workspace (sizes, open tabs), in the
 * browser's form; `keys` changes shortcuts.
 */
export const preferencesSchema = z.object({
  theme: z.enum(["light", "dark", "system"]).default("system"),
  density: z.enum(["compact", "normal", "roomy"]).default("normal"),
  /** Numbers in groups of three, or ungrouped. */
  digits: z.enum(["grouped", "plain"]).default("grouped"),
  times: times.default("local"),
  /** Whether long lines of the editor wrap instead of scrolling. */
  wrapLines: z.boolean().default(false),
  /** One-letter shortcuts can interfere with speech control. */
  singleKeyShortcuts: z.boolean().default(true),
  keys: z.record(boundedText(60), boundedText(60)).default({}),
  panels: z.record(boundedText(60), z.unknown()).default({}),
});
export type Preferences = z.infer<typeof preferencesSchema>;

/** Fields that are not sent stay unchanged. */
export const updatePreferencesBody = z
  .object({
    theme: preferencesSchema.shape.theme.removeDefault(),
    density: preferencesSchema.shape.density.removeDefault(),
    digits: preferencesSchema.shape.digits.removeDefault(),
    times: preferencesSchema.shape.times.removeDefault(),
    wrapLines: z.boolean(),
    singleKeyShortcuts: z.boolean(),
    keys: preferencesSchema.shape.keys.removeDefault(),
    panels: preferencesSchema.shape.panels.removeDefault(),
  })
  .partial();
export type UpdatePreferencesBody = z.infer<typeof updatePreferencesBody>;

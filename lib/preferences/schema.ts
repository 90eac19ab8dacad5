import { z } from "zod";
import { boundedText } from "@/lib/http/schema";

/** All of a user's preferences together; far above what panels and keys need. */
export const PREFERENCES_BYTES_MAX = 64 * 1024;

/**
 * How the product looks and behaves for one user. `panels` is the layout a workspace (sizes, open tabs), in the form
 * that the browser gives it; `keys` changes shortcuts.
 */
export const preferencesSchema = z.object({
  theme: z.enum(["light", "dark", "system"]).default("system"),
  density: z.enum(["compact", "normal", "roomy"]).default("normal"),
  /** One-letter shortcuts can be in the way of speech control. */
  singleKeyShortcuts: z.boolean().default(true),
  keys: z.record(boundedText(60), boundedText(60)).default({}),
  panels: z.record(boundedText(60), z.unknown()).default({}),
});
export type Preferences = z.infer<typeof preferencesSchema>;

/** What is not sent stays as it is. */
export const updatePreferencesBody = z
  .object({
    theme: preferencesSchema.shape.theme.removeDefault(),
    density: preferencesSchema.shape.density.removeDefault(),
    singleKeyShortcuts: z.boolean(),
    keys: preferencesSchema.shape.keys.removeDefault(),
    panels: preferencesSchema.shape.panels.removeDefault(),
  })
  .partial();
export type UpdatePreferencesBody = z.infer<typeof updatePreferencesBody>;

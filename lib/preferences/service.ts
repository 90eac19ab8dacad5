import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "@/lib/db/collections";
import { type Preferences, preferencesSchema, type UpdatePreferencesBody } from "./schema";

/** The user's preferences, with the defaults for what they never chose. */
export async function getPreferences(userId: ObjectId): Promise<Preferences> {
  return preferencesSchema.parse((await collections.preferences().findOne({ _id: userId })) ?? {});
}

/** Stores what is given and leaves the rest. @returns all of them */
export async function updatePreferences(userId: ObjectId, body: UpdatePreferencesBody): Promise<Preferences> {
  const { panels, ...others } = body;
  // Panels merge a workspace at a time, so that two browser windows do not undo each other's layout.
  const panelFields = Object.fromEntries(Object.entries(panels ?? {}).map(([key, value]) => [panelField(key), value]));
  const stored = await collections
    .preferences()
    .findOneAndUpdate(
      { _id: userId },
      { $set: { ...others, ...panelFields } },
      { upsert: true, returnDocument: "after" },
    );
  return preferencesSchema.parse(stored ?? {});
}

function panelField(key: string): string {
  return `panels.${key.replace(/[.$]/g, "_")}`;
}

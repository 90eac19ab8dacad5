import type { ObjectId } from "mongodb";
import type { Preferences } from "./schema";

/** Same _id as its user. */
export type PreferencesDoc = { _id: ObjectId } & Partial<Preferences>;

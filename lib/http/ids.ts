import "server-only";
import { ObjectId } from "mongodb";
import { objectIdText } from "./schema";

/** An id in a path, ready for queries. */
export const objectId = objectIdText.transform((text) => new ObjectId(text));

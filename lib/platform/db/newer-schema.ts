import { version as millrace } from "@/package.json";

/** Version of the documents, and the version of Millrace that wrote it. */
export type SchemaStamp = { version: number; millrace: string };

/** The store holds documents of a newer Millrace. */
export class NewerSchema extends Error {
  constructor(stamp: SchemaStamp, known: number) {
    super(newerSchemaMessage("The store", stamp, known));
    this.name = "NewerSchema";
  }
}

/** Returns whether an error is a `NewerSchema`, also one of another bundle of this process. */
export function isNewerSchema(error: unknown): error is NewerSchema {
  return error instanceof Error && error.name === "NewerSchema";
}

/** Returns a message that names both versions and says what to do. */
export function newerSchemaMessage(what: string, stamp: SchemaStamp, known: number): string {
  return `${what} has schema version ${stamp.version}, written by Millrace ${stamp.millrace}. Millrace ${millrace} supports schema versions up to ${known}. Start Millrace ${stamp.millrace} or later, or restore a backup of this version.`;
}

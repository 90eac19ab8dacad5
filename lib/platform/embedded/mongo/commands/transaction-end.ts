import { type Doc, docOf, double, toWholeNumber } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import type { Context } from "./context.ts";

function numbered(context: Context): { session: string; number: bigint } {
  const number = toWholeNumber(context.command.get("txnNumber"));
  if (context.db !== "admin")
    throw new StoreError("Unauthorized", `${context.name} may only be run against the admin database.`);
  if (context.session === undefined || number === undefined)
    throw new StoreError("InvalidOptions", `${context.name} must be run within a transaction`);
  return { session: context.session, number: BigInt(number) };
}

export function commitTransaction(context: Context): Doc {
  const { session, number } = numbered(context);
  context.services.sessions.commit(session, number);
  return docOf({ ok: double(1) });
}

export function abortTransaction(context: Context): Doc {
  const { session, number } = numbered(context);
  const { sessions } = context.services;
  // Throws when there is nothing to abort, such as after a commit.
  sessions.continue(session, number);
  sessions.abort(session);
  return docOf({ ok: double(1) });
}

import "server-only";
import { ObjectId } from "mongodb";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Requires that the budget is not used up. Called before each step, so that a turn ends with the budget.
 * @throws AppError `rate_limited` until midnight (UTC) if the workspace has used its daily budget (T67)
 */
export async function requireBudget(workspaceId: ObjectId, now = new Date()): Promise<void> {
  const spent = await collections.agentUsage().findOne({ workspaceId, day: dayOf(now) });
  if (!spent || spent.tokens < env().CHAT_TOKENS_PER_DAY) return;
  const left = DAY_MS - (now.getTime() % DAY_MS);
  throw new AppError("rate_limited", "Daily token limit reached. Try again tomorrow.", {
    retryAfterSeconds: Math.ceil(left / 1000),
  });
}

/** Adds the cost of a step. Two parallel steps may exceed the budget by one step. */
export async function spend(workspaceId: ObjectId, tokens: number, now = new Date()): Promise<void> {
  if (tokens <= 0) return;
  await collections
    .agentUsage()
    .updateOne(
      { workspaceId, day: dayOf(now) },
      { $inc: { tokens }, $setOnInsert: { _id: new ObjectId(), at: now } },
      { upsert: true },
    );
}

function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

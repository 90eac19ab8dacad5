import "server-only";
import { DurableWork, NOTHING_DUE } from "@/lib/platform/work/durable-work";
import { publishAnswerEvent } from "./answer-events";
import { collections } from "./collections";
import { answerWork } from "./history";
import type { MessageDoc } from "./model";
import { endGrants } from "./plans";

/**
 * Ends the turns of servers that died: their answers are what was stored, no grant of them stays, and decisions on
 * their plans count for the next turn.
 */
export async function sweepTurns(): Promise<void> {
  await answerWork.sweep(async (docs) => {
    for (const doc of docs) await endTurn(doc);
  });
}

async function endTurn({ _id, workspaceId, chatId }: MessageDoc): Promise<void> {
  const left = { _id, workspaceId, state: "running" as const, ...DurableWork.FREE };
  // Its server may have renewed its lease after a pause.
  if ((await collections.chatMessages().countDocuments(left, { limit: 1 })) === 0) return;
  await endGrants({ workspaceId, chatId, turnId: _id });
  const { matchedCount } = await collections
    .chatMessages()
    .updateOne(left, [{ $set: { state: "stopped" } }, NOTHING_DUE]);
  const chat = matchedCount === 1 && (await collections.chats().findOne({ _id: chatId, workspaceId }));
  if (chat) publishAnswerEvent(chat, _id, "stopped");
}

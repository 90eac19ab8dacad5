/** A message as a page holds it: `state` is the server's word for how far an answer is, where it has said one. */
type Held = { id: string; metadata?: { state?: string; isStored?: boolean } };

const SERVER_ID = /^[0-9a-f]{24}$/;

/**
 * What a chat shows once the server's record of it was read: the record, behind older messages that were read before.
 * An answer that the record has as still being written is the page's own, which knows how it ended here; one that goes on
 * elsewhere is the record's, which grows.
 * @param shown in the page, in their order; those that it sent have no ids of the server's yet
 * @param stored the newest of the record, in their order
 */
export function mergeRecord<Message extends Held>(shown: readonly Message[], stored: readonly Message[]): Message[] {
  const at = shown.findIndex(({ id }) => stored.some((each) => each.id === id));
  const place = stored.findIndex(({ id }) => id === shown[at]?.id);
  const older = at < 0 ? [] : shown.slice(0, Math.max(0, at - place));
  const own = new Map(shown.map((message) => [message.id, message]));
  return [
    ...older,
    ...stored.map((each) => {
      const held = own.get(each.id);
      return each.metadata?.state === "running" && held && held.metadata?.state !== "running" ? held : each;
    }),
  ];
}

/**
 * By what the server knows the turn of a message: the message's own id, or its answer's. Null while the server has told
 * neither, so that nothing in its record is meant.
 */
export function recordIdOf(messages: readonly Held[], at: number): string | null {
  const message = messages[at];
  if (message?.metadata?.isStored) return message.id;
  const answer = messages[at + 1];
  return answer && SERVER_ID.test(answer.id) ? answer.id : null;
}

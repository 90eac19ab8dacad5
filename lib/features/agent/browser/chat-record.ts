/** A message as a page holds it. `state` is the server's state of the answer, if it sent one. */
type Held = { id: string; metadata?: { state?: string; isStored?: boolean } };

const SERVER_ID = /^[0-9a-f]{24}$/;

/**
 * Merges the server's record of a chat into the shown messages: the record follows older messages that were loaded
 * before.
 * An answer that the record holds as running is taken from the page, which knows how it ended here. If it runs
 * elsewhere, it is taken from the record, which grows.
 * @param shown in the page, in their order; messages that the page sent have no server ids yet
 * @param stored the newest messages of the record, in their order
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
 * Returns the server's id for the turn of a message: the message's own id, or its answer's. Null if the server has sent
 * neither, so that nothing in its record corresponds.
 */
export function recordIdOf(messages: readonly Held[], at: number): string | null {
  const message = messages[at];
  if (message?.metadata?.isStored) return message.id;
  const answer = messages[at + 1];
  return answer && SERVER_ID.test(answer.id) ? answer.id : null;
}

import "server-only";
import type { ObjectId } from "mongodb";
import { log } from "@/lib/platform/log";
import { sharedState } from "@/lib/platform/process/shared-state";
import { collections } from "./collections";
import { onWake } from "./doorbell";
import type { EventDoc } from "./model";

/** How late an event of another server may be. Those of this one are told at once. */
const LOOK_EVERY_MS = 1000;
/** Events that are read at once. */
const PAGE = 500;

/** Somebody who looks on. `take` must not throw and not wait. */
export type Reader = {
  /** Where it stands when it begins, before anything else. Only for one that came without a position. */
  begin?: (position: number) => void;
  take: (events: readonly EventDoc[]) => void;
};
type Channel = { workspaceId: ObjectId; position: number; readers: Set<Reader> };

/**
 * Tells one process's readers what changes in their workspaces: one question a second for all of them together, and
 * none while nobody looks on.
 */
class Teller {
  readonly #channels = new Map<string, Channel>();
  #timer: NodeJS.Timeout | null = null;
  #unlisten: (() => void) | null = null;
  #looking: Promise<void> | null = null;
  #isWoken = false;

  /**
   * Tells the reader everything behind the position, in order and once, until it is taken back.
   * @param from null begins with what comes next
   * @returns false, and nothing is told, when what lies between is not kept any more or the position is unknown
   */
  async join(workspaceId: ObjectId, reader: Reader, from: number | null): Promise<boolean> {
    const channel = await this.#channelOf(workspaceId);
    let position = from ?? channel.position;
    if (!(await isKept(workspaceId, position, channel.position))) return false;
    if (from === null) reader.begin?.(position);
    // The channel may go on meanwhile; a reader that has caught up joins in the same turn.
    while (position < channel.position) {
      const missed = await readEvents(workspaceId, position, channel.position);
      if (missed.length === 0) return false;
      reader.take(missed);
      position = missed.at(-1)?.position ?? position;
    }
    channel.readers.add(reader);
    this.#wakeUp();
    return true;
  }

  leave(workspaceId: ObjectId, reader: Reader): void {
    const key = workspaceId.toHexString();
    const channel = this.#channels.get(key);
    channel?.readers.delete(reader);
    if (channel?.readers.size === 0) this.#channels.delete(key);
    if (this.#channels.size === 0) this.#rest();
  }

  async #channelOf(workspaceId: ObjectId): Promise<Channel> {
    const key = workspaceId.toHexString();
    const known = this.#channels.get(key);
    if (known) return known;
    const position = await headOf(workspaceId);
    const channel = this.#channels.get(key) ?? { workspaceId, position, readers: new Set() };
    this.#channels.set(key, channel);
    return channel;
  }

  #wakeUp(): void {
    this.#unlisten ??= onWake(() => this.#look());
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #rest(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#unlisten?.();
    this.#unlisten = null;
  }

  #look(): void {
    this.#isWoken = true;
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = null;
    });
  }

  async #lookAtAll(): Promise<void> {
    while (this.#isWoken) {
      this.#isWoken = false;
      try {
        const channels = [...this.#channels.values()];
        const ids = channels.map(({ workspaceId }) => workspaceId);
        const heads = await collections
          .eventHeads()
          .find({ workspaceId: { $in: ids } })
          .toArray();
        const positions = new Map(heads.map(({ _id, position }) => [_id.toHexString(), position]));
        for (const channel of channels) {
          await tellUpTo(channel, positions.get(channel.workspaceId.toHexString()) ?? 0);
        }
      } catch (error) {
        // The next look finds what this one has not.
        log.warn({ err: error }, "changes could not be read for those who look on");
      }
    }
  }
}

async function tellUpTo(channel: Channel, head: number): Promise<void> {
  while (channel.position < head) {
    const events = await readEvents(channel.workspaceId, channel.position, head);
    // Nothing is left of them: whoever was told the last one before has missed nothing that is kept.
    channel.position = events.at(-1)?.position ?? head;
    for (const reader of channel.readers) reader.take(events);
  }
}

function readEvents(workspaceId: ObjectId, behind: number, upTo: number): Promise<EventDoc[]> {
  return collections
    .events()
    .find({ workspaceId, position: { $gt: behind, $lte: upTo } })
    .sort({ position: 1 })
    .limit(PAGE)
    .toArray();
}

async function headOf(workspaceId: ObjectId): Promise<number> {
  const head = await collections.eventHeads().findOne({ _id: workspaceId, workspaceId });
  return head?.position ?? 0;
}

/** Whether everything between the position and the head is there still. */
async function isKept(workspaceId: ObjectId, position: number, head: number): Promise<boolean> {
  if (position === head) return true;
  if (position > head) return false;
  return (await collections.events().countDocuments({ workspaceId, position: position + 1 }, { limit: 1 })) === 1;
}

export const teller = (): Teller => sharedState("events-teller", () => new Teller());

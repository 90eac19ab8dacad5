import "server-only";
import type { ObjectId } from "mongodb";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { collections } from "./collections";
import { onWake } from "./doorbell";
import type { EventDoc } from "./model";

/** Interval of polling for events of other servers. Events of this server are delivered at once. */
const LOOK_EVERY_MS = 1000;
/** Number of events per query. */
const PAGE = 500;

/** A subscriber. `take` must not throw and not wait. */
export type Reader = {
  /** Receives the current position before anything else. Only for a reader without a position. */
  begin?: (position: number) => void;
  /** Says that events up to a position are lost, before those after them are delivered. */
  miss?: (position: number) => void;
  take: (events: readonly EventDoc[]) => void;
};
type Channel = { workspaceId: ObjectId; position: number; readers: Set<Reader> };

/** Delivers changes to one process's readers: one query a second for all of them together, and none without readers. */
export class Teller {
  readonly #channels = new Map<string, Channel>();
  #timer: NodeJS.Timeout | null = null;
  #unlisten: (() => void) | null = null;
  #looking: Promise<void> | null = null;
  #isWoken = false;

  /**
   * Delivers everything after the position to the reader, in order and once, until it leaves.
   * @param from null starts with the next event
   * @returns false, and delivers nothing more, if events after the position are missing or the position is unknown
   */
  async join(workspaceId: ObjectId, reader: Reader, from: number | null): Promise<boolean> {
    const channel = await this.#channelOf(workspaceId);
    let position = from ?? channel.position;
    if (position > channel.position) return false;
    if (from === null) reader.begin?.(position);
    // The channel may advance during this, so a reader joins it in the same turn in which it has caught up.
    while (position < channel.position) {
      const { events, upTo, isComplete } = await readEvents(workspaceId, position, channel.position);
      if (!isComplete) return false;
      reader.take(events);
      position = upTo;
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
          await deliverUpTo(channel, positions.get(channel.workspaceId.toHexString()) ?? 0);
        }
      } catch (error) {
        // The next poll delivers the missing events.
        log.warn({ err: error }, "failed to read workspace events");
      }
    }
  }
}

async function deliverUpTo(channel: Channel, head: number): Promise<void> {
  while (channel.position < head) {
    const { events, upTo, isComplete } = await readEvents(channel.workspaceId, channel.position, head);
    channel.position = upTo;
    for (const reader of channel.readers) {
      if (!isComplete) reader.miss?.((events[0]?.position ?? upTo + 1) - 1);
      reader.take(events);
    }
  }
}

/**
 * Reads a page of events.
 * @returns the position up to which it goes, and whether each position has its event: those of lost and expired events
 *   have none
 */
async function readEvents(
  workspaceId: ObjectId,
  behind: number,
  head: number,
): Promise<{ events: EventDoc[]; upTo: number; isComplete: boolean }> {
  const events = await collections
    .events()
    .find({ workspaceId, position: { $gt: behind, $lte: head } })
    .sort({ position: 1 })
    .limit(PAGE)
    .toArray();
  const upTo = events.length < PAGE ? head : (events.at(-1)?.position ?? head);
  return { events, upTo, isComplete: events.length === upTo - behind };
}

async function headOf(workspaceId: ObjectId): Promise<number> {
  const head = await collections.eventHeads().findOne({ _id: workspaceId, workspaceId });
  return head?.position ?? 0;
}

export const teller = serverMember("eventFeed", () => new Teller());

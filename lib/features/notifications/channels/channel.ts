import type { ObjectId } from "mongodb";
import type { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import type { Payload, SnapshotPayload } from "../payload-schema";

/** A message to send. */
export type Message = {
  workspaceId: ObjectId;
  payload: Payload | SnapshotPayload;
  /** Picture of a snapshot; null without one. */
  pictureId: ObjectId | null;
  /** The payload as serialized text, for channels that send it unchanged. */
  body: string;
  /** Id of the message, the same for every send. */
  webhookId: string;
  /** A test of the channel: no event has happened. */
  isTest: boolean;
  /** Record of the delivery; null for a test. */
  deliveryId: ObjectId | null;
  /** Owner of the private console that it is about; null for a shared one. */
  privateTo: ObjectId | null;
};

/** Result of one send. `error` is null when the receiver accepted it. */
export type Outcome = {
  httpStatus: number | null;
  error: string | null;
  snippet: string | null;
  /** A retry cannot help: the address itself is refused. */
  isHopeless?: boolean;
  /** Pause that the receiver asked for. */
  retryAfterMs?: number;
};

/**
 * Sends one message. Never throws for a receiver's error.
 * @param line reuses its connections for one host
 */
export type Send<C> = (channel: C, message: Message, line: KeepAliveClient) => Promise<Outcome>;

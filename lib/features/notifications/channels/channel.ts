import type { ObjectId } from "mongodb";
import type { KeptFetch } from "@/lib/platform/net/kept-fetch";
import type { Payload } from "../schema";
import type { SnapshotPayload } from "../snapshot-schema";

/** One message, ready to go. */
export type Message = {
  workspaceId: ObjectId;
  payload: Payload | SnapshotPayload;
  /** Of a snapshot; null for what has none. */
  pictureId: ObjectId | null;
  /** The payload as bytes, for who passes it on as it is. */
  body: string;
  /** The same over all sends of it. */
  webhookId: string;
  /** Nothing has happened: somebody tries the channel out. */
  isTest: boolean;
  /** The record that it belongs to; null for a test. */
  deliveryId: ObjectId | null;
  /** Whose private console it speaks of; null for what the workspace shares. */
  privateTo: ObjectId | null;
};

/** How one send went. `error` is null when the receiver accepted it. */
export type Outcome = {
  httpStatus: number | null;
  error: string | null;
  snippet: string | null;
  /** Another send cannot help: the address itself is refused. */
  isHopeless?: boolean;
  /** How long the receiver asked to be left alone. */
  retryAfterMs?: number;
};

/** Sends one message. Never throws for what the receiver does. @param line its connections serve one host after the other */
export type Send<C> = (channel: C, message: Message, line: KeptFetch) => Promise<Outcome>;

import type { ObjectId } from "mongodb";
import type { z } from "zod";
import type { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import type { Sealed } from "@/lib/platform/secrets/seal";
import type { Payload, SnapshotPayload } from "../payload-schema";

/** A message to send. */
export type Message = {
  workspaceId: ObjectId;
  payload: Payload | SnapshotPayload;
  /** The payload as serialized text, for channels that send it unchanged. */
  body: string;
  /** Id of the message, the same for every send. */
  webhookId: string;
  /** A test of the channel: no event has happened. */
  isTest: boolean;
  /** Record of the delivery; null for a test. */
  deliveryId: ObjectId | null;
  /** Returns the files of a snapshot; null if they have expired or it has none. */
  findFiles: () => Promise<{ png: Buffer; pdf: Buffer | null } | null>;
  /** Returns the owner of the private resource that it is about; null for a shared one. */
  findOwner: () => Promise<ObjectId | null>;
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

/** Fields of a request. All are optional: a change sends only some. */
export type Sent<Fields extends z.ZodRawShape> = Partial<z.output<z.ZodObject<Fields>>>;

/** Encryption of a record's channel. A field is encrypted under the name that stores it. */
export type Vault<Stored> = {
  seal: (field: keyof Stored & string, text: string) => Sealed;
  /** @throws SealError when the key that encrypted it is gone */
  open: (field: keyof Stored & string, sealed: Sealed) => string;
  newSigningSecret: () => string;
};

/**
 * A way to notify people or programs. `registry.ts` lists all of them; forms are in `components/notifications/channels`.
 * The definition imports no server module, so that schemas can read it.
 */
export type Channel<
  Type extends string,
  Fields extends z.ZodRawShape,
  Options extends z.ZodRawShape,
  Shown extends z.ZodType,
  Stored extends object,
  Open extends object,
> = {
  /** Name in the API, in stored rules and in the keys of deliveries. It never changes. */
  type: Type;
  /** Fields of a request. A new rule, another channel and a test require those that are not optional. */
  fields: Fields;
  /** Further optional fields of a rule's request that a test does not have. */
  options: Options;
  /** Channel in responses, without secrets. Each channel has another shape: responses have no tag. */
  shown: Shown;
  /** Request field with the address that messages are posted to; null for none. `Open` then has it as `url`. */
  address: { field: keyof Fields & string; isHttpsOnly: boolean } | null;
  /** Returns the addresses of a request that messages go to; empty for a change that keeps them. */
  recipientsOf(request: Sent<Fields>): string[];
  /** Description in the API reference, in whole sentences. */
  reference: string;
  /**
   * Returns the channel to store, and its signing secret if it is new.
   * @param before null for a new channel, or one of another type
   * @throws AppError `invalid_request` for a required field that is missing
   */
  store(
    request: Sent<Fields & Options>,
    before: Stored | null,
    vault: Vault<Stored>,
  ): { stored: Stored; newSecret?: string };
  /** Returns the channel with its secrets decrypted. */
  open(stored: Stored, vault: Vault<Stored>): Open;
  show(stored: Stored): z.output<Shown>;
  /** Loads the server's part. */
  loadSender(): Promise<{ send: Send<Open> }>;
};

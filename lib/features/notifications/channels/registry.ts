import type { z } from "zod";
import type { Channel } from "./channel";
import { chat } from "./chat";
import { email } from "./email";
import { teams } from "./teams";
import { webhook } from "./webhook";

/** Every channel, in the order in which the API reference lists them. */
export const CHANNELS = [email, webhook, chat, teams] as const;

type Definition = (typeof CHANNELS)[number];
export type ChannelType = Definition["type"];
/** A stored channel. */
export type ChannelDoc = StoredOf<Definition>;
/** A channel with its secrets decrypted. */
export type OpenChannel = OpenOf<Definition>;
/** A channel in responses. */
export type ShownOf<Type extends ChannelType> = ReturnType<Extract<Definition, { type: Type }>["show"]>;
type StoredOf<D> = D extends Definition ? { type: D["type"] } & Parameters<D["show"]>[0] : never;
type OpenOf<D> = D extends Definition ? { type: D["type"] } & ReturnType<D["open"]> : never;
/** A channel of any type. The stored and the open channel that it gets must be of its type. */
export type AnyChannel = Channel<ChannelType, z.ZodRawShape, z.ZodRawShape, z.ZodType, object, object>;

const byType = new Map<string, AnyChannel>(CHANNELS.map((channel) => [channel.type, channel as AnyChannel]));

export function channelOf(type: ChannelType): AnyChannel {
  const channel = byType.get(type);
  if (!channel) throw new Error(`Unknown notification channel ${type}.`);
  return channel;
}

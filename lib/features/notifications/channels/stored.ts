import "server-only";
import type { ObjectId } from "mongodb";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { parseWebTarget } from "@/lib/platform/net/host";
import { checkWebAddress } from "@/lib/platform/net/judge";
import { open, seal } from "@/lib/platform/secrets/seal";
import { contextOf } from "@/lib/platform/secrets/sealed-fields";
import { newSigningSecret } from "@/lib/platform/secrets/signing-secret";
import type { ChannelRequest } from "../schema";
import type { Vault } from "./channel";
import { CHANNELS, type ChannelDoc, channelOf, type OpenChannel } from "./registry";

/** Record that the secrets belong to. */
type Place = { _id: ObjectId; workspaceId: ObjectId };

/**
 * Timeout of a look-up, in ms: name servers respond in milliseconds or not at all. Without a result the send decides,
 * since the egress proxy looks the name up again.
 */
const LOOK_UP_TIMEOUT_MS = 3_000;

/**
 * Returns the channel for a request. Fields that are not sent keep their values as long as the type stays the same.
 * @param before null for a new rule
 * @returns the channel to store, and the signing secret when it is new
 * @throws AppError `invalid_request` for a required field that is missing
 */
export function nextChannel(
  place: Place,
  before: ChannelDoc | null,
  request: ChannelRequest,
): { channel: ChannelDoc; newSecret?: string } {
  const type = request.channelType ?? before?.type;
  if (type === undefined) throw new Error("A new channel has a type.");
  const kept = before?.type === type ? before : null;
  const { stored, ...secret } = channelOf(type).store(request, kept, vaultOf(place));
  return { channel: { type, ...stored } as ChannelDoc, ...secret };
}

/** @throws SealError when the key that encrypted it is gone */
export function openChannel(place: Place, channel: ChannelDoc): OpenChannel {
  const { type } = channel;
  return { type, ...channelOf(type).open(channel, vaultOf(place)) } as OpenChannel;
}

function vaultOf(place: Place): Vault<Record<string, unknown>> {
  return {
    seal: (field, text) => seal(text, contextOf(place, `channel.${field}`)),
    open: (field, sealed) => open(sealed, contextOf(place, `channel.${field}`)),
    newSigningSecret,
  };
}

/**
 * Validates the addresses of a request before it is stored (T30). A name that does not resolve now is accepted: it may
 * resolve later, and each send checks it again.
 * @throws AppError `invalid_request`, `address_refused`
 */
export async function judgeAddresses(request: ChannelRequest): Promise<void> {
  const given: Readonly<Record<string, unknown>> = request;
  for (const { address } of CHANNELS) {
    if (address === null) continue;
    const text = given[address.field];
    if (typeof text !== "string") continue;
    const waited = new Promise<void>((resolve) => setTimeout(resolve, LOOK_UP_TIMEOUT_MS).unref());
    await Promise.race([judgeOne(address, text), waited]);
  }
}

async function judgeOne({ field, isHttpsOnly }: { field: string; isHttpsOnly: boolean }, text: string): Promise<void> {
  try {
    // A server that may dial its own network may also reach a stand-in there without TLS.
    if (isHttpsOnly && !parseWebTarget(text).isTls && env().privateNetwork !== "all") {
      throw new AppError("invalid_request", "The URL must start with https://.");
    }
    await checkWebAddress(text, "http");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.kind === "source_unreachable" || error.kind === "timeout") return;
    throw new AppError(error.kind, error.message, { cause: error, details: [{ path: field, message: error.message }] });
  }
}

/** Returns the origin of the channel's address, or the type without one. `targetOf` hashes it: it must not show. */
export function hostOf(channel: OpenChannel): string {
  return "url" in channel ? new URL(channel.url).origin : channel.type;
}

import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { parseWebTarget } from "@/lib/platform/net/host";
import { checkWebAddress } from "@/lib/platform/net/judge";
import { open, seal } from "@/lib/platform/secrets/seal";
import { contextOf } from "@/lib/platform/secrets/sealed-fields";
import { newSigningSecret } from "@/lib/platform/secrets/signing-secret";
import type { ChannelDoc } from "../model";
import type { ChannelRequest } from "../schema";

/** A channel with its secrets decrypted. */
export type OpenChannel =
  | { type: "email"; recipients: string[] }
  | { type: "webhook"; url: string; secret: string }
  | { type: "chat"; url: string };

/** Record that the secrets belong to. */
type Place = { _id: ObjectId; workspaceId: ObjectId };

const URL_FIELD = "channel.url";
const SECRET_FIELD = "channel.secret";
/**
 * Timeout of a look-up, in ms: name servers respond in milliseconds or not at all. Without a result the send decides,
 * since the egress proxy looks the name up again.
 */
const LOOK_UP_TIMEOUT_MS = 3_000;
/** Number of characters of an address's end: enough to distinguish two of one host, too few to use. */
const PREVIEW_CHARS = 4;

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
  if (type === "email") return { channel: nextEmail(before, request) };
  if (type === "chat") return { channel: nextChat(place, before, request) };
  return nextWebhook(place, before, request);
}

function nextEmail(before: ChannelDoc | null, { recipients }: ChannelRequest): ChannelDoc {
  const kept = before?.type === "email" ? before.recipients : undefined;
  return { type: "email", recipients: recipients ?? kept ?? missing("recipients", "Enter at least one recipient.") };
}

function nextChat(place: Place, before: ChannelDoc | null, request: ChannelRequest): ChannelDoc {
  const kept = before?.type === "chat" ? before : undefined;
  const { chatWebhookUrl, displayLabel } = request;
  const url = chatWebhookUrl === undefined ? kept?.url : sealUrl(place, chatWebhookUrl);
  return {
    type: "chat",
    url: url ?? missing("chatWebhookUrl", "Enter the incoming webhook URL."),
    displayLabel: (displayLabel ?? kept?.displayLabel) || null,
  };
}

function nextWebhook(
  place: Place,
  before: ChannelDoc | null,
  { url, rotateWebhookSecret }: ChannelRequest,
): { channel: ChannelDoc; newSecret?: string } {
  const kept = before?.type === "webhook" ? before : undefined;
  const address =
    url === undefined
      ? kept && { url: kept.url, urlPreview: kept.urlPreview }
      : { url: sealUrl(place, url), urlPreview: previewOf(url) };
  if (!address) return missing("url", "Enter the receiver's URL.");
  if (kept && !rotateWebhookSecret) return { channel: { type: "webhook", ...address, secret: kept.secret } };
  const newSecret = newSigningSecret();
  const secret = seal(newSecret, contextOf(place, SECRET_FIELD));
  return { channel: { type: "webhook", ...address, secret }, newSecret };
}

function sealUrl(place: Place, url: string) {
  return seal(url, contextOf(place, URL_FIELD));
}

/** @throws SealError when the key that encrypted it is gone */
export function openChannel(place: Place, channel: ChannelDoc): OpenChannel {
  if (channel.type === "email") return { type: "email", recipients: channel.recipients };
  const url = open(channel.url, contextOf(place, URL_FIELD));
  if (channel.type === "chat") return { type: "chat", url };
  return { type: "webhook", url, secret: open(channel.secret, contextOf(place, SECRET_FIELD)) };
}

/**
 * Validates the addresses of a request before it is stored (T30). A name that does not resolve now is accepted: it may
 * resolve later, and each send checks it again.
 * @throws AppError `invalid_request`, `address_refused`
 */
export async function judgeAddresses({ url, chatWebhookUrl }: ChannelRequest): Promise<void> {
  for (const [path, address] of Object.entries({ url, chatWebhookUrl })) {
    if (address === undefined) continue;
    const waited = new Promise<void>((resolve) => setTimeout(resolve, LOOK_UP_TIMEOUT_MS).unref());
    await Promise.race([judgeOne(path, address), waited]);
  }
}

async function judgeOne(path: string, address: string): Promise<void> {
  try {
    await checkWebAddress(address, "http");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.kind === "source_unreachable" || error.kind === "timeout") return;
    throw new AppError(error.kind, error.message, { cause: error, details: [{ path, message: error.message }] });
  }
}

/** Returns "https://hooks.example.com/…a1b2", or the whole address if nothing follows its host. */
function previewOf(address: string): string {
  const { origin, pathname, search } = parseWebTarget(address).url;
  const rest = `${pathname}${search}`;
  return rest === "/" ? origin : `${origin}/…${rest.slice(-PREVIEW_CHARS).replace(/^.*\//, "")}`;
}

/** Returns the origin of the channel's address, or "email". `targetOf` hashes it, since it must not show. */
export function hostOf(channel: OpenChannel): string {
  return channel.type === "email" ? "email" : new URL(channel.url).origin;
}

function missing(path: keyof ChannelRequest, message: string): never {
  throw new AppError("invalid_request", message, { details: [{ path, message }] });
}

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

/** What a channel is once its secrets are open. */
export type OpenChannel =
  | { type: "email"; recipients: string[] }
  | { type: "webhook"; url: string; secret: string }
  | { type: "chat"; url: string };

/** The record whose secrets these are. */
type Place = { _id: ObjectId; workspaceId: ObjectId };

const URL_FIELD = "channel.url";
const SECRET_FIELD = "channel.secret";
/** Name services answer in milliseconds, or not at all: then the send decides, whose door looks again. */
const LOOK_UP_TIMEOUT_MS = 3_000;
/** The end of an address tells two of one host apart, and is too short to be used. */
const PREVIEW_CHARS = 4;

/**
 * The channel that a request asks for, beside what is there: fields that are not sent are kept as long as the channel
 * stays one of its type.
 * @param before null for a new rule
 * @returns the channel as it is stored, and the signing secret when it is new
 * @throws AppError `invalid_request` for a field that the channel needs and nobody has given
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
  return { type: "email", recipients: recipients ?? kept ?? missing("recipients", "Name who gets the mails.") };
}

function nextChat(place: Place, before: ChannelDoc | null, request: ChannelRequest): ChannelDoc {
  const kept = before?.type === "chat" ? before : undefined;
  const { chatWebhookUrl, displayLabel } = request;
  const url = chatWebhookUrl === undefined ? kept?.url : sealUrl(place, chatWebhookUrl);
  return {
    type: "chat",
    url: url ?? missing("chatWebhookUrl", "Enter the address of the chat's incoming webhook."),
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
  if (!address) return missing("url", "Enter the address of the receiver.");
  if (kept && !rotateWebhookSecret) return { channel: { type: "webhook", ...address, secret: kept.secret } };
  const newSecret = newSigningSecret();
  const secret = seal(newSecret, contextOf(place, SECRET_FIELD));
  return { channel: { type: "webhook", ...address, secret }, newSecret };
}

function sealUrl(place: Place, url: string) {
  return seal(url, contextOf(place, URL_FIELD));
}

/** @throws SealError when the key that sealed it is gone */
export function openChannel(place: Place, channel: ChannelDoc): OpenChannel {
  if (channel.type === "email") return { type: "email", recipients: channel.recipients };
  const url = open(channel.url, contextOf(place, URL_FIELD));
  if (channel.type === "chat") return { type: "chat", url };
  return { type: "webhook", url, secret: open(channel.secret, contextOf(place, SECRET_FIELD)) };
}

/**
 * Judges the addresses of a request before it is stored (T30). A name that leads nowhere now is taken: it may later, and
 * each send looks again.
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

/** "https://hooks.example.com/…a1b2", or the whole address when nothing stands behind its host. */
function previewOf(address: string): string {
  const { origin, pathname, search } = parseWebTarget(address).url;
  const rest = `${pathname}${search}`;
  return rest === "/" ? origin : `${origin}/…${rest.slice(-PREVIEW_CHARS).replace(/^.*\//, "")}`;
}

/** Stands for the receiver's host where that itself must not show. */
export function hostOf(channel: OpenChannel): string {
  return channel.type === "email" ? "email" : new URL(channel.url).origin;
}

function missing(path: keyof ChannelRequest, message: string): never {
  throw new AppError("invalid_request", message, { details: [{ path, message }] });
}

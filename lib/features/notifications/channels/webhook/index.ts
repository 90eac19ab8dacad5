import { z } from "zod";
import type { Sealed } from "@/lib/platform/secrets/seal";
import type { Channel } from "../channel";
import { required, webAddress } from "../fields";
import { WEBHOOK_WORDS } from "./reference";

/** Number of characters of an address's end: enough to distinguish two of one host, too few to use. */
const PREVIEW_CHARS = 4;

const fields = { url: webAddress };
const options = {
  rotateWebhookSecret: z
    .boolean()
    .optional()
    .describe("Rotates the signing secret; the old one stops working immediately. A new rule always gets a new secret"),
};
const shown = z.object({
  urlPreview: z.string().describe("Host and last characters of the URL"),
  hasSecret: z.boolean(),
});
type Stored = { url: Sealed; urlPreview: string; secret: Sealed };
type Open = { url: string; secret: string };

/** A program that receives the payload, signed. Its address is encrypted, since anyone who has it can post (T85). */
export const webhook: Channel<"webhook", typeof fields, typeof options, typeof shown, Stored, Open> = {
  type: "webhook",
  fields,
  options,
  shown,
  address: { field: "url", isHttpsOnly: false },
  recipientsOf: ({ url }) => (url === undefined ? [] : [url]),
  reference: WEBHOOK_WORDS,
  store: ({ url, rotateWebhookSecret }, before, vault) => {
    const address =
      url === undefined
        ? before && { url: before.url, urlPreview: before.urlPreview }
        : { url: vault.seal("url", url), urlPreview: previewOf(url) };
    const given = required(address ?? undefined, "url", "Enter the receiver's URL.");
    if (before && !rotateWebhookSecret) return { stored: { ...given, secret: before.secret } };
    const newSecret = vault.newSigningSecret();
    return { stored: { ...given, secret: vault.seal("secret", newSecret) }, newSecret };
  },
  open: ({ url, secret }, vault) => ({ url: vault.open("url", url), secret: vault.open("secret", secret) }),
  show: ({ urlPreview }) => ({ urlPreview, hasSecret: true }),
  loadSender: () => import("./send"),
};

/** Returns "https://hooks.example.com/…a1b2", or the whole address if nothing follows its host. */
function previewOf(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const rest = `${pathname}${search}`;
  return rest === "/" ? origin : `${origin}/…${rest.slice(-PREVIEW_CHARS).replace(/^.*\//, "")}`;
}

import "server-only";
import { z } from "zod";
import { env } from "@/lib/platform/env";
import type { Driver } from "../../data-source";
import { readConfig } from "../shared/config";
import { checkWebConfig, type WebConfig } from "../shared/web-config";
import { StripeSource } from "./source";

const KEY_CHARS_MAX = 500;

const fields = z.strictObject({
  apiKey: z
    .string()
    .max(KEY_CHARS_MAX, "Too long.")
    .regex(/^[\x21-\x7e]+$/, "Keys contain only letters, digits and _.")
    .regex(/^(?!pk_)/, "This is a publishable key. Use a secret (sk_) or restricted (rk_) key."),
  apiVersion: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d(?:\.[a-z]{1,30})?$/, "Enter a version such as 2024-06-20.")
    .optional(),
  account: z
    .string()
    .regex(/^acct_[A-Za-z0-9]{1,100}$/, "Enter an account ID such as acct_1A2b3C.")
    .optional(),
});

function parseStripeConfig(config: Record<string, unknown>): { web: WebConfig; isTestKey: boolean } {
  const { apiKey, apiVersion, account } = readConfig(fields, config);
  return {
    web: {
      baseUrl: env().STRIPE_API_URL.replace(/\/+$/, ""),
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(apiVersion && { "stripe-version": apiVersion }),
        ...(account && { "stripe-account": account }),
      },
      query: null,
      perMinute: null,
      secrets: [apiKey],
    },
    isTestKey: /^[a-z]+_test_/.test(apiKey),
  };
}

/** The lists of a Stripe account. */
export const stripe: Driver = {
  type: "stripe",
  label: "Stripe",
  category: "source",
  icon: {
    tile: "#5A4FCF",
    ink: "#FFFFFF",
    paths: ["M5 7h14v10H5z", "M5 11h14", "M8 14.5h2.5"],
  },
  language: null,
  fields: [
    {
      name: "apiKey",
      label: "Secret key",
      kind: "password",
      required: true,
      secret: true,
      help: "Prefer a restricted key (rk_) with read permissions.",
      maxLength: KEY_CHARS_MAX,
    },
    {
      name: "account",
      label: "Connected account",
      kind: "text",
      required: false,
      secret: false,
      isTarget: true,
      help: "For Connect platforms. Defaults to the key's account.",
      example: "acct_1A2b3C",
    },
    {
      name: "apiVersion",
      label: "API version",
      kind: "text",
      required: false,
      secret: false,
      help: "Defaults to the account's version.",
      example: "2024-06-20",
    },
  ],
  refusals: {
    apiKey: "A publishable or malformed key",
    account: "Not of the form acct_1A2b3C",
    apiVersion: "Not of the form 2024-06-20",
  },
  async check({ config }) {
    await checkWebConfig(parseStripeConfig(config).web);
  },
  async open({ config, connectionId }) {
    const { web, isTestKey } = parseStripeConfig(config);
    return new StripeSource(web, { connectionId, isTestKey });
  },
};

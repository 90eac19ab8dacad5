export type StripeResource = {
  name: string;
  /** Relative to /v1/. */
  path: string;
  primaryKey: readonly string[];
  /** Parameters that are needed to list all records. */
  params?: Readonly<Record<string, string>>;
};

const resource = (name: string, path = name, params?: StripeResource["params"]): StripeResource => ({
  name,
  path,
  primaryKey: ["id"],
  ...(params && { params }),
});

/**
 * Lists of Stripe's API that take `created` and paginate by `starting_after` (its API reference, version 2024-06-20).
 */
export const STRIPE_RESOURCES: readonly StripeResource[] = [
  resource("customers"),
  resource("charges"),
  resource("payment_intents"),
  resource("refunds"),
  resource("disputes"),
  resource("invoices"),
  resource("invoice_items", "invoiceitems"),
  // The default omits ended ones.
  resource("subscriptions", "subscriptions", { status: "all" }),
  resource("products"),
  resource("prices"),
  resource("plans"),
  resource("coupons"),
  resource("promotion_codes"),
  resource("tax_rates"),
  resource("credit_notes"),
  resource("checkout_sessions", "checkout/sessions"),
  resource("setup_intents"),
  resource("balance_transactions"),
  resource("payouts"),
  resource("transfers"),
  resource("topups"),
  resource("application_fees"),
  resource("events"),
];

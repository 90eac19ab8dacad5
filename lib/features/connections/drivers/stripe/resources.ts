export type StripeResource = {
  name: string;
  /** Below /v1/. */
  path: string;
  primaryKey: readonly string[];
  /** What has to be said to see all of them. */
  params?: Readonly<Record<string, string>>;
};

const resource = (name: string, path = name, params?: StripeResource["params"]): StripeResource => ({
  name,
  path,
  primaryKey: ["id"],
  ...(params && { params }),
});

/** The lists of Stripe's API that take `created` and go on by `starting_after` (its API reference, version 2024-06-20). */
export const STRIPE_RESOURCES: readonly StripeResource[] = [
  resource("customers"),
  resource("charges"),
  resource("payment_intents"),
  resource("refunds"),
  resource("disputes"),
  resource("invoices"),
  resource("invoice_items", "invoiceitems"),
  // Without it those that have ended are left out.
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

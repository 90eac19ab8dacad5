import { z } from "zod";
import { emailAddress } from "@/lib/features/users/schema";
import { RECIPIENTS_MAX } from "../../limits";
import type { Channel } from "../channel";
import { required } from "../fields";

const NO_RECIPIENT = "Enter at least one recipient.";

const fields = {
  recipients: z
    .array(emailAddress)
    .min(1, NO_RECIPIENT)
    .max(RECIPIENTS_MAX, `At most ${RECIPIENTS_MAX} addresses.`)
    .transform((given) => [...new Set(given)]),
};
const options = {};
const shown = z.object({ recipients: z.array(z.string()) });
type Recipients = { recipients: string[] };

/** One email to all recipients. */
export const email: Channel<"email", typeof fields, typeof options, typeof shown, Recipients, Recipients> = {
  type: "email",
  fields,
  options,
  shown,
  address: null,
  recipientsOf: ({ recipients }) => recipients ?? [],
  reference: "An email goes to all recipients as one message.",
  store: ({ recipients }, before) => ({
    stored: { recipients: required(recipients ?? before?.recipients, "recipients", NO_RECIPIENT) },
  }),
  open: ({ recipients }) => ({ recipients }),
  show: ({ recipients }) => ({ recipients }),
  loadSender: () => import("./send"),
};

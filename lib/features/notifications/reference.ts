import { SCHEDULE_REFUSALS } from "@/lib/features/runs/schedules/reference";
import { CHANNELS } from "./channels/registry";

/** Returns the names of the fields that a channel requires. */
function requiredFieldsOf({ fields }: (typeof CHANNELS)[number]): string[] {
  return Object.entries(fields).flatMap(([name, field]) => (field.safeParse(undefined).success ? [] : [name]));
}

/** Well-formed values that may still be rejected: the egress proxy checks addresses. */
export const ADDRESS_REFUSALS: Readonly<Record<string, string>> = Object.fromEntries(
  CHANNELS.flatMap(({ address }) => {
    if (address === null) return [];
    const scheme = address.isHttpsOnly ? "https" : "http or https";
    return [[address.field, `Not an ${scheme} URL, a URL with a user name, or a blocked port`]];
  }),
);

/** Values that a change may reject: also fields that a change of channel requires. */
export const CHANNEL_REFUSALS: Readonly<Record<string, string>> = Object.fromEntries(
  CHANNELS.flatMap((channel) =>
    requiredFieldsOf(channel).map((name) => {
      const missing = `Missing when the channel becomes ${channel.type}`;
      return [name, name in ADDRESS_REFUSALS ? `${ADDRESS_REFUSALS[name]}; ${missing}` : missing];
    }),
  ),
);

/** Further values that snapshots of dashboards reject. */
export const SNAPSHOT_REFUSALS = {
  ...SCHEDULE_REFUSALS,
  filters: "An unknown filter, or a value of the wrong type",
};

const REQUIRED = CHANNELS.map((channel) => `${channel.type} requires ${requiredFieldsOf(channel).join(" and ")}`);
const ADDRESSES = "URLs must be http or https and not private, and are checked on every send.";

export const RULE_WORDS = `Notifies when a run of the console or flow ends with one of the rule's triggers. Cancelled runs do not notify. Each rule has one channel; each resource has up to 50 rules. ${REQUIRED.join(", ")}. ${ADDRESSES} Requires an owner, admin or API key; members can read rules.

${CHANNELS.map(({ reference }) => reference).join("\n\n")}`;

/** Maximum number of recipients (docs/develop/api.md, Notifications). */
export const RECIPIENTS_MAX = 50;
export const URL_CHARS_MAX = 2048;
export const LABEL_CHARS_MAX = 80;
/** Maximum number of rules of a console or flow: enough for several channels and recipients. */
export const RULES_PER_RESOURCE_MAX = 50;
/** Maximum number of snapshots of a dashboard: enough for several teams and channels. Each has to be rendered. */
export const SNAPSHOTS_PER_DASHBOARD_MAX = 20;
/**
 * Maximum number of concurrent sends from one workspace to one host: a host that hangs holds up only these
 * (docs/develop/notifications.md).
 */
export const SENDS_PER_TARGET = 5;
/** Number of sends: one and up to five retries (docs/develop/notifications.md, Retries). */
export const SENDS_MAX = 6;
/** Length to which a receiver's response is cut in the log of attempts. */
export const SNIPPET_CHARS_MAX = 500;

/** docs/develop/api.md, Notifications. */
export const RECIPIENTS_MAX = 50;
export const URL_CHARS_MAX = 2048;
export const LABEL_CHARS_MAX = 80;
/** Of one console or flow: several channels and recipients, far from a flood. */
export const RULES_PER_RESOURCE_MAX = 50;
/** Of one dashboard: a handful of teams and rooms. Each is a page to draw. */
export const SNAPSHOTS_PER_DASHBOARD_MAX = 20;
/** Of one workspace to one host at once: a host that hangs holds these up and nobody else (docs/develop/notifications.md). */
export const SENDS_PER_TARGET = 5;
/** One send and up to five more (docs/develop/notifications.md, Retries). */
export const SENDS_MAX = 6;
/** The part of a receiver's answer that the log of attempts shows. */
export const SNIPPET_CHARS_MAX = 500;
/** A send ends within 10 s; three times that, and its server is given up. */
export const LEASE_MS = 30_000;

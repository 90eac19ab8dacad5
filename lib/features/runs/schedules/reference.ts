/** Values that schedules reject although their schema accepts them. */
export const SCHEDULE_REFUSALS = {
  cron: "An invalid cron expression, or one that never fires",
  timezone: "Unknown time zones",
};

/** Effect of clock changes and downtime on every schedule. */
export const SCHEDULE_RULE =
  "Times skipped by a clock change run once at the end of the skipped hour; repeated times run once. Runs missed while the server was down run once.";

/** Values that schedules reject although their schema accepts them. */
export const SCHEDULE_REFUSALS = {
  cron: "What is no cron expression of five fields, and what never comes",
  timezone: "Names that are no time zone",
};

/** Effect of clock changes and downtime on every schedule. */
export const SCHEDULE_RULE =
  "An hour that a clock change leaves out runs once at its end; one that comes twice runs once. What was missed while the server was away runs once.";

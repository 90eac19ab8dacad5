/** What schedules refuse of what their schema takes. */
export const SCHEDULE_REFUSALS = {
  cron: "What is no cron expression of five fields, and what never comes",
  timezone: "Names that are no time zone",
};

/** What clock changes and absences do to every schedule. */
export const SCHEDULE_RULE =
  "An hour that a clock change leaves out runs once at its end; one that comes twice runs once. What was missed while the server was away runs once.";

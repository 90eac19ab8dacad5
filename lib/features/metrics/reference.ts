export const METRIC_REFUSALS = {
  content:
    "Text that is not in Ossie's core format, or that names an unknown connection. `details` has path, line and message",
  name: "A name other than letters, digits, dashes and underscores",
};

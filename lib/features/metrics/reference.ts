export const METRIC_REFUSALS = {
  content:
    "Text that is not in Ossie's core format, or that names an unknown connection. `details` has path, line and message",
  name: "A name other than letters, digits, dashes and underscores",
};

export const QUERY_REFUSALS = {
  content: METRIC_REFUSALS.content,
  metrics: "Unknown metrics, names that several files define, or metrics of several connections",
  dimensions:
    "Unknown or ambiguous fields, a grain on a field that is no time, or fields that only relate many-to-many",
  filters: "Unknown or ambiguous fields (`details` has choices), or values that do not fit the operator",
  timezone: "An unknown time zone",
  compare: "Without from and to",
  to: "A period that ends before it starts",
  orderBy: "A column that the result does not have",
};

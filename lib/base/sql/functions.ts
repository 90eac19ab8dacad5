/** Functions that completion and suggestions offer in every dialect. */
export const COMMON_FUNCTIONS = (
  "abs any_value avg ceil coalesce concat count date_diff date_part date_trunc dense_rank extract first_value floor greatest lag last_value lead " +
  "least length list lower max median min mode now nullif percentile_cont quantile_cont rank replace round row_number split_part stddev " +
  "strftime string_agg substring sum trim upper variance"
).split(" ");

/** Words reserved by MySQL or MariaDB alone that people use as names. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    "accessible analyze asensitive before bigint both cascade change char character condition continue cube cume_dist " +
    "databases day_hour day_minute day_second dec declare delayed deterministic div double dual each elseif empty enclosed " +
    "escaped exit explain first_value float force fulltext function generated get grant groups grouping high_priority " +
    "hour_minute hour_second if ignore index infile inout insensitive int integer interval iterate key keys kill lag " +
    "last_value lateral lead leading leave linear lines load localtime lock long loop low_priority match maxvalue mod " +
    "modifies nth_value ntile numeric of offset optimize option optionally out outfile over partition percent_rank " +
    "precision procedure purge range rank read reads real recursive regexp release rename repeat replace require resignal " +
    "return revoke rlike row row_number rows schema schemas sensitive separator show signal smallint spatial specific sql " +
    "ssl starting stored straight_join system terminated tinyint trailing trigger undo unlock unsigned usage use utc_date " +
    "utc_time varchar varying virtual while window write xor year_month zerofill"
  ).split(" "),
);

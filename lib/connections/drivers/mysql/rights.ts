/**
 * How many rights the user of the connection has that reach files of the server's machine or the server as a whole
 * (T42). Somebody who may read the grants sees those of everybody, so the own ones are picked out by name.
 */
export const REACHES_MACHINE_SQL = `
  SELECT count(*) FROM information_schema.user_privileges
  WHERE privilege_type IN ('FILE', 'SUPER') AND grantee = concat(
    quote(left(current_user(), length(current_user()) - length(substring_index(current_user(), '@', -1)) - 1)),
    '@', quote(substring_index(current_user(), '@', -1)))`;

export const REACHES_MACHINE =
  "This user has the right FILE or SUPER: it can reach files of the database's machine. Connect with a user that has only the rights that queries need.";

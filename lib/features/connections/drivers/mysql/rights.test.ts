import { expect, test } from "vitest";
import { warnOfRights } from "./rights";

/** Runs the check on a server that answers SHOW GRANTS with these lines, and with others when roles are named. */
const warning = (lines: string[], ofRoles: Record<string, string[]> = {}) =>
  warnOfRights(async (query) => {
    const using = / USING (.*)$/.exec(query)?.[1];
    return (using === undefined ? lines : [...lines, ...(ofRoles[using] ?? [])]).map((line) => [line]);
  });

test.each([
  ["GRANT USAGE ON *.* TO `a`@`%`", "GRANT SELECT, SHOW VIEW ON `shop`.* TO `a`@`%`"],
  ["GRANT SELECT, INSERT, PROCESS, EXECUTE ON *.* TO `a`@`%` IDENTIFIED BY PASSWORD '*B69027'"],
  // Neither is global, and the second is no privilege.
  ["GRANT ALL PRIVILEGES ON `shop`.* TO `a`@`%`", "GRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION"],
  ["GRANT USAGE ON *.* TO `GRANT FILE ON *.* TO `@`%`"],
])("T42 does not warn about data privileges: %s", async (...lines) => expect(await warning(lines)).toBeNull());

test.each([
  [["GRANT FILE ON *.* TO `a`@`%`"], "(FILE)"],
  [["GRANT SELECT, RELOAD, FILE, SUPER ON *.* TO `a`@`%`"], "(FILE, SUPER, RELOAD)"],
  [["GRANT ALL PRIVILEGES ON *.* TO `a`@`%` WITH GRANT OPTION"], "(ALL PRIVILEGES)"],
  [
    ["GRANT SELECT ON *.* TO `a`@`%`", "GRANT SYSTEM_VARIABLES_ADMIN,XA_RECOVER_ADMIN ON *.* TO `a`@`%`"],
    "(SYSTEM_VARIABLES_ADMIN, XA_RECOVER_ADMIN)",
  ],
  [["GRANT A, B, C, D, E, SHUTDOWN ON *.* TO `a`@`%`"], "(SHUTDOWN, A, B, C and 2 more)"],
  // A role of MariaDB, whose grants are listed with the user's.
  [["GRANT `boss` TO `a`@`%`", "GRANT USAGE ON *.* TO `a`@`%`", "GRANT FILE ON *.* TO `boss`"], "(FILE)"],
])("T42 warns about other privileges: %s", async (lines, named) => expect(await warning(lines)).toContain(named));

test("T42 asks MySQL for the privileges of a user's roles", async () => {
  const lines = ["GRANT USAGE ON *.* TO `a`@`%`", "GRANT `b``c`@`%`,`d`@`%` TO `a`@`%`"];
  const ofRoles = { "`b``c`@`%`,`d`@`%`": ["GRANT SUPER ON *.* TO `a`@`%`"] };
  expect(await warning(lines, ofRoles)).toContain("(SUPER)");
  expect(await warning(lines)).toBeNull();
});

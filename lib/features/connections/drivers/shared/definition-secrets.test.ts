import { expect, test } from "vitest";
import { redactDefinition } from "./definition-secrets";

const columns = "CREATE TABLE `t` (\n  `id` int(11) DEFAULT NULL\n)";

test.each<[what: string, definition: string, expected: string]>([
  [
    "a URL",
    `${columns} ENGINE=FEDERATED CONNECTION='mysql://u:pw@h:1/d/t'`,
    `${columns} ENGINE=FEDERATED CONNECTION='***'`,
  ],
  [
    "a URL with an escaped quote",
    `${columns} CONNECTION='mysql://u:p\\'w@h/d/t' COMMENT='x'`,
    `${columns} CONNECTION='***' COMMENT='x'`,
  ],
  ["a URL with a doubled quote", `${columns} CONNECTION='mysql://u:p''w@h/d/t'`, `${columns} CONNECTION='***'`],
  [
    "a string for ODBC",
    `${columns} ENGINE=CONNECT CONNECTION='DSN=a;UID=b;PWD=c'`,
    `${columns} ENGINE=CONNECT CONNECTION='***'`,
  ],
  [
    "an option of an engine",
    `${columns} ENGINE=CONNECT \`OPTION_LIST\`='user=a,password=b'`,
    `${columns} ENGINE=CONNECT \`OPTION_LIST\`='***'`,
  ],
  ["an unknown option in a comment", `${columns} /* \`PASSWORD\`='a' */`, `${columns} /* \`PASSWORD\`='***' */`],
  ["a comment of Spider", `${columns} COMMENT='wrapper "mysql", host "h", password "b"'`, `${columns} COMMENT='***'`],
  ["a comment with escaped quotes", `${columns} COMMENT='user \\"a\\", password \\"b\\"'`, `${columns} COMMENT='***'`],
  [
    "a comment of a partition",
    `${columns}\n PARTITION BY HASH (id)\n(PARTITION p0 COMMENT = 'password "x"' ENGINE = SPIDER)`,
    `${columns}\n PARTITION BY HASH (id)\n(PARTITION p0 COMMENT = '***' ENGINE = SPIDER)`,
  ],
  [
    "a connection of a partition",
    `${columns} (PARTITION p0 CONNECTION = 'mysql://u:pw@h/d')`,
    `${columns} (PARTITION p0 CONNECTION = '***')`,
  ],
  [
    "a pre-authenticated address",
    `${columns} ENGINE_ATTRIBUTE='{"file":[{"par":"https://a/b"}]}'`,
    `${columns} ENGINE_ATTRIBUTE='***'`,
  ],
  [
    "an argument of an engine",
    "CREATE TABLE a (`x` Int8) ENGINE = URL('https://u:pw@h/x', 'CSV')",
    "CREATE TABLE a (`x` Int8) ENGINE = URL('***', 'CSV')",
  ],
])("C24 hides %s in a definition", (_, definition, expected) => {
  expect(redactDefinition(definition, "backslash")).toBe(expected);
});

test.each([
  `${columns} ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='Users and their passwords'`,
  `${columns} COMMENT='The password is hashed: see docs'`,
  `${columns} ENGINE=FEDERATED CONNECTION='server-1/table'`,
  `${columns} ENGINE=FEDERATED CONNECTION='server'`,
  "CREATE TABLE `t` (`password` varchar(9) DEFAULT 'x' COMMENT 'a token', CHECK (`password` <> 'a' or `password` = 'b'))",
  "CREATE TABLE t (a text DEFAULT 'https://example.com/a:b', b text DEFAULT 'a@b')",
  "CREATE VIEW v AS select 1 AS `a` from t where url like '%password=%'",
  "CREATE VIEW v AS SELECT id FROM t WHERE token = 'abc' AND password <> 'x'",
  `${columns} DATA DIRECTORY='/a' KEY_BLOCK_SIZE=8`,
])("C24 keeps a definition without secrets: %s", (definition) => {
  expect(redactDefinition(definition, "backslash")).toBe(definition);
});

test("C24 reads a backslash as a character if the database does", () => {
  expect(redactDefinition("OPTIONS (a '\\', dsn 'postgres://u:pw@h')", "plain")).toBe("OPTIONS (a '\\', dsn '***')");
});

/** How an administrator makes a user for us that can read and nothing else. Kinds without users of their own have none. */
export type ReaderHint = { text: string; statements: string };

export const READER_HINTS: Readonly<Record<string, ReaderHint | undefined>> = {
  postgres: {
    text: "Run this once as an admin of the database. It can read every table and change nothing.",
    statements: "create role millrace_reader\n  login password '...';\ngrant pg_read_all_data\n  to millrace_reader;",
  },
  mysql: {
    text: "Run this once as an admin of the server, with the name of your database. It can read and change nothing.",
    statements:
      "create user 'millrace_reader'@'%'\n  identified by '...';\ngrant select, show view\n  on my_database.*\n  to 'millrace_reader'@'%';",
  },
  mongodb: {
    text: "Run this once in the shell as an admin, with the name of your database. It can read and change nothing.",
    statements:
      'use my_database\ndb.createUser({\n  user: "millrace_reader",\n  pwd: passwordPrompt(),\n  roles: ["read"]\n})',
  },
  clickhouse: {
    text: "Run this once as an admin of the server, with the name of your database. It can read and change nothing.",
    statements:
      "create user millrace_reader\n  identified by '...'\n  settings readonly = 2;\ngrant select on my_database.*\n  to millrace_reader;",
  },
};

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Client } from "pg";
import { startPostgres, type TestServer } from "./postgres";

/*
 * A stand-in for Amazon Redshift: a real PostgreSQL with Redshift's catalogue, behind a proxy that refuses what Redshift
 * refuses. Sources: Redshift's documentation ("Unsupported PostgreSQL features", BEGIN, SET, RESET), and reports about
 * its protocol (npgsql 1433 on DISCARD, node-pg-cursor 14 and 55 on portals).
 */

/** Texts that Redshift refuses. PostgreSQL runs the replacement, which is a syntax error. */
const REFUSED: readonly RegExp[] = [
  /^\s*discard\b/i,
  /^\s*deallocate\b/i,
  /^\s*set\s+(?:transaction|session\s+characteristics)\b/i,
  /^\s*begin\b[^;]*\bdeferrable\b/i,
  /\bon\s+conflict\b/i,
  /\bexplain\s*\(/i,
  /\bexplain\s+analy[sz]e\b/i,
  /\bset_config\s*\(/i,
  /\bgenerate_series\s*\([^)]*\)\s+from\b/i,
  /\blateral\b/i,
  /\bunnest\s*\(/i,
  /\bjson(?:b)?_(?:agg|build_object)\s*\(/i,
  /\bregclass\b/i,
  /\barray\s*\(/i,
];
/** Settings that PostgreSQL 8.0 does not have. */
const UNKNOWN_SETTINGS = ["standard_conforming_strings", "bytea_output", "intervalstyle", "jit"];
const SINGLE_NODE_ROWS_MAX = 1000;

const CATALOG = `
  set allow_system_table_mods = on;
  create view pg_catalog.svv_tables as select table_catalog::text, table_schema::text, table_name::text,
    case when table_type = 'FOREIGN' then 'EXTERNAL TABLE' else table_type end::text as table_type
    from information_schema.tables;
  create view pg_catalog.svv_columns as select table_catalog::text, table_schema::text, table_name::text,
    column_name::text, ordinal_position::int, is_nullable::text, data_type::text, character_maximum_length::int,
    numeric_precision::int, numeric_scale::int from information_schema.columns;
  create function pg_catalog.getdate() returns timestamp language sql as 'select now()::timestamp';
  create function pg_catalog.from_hex(text) returns bytea language sql immutable as $$ select decode($1, 'hex') $$;
  grant select on pg_catalog.svv_tables, pg_catalog.svv_columns to public;`;

export type RedshiftStandIn = TestServer & {
  /** Runs statements as the owner, past the proxy. */
  admin(sql: string): Promise<void>;
  /** The texts that reached the server, in order, by connection. */
  readonly conversations: readonly string[][];
  /** Makes BEGIN READ ONLY begin a transaction that may write. */
  ignoreReadOnly(isIgnored: boolean): void;
};

/** @returns null if PostgreSQL is not installed */
export async function startRedshiftStandIn(): Promise<RedshiftStandIn | null> {
  const server = await startPostgres();
  if (!server) return null;
  const admin = async (sql: string) => {
    const client = new Client({ ...server });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await admin(CATALOG);
  const conversations: string[][] = [];
  let isReadOnlyIgnored = false;
  const rewrite = (text: string) => {
    if (REFUSED.some((pattern) => pattern.test(text)))
      return `redshift_refuses ${text.slice(0, 20).replace(/\W/g, "_")}`;
    const shown = /^show (?:table|view) (.+)$/i.exec(text)?.[1];
    if (shown) return `select 'CREATE TABLE ${shown.replaceAll("'", "''")} ();' from (select '${shown}'::regclass) t`;
    return text
      .replace(/\bcollate\(([^,]+), 'case_sensitive'\)/gi, '($1 collate "C")')
      .replace(/^BEGIN READ ONLY/i, isReadOnlyIgnored ? "BEGIN" : "$&");
  };
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(server.port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        sockets.delete(socket);
        // Ended, not cut: a cancel request may still be on its way.
        client.end();
        upstream.end();
      });
    }
    const texts: string[] = [];
    conversations.push(texts);
    const session = new Conversation((text) => {
      texts.push(text);
      return rewrite(text);
    });
    client.on("data", (chunk) => {
      const refusal = session.ask(chunk, (bytes) => upstream.write(bytes));
      if (refusal !== null) client.end(refusal);
    });
    upstream.on("data", (chunk) => client.write(session.answer(chunk)));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    ...server,
    port: (proxy.address() as AddressInfo).port,
    admin,
    conversations,
    ignoreReadOnly: (isIgnored) => {
      isReadOnlyIgnored = isIgnored;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await server.stop();
    },
  };
}

const code = (letter: string) => letter.charCodeAt(0);
const HEADER_BYTES = 5;

/** One connection: checks and rewrites its messages in both directions. */
class Conversation {
  readonly #rewrite: (text: string) => string;
  #asked = Buffer.alloc(0);
  #answered = Buffer.alloc(0);
  #isStarted = false;
  #isSuspended = false;

  constructor(rewrite: (text: string) => string) {
    this.#rewrite = rewrite;
  }

  /** @returns a message that ends the connection, null to go on */
  ask(chunk: Buffer, send: (bytes: Buffer) => void): Buffer | null {
    this.#asked = Buffer.concat([this.#asked, chunk]);
    for (;;) {
      const start = this.#isStarted ? 1 : 0;
      if (this.#asked.length < start + 4) return null;
      const length = this.#asked.readUInt32BE(start) + start;
      if (this.#asked.length < length) return null;
      const message = this.#asked.subarray(0, length);
      this.#asked = this.#asked.subarray(length);
      if (!this.#isStarted) {
        const refusal = this.#start(message);
        if (refusal !== null) return refusal;
        send(message);
        continue;
      }
      send(this.#toServer(message));
    }
  }

  /** The startup message; cancel and TLS requests pass. */
  #start(message: Buffer): Buffer | null {
    if (message.readUInt32BE(4) !== 196_608) return null;
    this.#isStarted = true;
    const settings = message.subarray(8).toString("utf8").toLowerCase().split("\0");
    const unknown = UNKNOWN_SETTINGS.find((name) => settings.includes(name));
    return unknown === undefined ? null : failure(`unrecognized configuration parameter "${unknown}"`, "42704");
  }

  #toServer(message: Buffer): Buffer {
    const [letter] = message;
    const body = message.subarray(HEADER_BYTES);
    if (letter === code("S")) this.#isSuspended = false;
    if (letter === code("Q")) return textMessage("Q", [], this.#rewrite(body.toString("utf8", 0, body.length - 1)), []);
    if (letter === code("P")) {
      const nameEnd = body.indexOf(0);
      const textEnd = body.indexOf(0, nameEnd + 1);
      const text = body.toString("utf8", nameEnd + 1, textEnd);
      // A suspended portal takes no other statement before the next sync.
      const sent = this.#isSuspended ? "invalid_protocol_sequence_P" : this.#rewrite(text);
      return textMessage("P", [body.subarray(0, nameEnd + 1)], sent, [body.subarray(textEnd + 1)]);
    }
    if (letter === code("E")) {
      const rows = body.readUInt32BE(body.length - 4);
      const isNamed = body[0] !== 0;
      if (isNamed && rows <= SINGLE_NODE_ROWS_MAX) return message;
      const whole = Buffer.from(message);
      // The limit of an unnamed portal is ignored; one of more rows is an error, here an unknown portal.
      if (!isNamed) whole.writeUInt32BE(0, message.length - 4);
      else whole[HEADER_BYTES] = code("?");
      return whole;
    }
    return message;
  }

  /** Passes the server's messages, with Redshift's version. */
  answer(chunk: Buffer): Buffer {
    this.#answered = Buffer.concat([this.#answered, chunk]);
    const out: Buffer[] = [];
    for (;;) {
      // The answer to a TLS request is one letter.
      if (!this.#isStarted && this.#answered.length > 0) {
        out.push(this.#answered);
        this.#answered = Buffer.alloc(0);
      }
      if (this.#answered.length < HEADER_BYTES) break;
      const length = this.#answered.readUInt32BE(1) + 1;
      if (this.#answered.length < length) break;
      const message = this.#answered.subarray(0, length);
      this.#answered = this.#answered.subarray(length);
      if (message[0] === code("s")) this.#isSuspended = true;
      const isVersion = message[0] === code("S") && message.toString("utf8", 5, 20).startsWith("server_version\0");
      out.push(isVersion ? textMessage("S", [Buffer.from("server_version\0")], "8.0.2", []) : message);
    }
    return Buffer.concat(out);
  }
}

/** Returns a message with a text that ends with a zero. */
function textMessage(letter: string, before: readonly Buffer[], text: string, after: readonly Buffer[]): Buffer {
  const body = Buffer.concat([...before, Buffer.from(`${text}\0`), ...after]);
  const head = Buffer.alloc(HEADER_BYTES);
  head.write(letter, 0);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function failure(message: string, sqlState: string): Buffer {
  return textMessage("E", [Buffer.from(`SFATAL\0C${sqlState}\0M${message}\0`)], "", []);
}

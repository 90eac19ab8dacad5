import { expect, test } from "vitest";
import { ask, openWith } from "@/test/conformance/drivers/subjects";
import { CERTIFICATE_KEY, VALID_CERTIFICATE } from "@/test/servers/certificates";
import { startMariaDb } from "@/test/servers/mariadb";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import { mysql } from "../mysql";
import { postgres } from "../postgres";

const addressOf = (scheme: string, { user, password, host, port, database }: TestServer, options: string) => ({
  connectionString: `${scheme}://${user}:${password}@${host}:${port}/${database}?${options}`,
});

test("C45 prefers TLS on PostgreSQL, and continues without it only if the string allows that", async (context) => {
  const plain = await startPostgres();
  if (!plain) return context.skip();
  const secured = await startPostgres({ certificate: { cert: VALID_CERTIFICATE, key: CERTIFICATE_KEY } });
  const isSecured = async (server: TestServer, options: string) => {
    const source = await openWith(postgres, addressOf("postgresql", server, options), false);
    try {
      const { rows } = await ask(source, "select ssl from pg_stat_ssl where pid = pg_backend_pid()", {
        readOnly: false,
      });
      return rows[0]?.[0];
    } finally {
      await source.close();
    }
  };
  for (const options of ["sslmode=prefer", "sslmode=allow"]) {
    expect([options, await isSecured(plain, options)]).toEqual([options, false]);
    expect([options, secured && (await isSecured(secured, options))]).toEqual([options, true]);
  }
  await expect(isSecured(plain, "sslmode=require")).rejects.toThrow("does not support TLS");
  await plain.stop();
  await secured?.stop();
});

test("C45 prefers TLS on MariaDB, and continues without it only if the string allows that", async (context) => {
  const plain = await startMariaDb(["--skip-ssl"]);
  if (!plain) return context.skip();
  const one = async (options: string) => {
    const source = await openWith(mysql, addressOf("mysql", plain, options), false);
    try {
      return (await ask(source, "select 1", { readOnly: false })).rows;
    } finally {
      await source.close();
    }
  };
  for (const options of ["ssl-mode=PREFERRED", "tls=preferred"]) expect(await one(options)).toEqual([[1]]);
  await expect(one("ssl-mode=REQUIRED")).rejects.toThrow("does not support TLS");
  await plain.stop();
});

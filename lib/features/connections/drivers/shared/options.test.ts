import { describe, expect, test } from "vitest";
import { parseClickHouseConfig } from "../clickhouse/config";
import { parseMysqlConfig } from "../mysql/config";
import { parsePostgresConfig } from "../postgres/config";

const PARSERS = {
  postgresql: parsePostgresConfig,
  mysql: parseMysqlConfig,
  clickhouse: parseClickHouseConfig,
};
type Scheme = keyof typeof PARSERS;

const parse = (scheme: Scheme, options: string) =>
  PARSERS[scheme]({ connectionString: `${scheme}://u:p@db.example.com/shop?${options}` });

/** Connection strings from hosts and libraries, with their TLS options. */
const ACCEPTED: [host: string, scheme: Scheme, options: string, tls: object][] = [
  ["Prisma with PgBouncer", "postgresql", "pgbouncer=true&connection_limit=1&pool_timeout=0", { ssl: "disable" }],
  ["Prisma", "postgresql", "schema=public&sslaccept=strict", { ssl: "verify-full" }],
  ["Prisma, any certificate", "mysql", "sslaccept=accept_invalid_certs", { ssl: "require" }],
  ["libpq", "postgresql", "sslmode=prefer&connect_timeout=10&application_name=shop", { ssl: "require", mayBePlain: true }],
  ["libpq, allow", "postgresql", "sslmode=allow", { ssl: "require", mayBePlain: true }],
  ["Neon", "postgresql", "sslmode=require&channel_binding=require", { ssl: "require", options: { channel_binding: "require" } }],
  ["Neon without SNI", "postgresql", "sslmode=require&options=endpoint%3Dep-cool-name-123", { options: { options: "endpoint=ep-cool-name-123" } }],
  ["Neon, project", "postgresql", "options=project%3Dep-cool-name-123", { options: { options: "project=ep-cool-name-123" } }],
  ["Supabase pooler", "postgresql", "pgbouncer=true&supa=base-pooler.x&sslmode=require", { ssl: "require" }],
  ["Supabase on Vercel", "postgresql", "workaround=supabase-pooler.vercel", { ssl: "disable" }],
  ["node-postgres", "postgresql", "sslmode=require&uselibpqcompat=true", { ssl: "require" }],
  ["Heroku", "postgresql", "sslmode=no-verify", { ssl: "require" }],
  ["Railway", "postgresql", "ssl=true", { ssl: "require" }],
  ["RDS", "postgresql", "sslmode=verify-full&sslrootcert=system&target_session_attrs=read-write", { ssl: "verify-full" }],
  ["SQLAlchemy asyncpg", "postgresql", "prepared_statement_cache_size=0&statement_cache_size=0", { ssl: "disable" }],
  ["pgx", "postgresql", "keepalives=1&keepalives_idle=30&gssencmode=disable&load_balance_hosts=disable", { ssl: "disable" }],
  ["psycopg", "postgresql", "client_encoding=utf8&fallback_application_name=x", { ssl: "disable" }],
  ["PlanetScale", "mysql", 'ssl={"rejectUnauthorized":true}', { ssl: "verify-full" }],
  ["PlanetScale with Prisma", "mysql", "sslaccept=strict&connect_timeout=300", { ssl: "verify-full" }],
  ["Go", "mysql", "tls=true&charset=utf8mb4&parseTime=True&loc=Local", { ssl: "verify-full" }],
  ["Go, any certificate", "mysql", "tls=skip-verify", { ssl: "require" }],
  ["Go, preferred", "mysql", "tls=preferred", { ssl: "require", mayBePlain: true }],
  ["DigitalOcean", "mysql", "ssl-mode=REQUIRED", { ssl: "require" }],
  ["MySQL's default", "mysql", "ssl-mode=PREFERRED", { ssl: "require", mayBePlain: true }],
  ["JDBC", "mysql", "useSSL=false&serverTimezone=UTC&characterEncoding=UTF-8&allowPublicKeyRetrieval=true", { ssl: "disable" }],
  ["ClickHouse", "clickhouse", "secure=true&connect_timeout=10", { ssl: "verify-full" }],
]; // biome-ignore format: one look

test.each(ACCEPTED)("C45 accepts the options of %s", (_host, scheme, options, tls) => {
  expect(parse(scheme, options)).toMatchObject(tls);
});

/** Options that read files, run programs, change settings or name another server. */
const REFUSED: [Scheme, string][] = [
  ["postgresql", "options=-c%20search_path%3Devil"],
  ["postgresql", "options=project%3Dx%20-c%20role%3Dpostgres"],
  ["postgresql", "host=/var/run/postgresql"],
  ["postgresql", "hostaddr=10.0.0.1"],
  ["postgresql", "service=prod"],
  ["postgresql", "passfile=/etc/passwd"],
  ["postgresql", "sslcert=/etc/ssl/a.pem"],
  ["postgresql", "sslkey=/etc/ssl/a.key"],
  ["postgresql", "sslrootcert=/etc/ssl/ca.pem"],
  ["postgresql", "sslpassword=x"],
  ["postgresql", "user=other"],
  ["postgresql", "sslmode=never"],
  ["postgresql", "client_encoding=SQL_ASCII"],
  ["postgresql", "replication=database"],
  ["mysql", "allowLoadLocalInfile=true"],
  ["mysql", "allowAllFiles=true"],
  ["mysql", "allowMultiQueries=true"],
  ["mysql", "multiStatements=true"],
  ["mysql", "multipleStatements=true"],
  ["mysql", "socketPath=/var/run/mysqld.sock"],
  ["mysql", "ssl-ca=/etc/ca.pem"],
  ["mysql", "init_command=drop%20table%20t"],
  ["mysql", 'ssl={"ca":"/etc/ca.pem"}'],
  ["clickhouse", "max_execution_time=0"],
];

test.each(REFUSED)("C45 rejects %s with %s", (scheme, options) => {
  expect(() => parse(scheme, options)).toThrow("is not supported");
});

describe("the form's TLS setting", () => {
  test.each(["disable", "require", "verify-full"])("C45 overrides the string's preference: %s", (ssl) => {
    const config = { connectionString: "postgresql://u:p@h/d?sslmode=prefer", ssl };
    expect(parsePostgresConfig(config)).toMatchObject({ ssl });
    expect(parsePostgresConfig(config)).not.toHaveProperty("mayBePlain");
  });
});

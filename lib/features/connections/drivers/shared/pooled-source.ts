import "server-only";
import type { SchemaChoice } from "../../schema";
import type { NetworkConfig } from "./config";
import { sessionsMaxFor } from "./limits";
import { toSchemaChoice } from "./schema-choices";
import type { OnServer, ServerSide } from "./server";
import { SessionPool } from "./session-pool";
import { type StatementRun, type StatementSession, withSession } from "./statement-run";

export type PoolRules<S> = {
  open(signal: AbortSignal): Promise<S>;
  /** Runs a driver query. */
  read(session: S, sql: string): Promise<unknown[][]>;
  /** Converts the error of a statement. @param query the text that positions refer to */
  toFailure(error: unknown, query: string, secrets: readonly string[]): Error;
  schemasSql: string;
  defaultSchemaSql: string;
};

/** An SQL database through a pool of sessions; each statement runs in a clean one. */
export abstract class PooledSource<S extends StatementSession> {
  protected readonly pool: SessionPool<S>;
  protected readonly secrets: readonly string[];
  protected readonly server: ServerSide;
  readonly #rules: PoolRules<S>;

  constructor({ password, server }: OnServer<NetworkConfig>, rules: PoolRules<S>) {
    this.pool = new SessionPool(rules.open, sessionsMaxFor(server.queriesMax));
    this.secrets = [password];
    this.server = server;
    this.#rules = rules;
  }

  async schemas(signal: AbortSignal): Promise<SchemaChoice[]> {
    const rows = await this.ask(signal, (session) => this.#rules.read(session, this.#rules.schemasSql));
    return rows.map(toSchemaChoice);
  }

  async defaultSchema(signal: AbortSignal): Promise<string | null> {
    const [row] = await this.ask(signal, (session) => this.#rules.read(session, this.#rules.defaultSchemaSql));
    return typeof row?.[0] === "string" ? row[0] : null;
  }

  /** Opens a session outside of the pool, which never enters it. */
  protected openOwn(signal: AbortSignal): Promise<S> {
    return this.#rules.open(signal);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /** Runs driver work in a session. */
  protected async ask<T>(signal: AbortSignal, work: (session: S) => Promise<T>): Promise<T> {
    try {
      return await withSession(this.pool, signal, work);
    } catch (error) {
      throw signal.aborted ? signal.reason : this.#rules.toFailure(error, "", this.secrets);
    }
  }

  /** Ends a statement and returns the error for its reader. */
  protected ended(run: StatementRun<S>, error: unknown, text: string, signal: AbortSignal): unknown {
    run.end();
    return signal.aborted ? signal.reason : this.#rules.toFailure(error, text, this.secrets);
  }
}

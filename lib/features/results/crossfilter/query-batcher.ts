import "server-only";
import { setImmediate as turn } from "node:timers/promises";
import { AppError } from "@/lib/platform/http/errors";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { isLight, toTogetherStatement } from "./batched-statement";
import type { Answer } from "./finish";
import type { Shift } from "./period";
import { type AggregateSpec, type Condition, LIMIT_MAX } from "./spec";
import { type Statement, type TableField, toAggregateStatement } from "./statement";
import { type Kept, queryTables, queryTablesTogether, timeKept } from "./tables";

/** Maximum number of concurrent statements of one page. */
const STATEMENTS_AT_ONCE = 2;
/** Maximum number of queued queries of one page: sixty widgets, each with its trend or previous period. */
const WAITING_MAX = 300;
/**
 * Maximum number of queries in one statement. The columns of each are null in the rows of the others, so with many,
 * most of an answer would be empty.
 */
const TOGETHER_MAX = 8;

type Ask = { kept: Kept; spec: AggregateSpec; conditions: readonly Condition[]; shift: Shift | null };
type Build = (table: string, fields: readonly TableField[]) => Statement;
type Waiting = Ask & PromiseWithResolvers<Answer>;

/** Runs the queries of one page: simultaneous ones with the same conditions become one statement. */
export class QueryBatcher {
  readonly #places = new Semaphore(STATEMENTS_AT_ONCE, WAITING_MAX);
  #waiting: Waiting[] = [];

  /** @param zone time zone of the page */
  constructor(
    private readonly zone: string,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws AppError as `toAggregateStatement` and `queryTables` */
  ask(kept: Kept, spec: AggregateSpec, conditions: readonly Condition[], shift: Shift | null = null): Promise<Answer> {
    const waiting = { kept, spec, conditions, shift, ...Promise.withResolvers<Answer>() };
    // All widgets of a page query within one turn of the event loop.
    if (this.#waiting.push(waiting) === 1) void turn().then(() => this.#send());
    return waiting.promise;
  }

  /** Runs one statement alone. @throws AppError as `build` and `queryTables` */
  run(kept: Kept, build: Build): Promise<Answer> {
    return this.#places.run(() => queryTables(kept, this.zone, build, this.signal), this.signal);
  }

  /** Runs one statement alone and measures its duration, for the widget's editor. */
  async measure(kept: Kept, build: Build) {
    return this.#places.run(() => timeKept(kept, this.zone, build, this.signal), this.signal);
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const group of toGroups(waiting)) void this.#answer(group);
  }

  async #answer(group: readonly Waiting[]): Promise<void> {
    const [first, ...others] = group;
    if (!first) return;
    try {
      if (others.length === 0) first.resolve(await this.#alone(first));
      else {
        const answers = await this.#together(first, group);
        for (const [index, answer] of answers.entries()) group[index]?.resolve(answer);
      }
    } catch (error) {
      // An error of one query must not fail the others.
      const isOfOne = error instanceof AppError && (error.kind === "invalid_request" || error.kind === "query_failed");
      if (others.length > 0 && isOfOne) for (const each of group) void this.#answer([each]);
      else for (const { reject } of group) reject(error);
    }
  }

  #alone(ask: Ask): Promise<Answer> {
    return this.run(ask.kept, toStatement(ask));
  }

  #together({ kept, conditions, shift }: Ask, group: readonly Ask[]): Promise<Answer[]> {
    const specs = group.map(({ spec }) => spec);
    const build = (table: string, fields: readonly TableField[]) =>
      toTogetherStatement(table, fields, specs, conditions, shift);
    return this.#places.run(() => queryTablesTogether(kept, this.zone, build, this.signal), this.signal);
  }
}

function toStatement({ spec, conditions, shift }: Ask): Build {
  return (table, fields) => toAggregateStatement(table, fields, spec, conditions, shift);
}

/**
 * Groups queries into statements. Without filters there is no shared row selection to save, so each widget is queried
 * alone and does not wait for others.
 */
function toGroups(waiting: readonly Waiting[]): Waiting[][] {
  const groups: Waiting[][] = [];
  const open = new Map<string, { group: Waiting[]; rowsMax: number }>();
  for (const ask of waiting) {
    const { kept, spec, conditions, shift } = ask;
    if (conditions.length === 0 || !isLight(spec)) {
      groups.push([ask]);
      continue;
    }
    const key = JSON.stringify([kept.id, conditions, shift]);
    const known = open.get(key);
    if (known && known.group.length < TOGETHER_MAX && known.rowsMax + spec.limit <= LIMIT_MAX) {
      known.group.push(ask);
      known.rowsMax += spec.limit;
    } else {
      const group = [ask];
      groups.push(group);
      open.set(key, { group, rowsMax: spec.limit });
    }
  }
  return groups;
}

import "server-only";
import { collections } from "./collections";
import { holds, keyOf, readCondition } from "./expressions";
import type { JobFunction } from "./functions";
import type { EventDoc, EventPayload, TaskDoc } from "./model";
import type { Runs } from "./runs";

type RouterOptions = {
  runs: Runs;
  functions: () => ReadonlyMap<string, JobFunction>;
  /** Finishes a step that has waited. */
  finishTask: (task: TaskDoc, output: unknown) => Promise<void>;
};

/** Applies an event: starts runs, ends waits, and cancels runs. */
export class Router {
  readonly #options: RouterOptions;

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** Idempotent: a repeated call has no further effect. */
  async route(doc: EventDoc): Promise<void> {
    const event: EventPayload = JSON.parse(doc.payload);
    await this.#startRuns(event, doc._id);
    await this.#endWaits(event);
    await this.#options.runs.cancelBy(event, doc._id, doc.createdAt);
  }

  async #startRuns(event: EventPayload, eventId: string): Promise<void> {
    for (const fn of this.#options.functions().values()) {
      const isMeant = fn.events.some(
        ({ name, expression }) => name === event.name && (expression === null || holds(expression, { event })),
      );
      if (!isMeant) continue;
      const own = fn.idempotency?.({ event });
      const keyText = own === undefined ? `event ${event.id}` : `key ${JSON.stringify(own)}`;
      await this.#options.runs.start(fn, { event, eventId, keyText });
    }
  }

  async #endWaits(event: EventPayload): Promise<void> {
    const expressions = await collections.jobTasks().distinct("expression", { event: event.name });
    for (const text of expressions as string[]) {
      const waitKey = keyOf(readCondition(text), "async", { async: event });
      if (waitKey === null) continue;
      const waiting = collections.jobTasks().find({ event: event.name, expression: text, waitKey });
      for await (const task of waiting) await this.#options.finishTask(task, { data: event });
    }
  }
}

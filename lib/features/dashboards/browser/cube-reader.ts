import type { Cube } from "@/lib/base/cubes/cube";
import { type Narrowed, type OpenCube, openCube } from "@/lib/base/cubes/narrow";
import {
  type PageAsk,
  toAskText,
  toClickedWidget,
  toClickKey,
  toClickValue,
} from "@/lib/features/dashboards/browser/dashboard-choice";

type Read = (widgetId: string, asked: PageAsk, signal: AbortSignal) => Promise<Cube>;
/** Predicted data of widgets, and the ids of those that need a request. */
export type Step = { widgets: Narrowed[]; rest: string[] };

/** Users move to and fro between a few widgets. */
const KEPT_MAX = 4;
/** Same age as for server responses that are drawn without a request (`data-reader`). */
const FRESH_MS = 30_000;

type Held = { cubes: ReadonlyMap<string, OpenCube>; rest: string[]; atMs: number };

/**
 * Holds the cubes of the other widgets for clicks in the widget under the pointer, so that each step of a brush needs
 * no request. Where a cube is missing, the server is asked.
 */
export class CubeReader {
  readonly #read: Read;
  readonly #held = new Map<string, Held>();
  #running: { key: string; stop: AbortController } | null = null;

  constructor(read: Read) {
    this.#read = read;
  }

  /** Loads the cubes of the widget under the pointer or focus. Resolves when they are loaded or unavailable. */
  async enter(widgetId: string, asked: PageAsk): Promise<void> {
    const key = toKey(widgetId, asked);
    if (this.#find(key) || this.#running?.key === key) return;
    this.leave();
    const running = { key, stop: new AbortController() };
    this.#running = running;
    try {
      const { widgets } = await this.#read(widgetId, without(asked, widgetId), running.stop.signal);
      if (running.stop.signal.aborted) return;
      this.#held.set(key, toHeld(widgets));
      for (const oldest of this.#held.keys()) {
        if (this.#held.size <= KEPT_MAX) break;
        this.#held.delete(oldest);
      }
    } catch {
      // Without cubes, a brush asks the server, which reports the error.
    } finally {
      if (this.#running === running) this.#running = null;
    }
  }

  /** Aborts pending cubes when the pointer leaves. */
  leave(): void {
    this.#running?.stop.abort();
    this.#running = null;
  }

  /** Drops all cubes when the rows or the dashboard have changed. */
  forget(): void {
    this.leave();
    this.#held.clear();
  }

  /** Predicts the changes on a page when only the click in one widget changes; null when unknown. */
  predict(drawn: PageAsk, asked: PageAsk): Step | null {
    const keys = new Set([...Object.keys(drawn.filters), ...Object.keys(asked.filters)]);
    const changed = [...keys].filter((key) => !isSame(drawn.filters[key], asked.filters[key]));
    const widgetId = changed.length === 1 ? toClickedWidget(changed[0] ?? "") : null;
    if (widgetId === null || toKey(widgetId, drawn) !== toKey(widgetId, asked)) return null;
    return this.step(widgetId, asked);
  }

  /** Returns the data of the other widgets for the click in this one; null when unknown. */
  step(widgetId: string, asked: PageAsk): Step | null {
    const held = this.#find(toKey(widgetId, asked));
    if (!held) return null;
    const pressed = toClickValue(asked.filters[toClickKey(widgetId)]);
    const rest = [...held.rest];
    const widgets: Narrowed[] = [];
    for (const [id, cube] of held.cubes) {
      const narrowed = cube.narrow(pressed);
      if (narrowed) widgets.push(narrowed);
      else rest.push(id);
    }
    return { widgets, rest };
  }

  #find(key: string): Held | null {
    const held = this.#held.get(key);
    return held && Date.now() - held.atMs < FRESH_MS ? held : null;
  }
}

function toHeld(widgets: Cube["widgets"]): Held {
  const cubes = new Map<string, OpenCube>();
  const rest: string[] = [];
  for (const widget of widgets) {
    if ("axes" in widget) cubes.set(widget.id, openCube(widget));
    else if (widget.none !== "unaffected") rest.push(widget.id);
  }
  return { cubes, rest, atMs: Date.now() };
}

function without(asked: PageAsk, widgetId: string): PageAsk {
  const { [toClickKey(widgetId)]: _, ...filters } = asked.filters;
  return { ...asked, filters };
}

function toKey(widgetId: string, asked: PageAsk): string {
  return `${widgetId} ${toAskText(without(asked, widgetId))}`;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

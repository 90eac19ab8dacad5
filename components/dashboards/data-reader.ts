import { createStore } from "zustand/vanilla";
import type { CubeReader } from "@/lib/features/dashboards/browser/cube-reader";
import { type PageAsk, toAskText } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { WidgetData } from "@/lib/features/dashboards/schema";

/** The data on screen, and the state of the request for newer data. */
export type Reading = {
  /** Data of the widgets, by id; null before the first response. */
  data: ReadonlyMap<string, WidgetData> | null;
  /** Filters of `data`, as text. */
  of: string | null;
  readAtMs: number;
  /** Error of the newest request; the data on screen stays. */
  error: unknown;
  isReading: boolean;
  /** Start of the pending request; null when there is none. */
  sinceMs: number | null;
  /** Widgets whose data of the pending request has arrived: they are not stale. */
  arrived: ReadonlySet<string>;
  /** True once the request takes so long that stale data would pass for new. */
  isSlow: boolean;
};

/** Returns the error to show for the newest request; null while a retry is pending and nothing is drawn yet. */
export function toFailure({ data, error, isSlow }: Pick<Reading, "data" | "error" | "isSlow">): unknown {
  return data === null && isSlow ? null : error;
}

type Read = (asked: PageAsk, signal: AbortSignal, onWidget: (widget: WidgetData) => void) => Promise<WidgetData[]>;

/** Data that is replaced within this time is not marked as stale. */
const SLOW_MS = 300;
/** Maximum number of cached states. Two dozen of sixty widgets use little memory. */
const KEPT_MAX = 24;
/** Responses younger than this are drawn without a request, so going back through filters is immediate. */
const FRESH_MS = 30_000;

/** Fields of a widget's data that its chart depends on. */
const PARTS = ["fields", "rows", "trend", "before", "pivot"] as const;

const NONE: ReadonlySet<string> = new Set();
const NOTHING: Reading = {
  data: null,
  of: null,
  readAtMs: 0,
  error: null,
  isReading: false,
  sinceMs: null,
  arrived: NONE,
  isSlow: false,
};

/**
 * Reads the data of a dashboard: one request per state, one running and one waiting. Every response is drawn, widget by
 * widget, so that brushing an axis updates the page at any speed. Predicted data is drawn at once, and no older data
 * replaces it.
 */
export class DataReader {
  readonly #reading = createStore(() => NOTHING);
  #running: string | null = null;
  #waiting: { asked: PageAsk; text: string; isAnew: boolean } | null = null;
  /** State that every widget on screen shows. */
  #drawn: PageAsk | null = null;
  /** Widgets that show the newest state already, by prediction. */
  #ahead: ReadonlySet<string> = NONE;
  #kept = new Map<string, { widgets: WidgetData[]; atMs: number }>();
  #stop = new AbortController();
  #slow: ReturnType<typeof setTimeout> | undefined;
  /** Id of the widget under the pointer. */
  #entered: string | null = null;

  constructor(
    private readonly read: Read,
    /** Predicts the data after a click. */
    private readonly cubes: CubeReader | null = null,
  ) {}

  readonly subscribe = this.#reading.subscribe;

  readonly current = this.#reading.getState;

  /** Aborts the running request; nothing is drawn afterwards. The reader can be used again. */
  close(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#running = null;
    this.#waiting = null;
    this.cubes?.forget();
    clearTimeout(this.#slow);
  }

  /** Loads the cubes of the widget under the pointer or focus, so that clicks in it are answered in the browser. */
  enter(widgetId: string, asked: PageAsk): void {
    this.#entered = widgetId;
    void this.cubes?.enter(widgetId, asked);
  }

  leave(): void {
    this.#entered = null;
    this.cubes?.leave();
  }

  /** @param isAnew true to request a known state again, since its data may have changed */
  ask(asked: PageAsk, isAnew = false): void {
    const text = toAskText(asked);
    if (isAnew) {
      this.#kept.clear();
      this.cubes?.forget();
    }
    const kept = this.#kept.get(text);
    this.#ahead = NONE;
    if (kept && Date.now() - kept.atMs < FRESH_MS) {
      // The running request will replace it, and yields to it then.
      this.#waiting = this.#running === null ? null : { asked, text, isAnew: false };
      this.#drawn = asked;
      this.#put({ data: byId(kept.widgets), of: text, readAtMs: kept.atMs, error: null, isSlow: false });
      return;
    }
    if (!isAnew && this.#drawStep(asked)) return;
    if (this.#running !== null) {
      // The running request is the wanted one, unless the data has changed since it started.
      const isOwed = isAnew || this.#waiting?.isAnew === true;
      this.#waiting = this.#running === text && !isOwed ? null : { asked, text, isAnew: isOwed };
      return;
    }
    void this.#start(asked, text);
  }

  /** @returns whether no widget needs a request */
  #drawStep(asked: PageAsk): boolean {
    const step = this.#drawn === null ? null : this.cubes?.predict(this.#drawn, asked);
    if (!step) return false;
    const data = new Map(this.current().data ?? []);
    for (const widget of step.widgets) data.set(widget.id, widget);
    this.#put({ data });
    this.#ahead = new Set(step.widgets.map(({ id }) => id));
    if (step.rest.length > 0 || this.#running !== null) return false;
    this.#drawn = asked;
    this.#put({ of: toAskText(asked), error: null, isSlow: false });
    return true;
  }

  async #start(asked: PageAsk, text: string): Promise<void> {
    const { signal } = this.#stop;
    this.#running = text;
    this.#put({ isReading: true, sinceMs: Date.now(), arrived: NONE });
    clearTimeout(this.#slow);
    this.#slow = setTimeout(() => this.#put({ isSlow: true }), SLOW_MS);
    try {
      const widgets = await this.read(asked, signal, (widget) => {
        if (signal.aborted || this.#running !== text || this.#isAhead(widget.id)) return;
        const { data, arrived } = this.current();
        this.#put({
          data: new Map(data ?? []).set(widget.id, likeBefore(widget, data?.get(widget.id))),
          arrived: new Set(arrived).add(widget.id),
        });
      });
      if (signal.aborted) return;
      const atMs = Date.now();
      this.#kept.delete(text);
      this.#kept.set(text, { widgets, atMs });
      for (const oldest of this.#kept.keys()) {
        if (this.#kept.size <= KEPT_MAX) break;
        this.#kept.delete(oldest);
      }
      this.#drawn = asked;
      this.#put({ data: this.#withAhead(widgets), of: text, readAtMs: atMs, error: null });
      // Cubes of the previous rows were dropped, and the pointer is still in the widget.
      if (this.#entered !== null) void this.cubes?.enter(this.#entered, asked);
    } catch (error) {
      if (signal.aborted) return;
      this.#put({ error });
    }
    this.#running = null;
    const next = this.#waiting;
    this.#waiting = null;
    if (next) this.ask(next.asked, next.isAnew);
    if (this.#running !== null) return;
    clearTimeout(this.#slow);
    this.#put({ isReading: false, sinceMs: null, isSlow: false, arrived: NONE });
  }

  /** Returns whether a newer request is waiting and the widget already shows its state. */
  #isAhead(widgetId: string): boolean {
    return this.#waiting !== null && this.#ahead.has(widgetId);
  }

  #withAhead(widgets: readonly WidgetData[]): ReadonlyMap<string, WidgetData> {
    const newer = (widget: WidgetData) => (this.#isAhead(widget.id) && this.current().data?.get(widget.id)) || widget;
    return byId(widgets.map((widget) => likeBefore(newer(widget), this.current().data?.get(widget.id))));
  }

  #put(news: Partial<Reading>): void {
    this.#reading.setState(news);
  }
}

/** Keeps the objects of unchanged rows, so that their charts are not drawn again. */
function likeBefore(widget: WidgetData, before: WidgetData | undefined): WidgetData {
  if (!before || before === widget) return widget;
  const same = PARTS.filter((part) => JSON.stringify(widget[part]) === JSON.stringify(before[part]));
  return { ...widget, ...Object.fromEntries(same.map((part) => [part, before[part]])) };
}

function byId(widgets: readonly WidgetData[]): ReadonlyMap<string, WidgetData> {
  return new Map(widgets.map((each) => [each.id, each]));
}

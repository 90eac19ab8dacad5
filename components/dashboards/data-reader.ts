import type { WidgetData } from "@/lib/features/dashboards/browser/client";
import type { CubeReader } from "@/lib/features/dashboards/browser/cube-reader";
import { type PageAsk, toAskText } from "@/lib/features/dashboards/browser/dashboard-choice";

/** What is drawn, and what is being read. */
export type Reading = {
  /** What the widgets show, by their ids; null before the first answer. */
  data: ReadonlyMap<string, WidgetData> | null;
  /** What `data` was narrowed by, as text. */
  of: string | null;
  readAtMs: number;
  /** Why the newest reading has failed; what is drawn stays. */
  error: unknown;
  isReading: boolean;
  /** Since when what is being read is awaited; null while nothing is. */
  sinceMs: number | null;
  /** The widgets whose answers to what is being read have come: they are not old. */
  arrived: ReadonlySet<string>;
  /** It takes so long that somebody would take the old for the new. */
  isSlow: boolean;
};

/** What is to be said of the newest reading; null while the next one is awaited in its place, with nothing drawn yet. */
export function toFailure({ data, error, isSlow }: Pick<Reading, "data" | "error" | "isSlow">): unknown {
  return data === null && isSlow ? null : error;
}

type Read = (asked: PageAsk, signal: AbortSignal, onWidget: (widget: WidgetData) => void) => Promise<WidgetData[]>;

/** A picture that is replaced within this time needs no sign that it is old. */
const SLOW_MS = 300;
/** States that somebody may come back to: two dozen of sixty widgets are still little. */
const KEPT_MAX = 24;
/** So old an answer is drawn again without asking: going back through filters is at once. */
const FRESH_MS = 30_000;

/** What pictures are made from. */
const PARTS = ["fields", "rows", "trend", "before"] as const;

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
 * Reads what a dashboard shows: one request a state, one running and one waiting. An answer that has come is always
 * drawn, widget by widget, so that dragging over an axis moves what is seen, however fast it goes. What is foreseen is
 * drawn at once, and nothing older comes over it.
 */
export class DataReader {
  #reading = NOTHING;
  #running: string | null = null;
  #waiting: { asked: PageAsk; text: string; isAnew: boolean } | null = null;
  /** What all widgets that are drawn show. */
  #drawn: PageAsk | null = null;
  /** The widgets that show the newest state already, by what was foreseen. */
  #ahead: ReadonlySet<string> = NONE;
  #kept = new Map<string, { widgets: WidgetData[]; atMs: number }>();
  #listeners = new Set<() => void>();
  #stop = new AbortController();
  #slow: ReturnType<typeof setTimeout> | undefined;
  /** Where the pointer is. */
  #entered: string | null = null;

  constructor(
    private readonly read: Read,
    /** By which it knows what a press will show. */
    private readonly cubes: CubeReader | null = null,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  current = (): Reading => this.#reading;

  /** Lets what runs go; nothing is drawn after that. It can be asked again. */
  close(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#running = null;
    this.#waiting = null;
    this.cubes?.forget();
    clearTimeout(this.#slow);
  }

  /** The pointer, or the focus, has come to a widget: what is pressed in it is answered here as soon as its cubes are there. */
  enter(widgetId: string, asked: PageAsk): void {
    this.#entered = widgetId;
    void this.cubes?.enter(widgetId, asked);
  }

  leave(): void {
    this.#entered = null;
    this.cubes?.leave();
  }

  /** @param isAnew asks although the answer is known, since what it is made of may have changed */
  ask(asked: PageAsk, isAnew = false): void {
    const text = toAskText(asked);
    if (isAnew) {
      this.#kept.clear();
      this.cubes?.forget();
    }
    const kept = this.#kept.get(text);
    this.#ahead = NONE;
    if (kept && Date.now() - kept.atMs < FRESH_MS) {
      // What runs comes over it, and gives way to it then.
      this.#waiting = this.#running === null ? null : { asked, text, isAnew: false };
      this.#drawn = asked;
      this.#put({ data: byId(kept.widgets), of: text, readAtMs: kept.atMs, error: null, isSlow: false });
      return;
    }
    if (!isAnew && this.#drawStep(asked)) return;
    if (this.#running !== null) {
      // The one that runs is what was wanted, unless something has changed since it began.
      const isOwed = isAnew || this.#waiting?.isAnew === true;
      this.#waiting = this.#running === text && !isOwed ? null : { asked, text, isAnew: isOwed };
      return;
    }
    void this.#start(asked, text);
  }

  /** @returns whether nothing of it is left to be asked for */
  #drawStep(asked: PageAsk): boolean {
    const step = this.#drawn === null ? null : this.cubes?.foresee(this.#drawn, asked);
    if (!step) return false;
    const data = new Map(this.#reading.data ?? []);
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
        const { data, arrived } = this.#reading;
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
      // Cubes of the rows of before are gone, and the pointer is still there.
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

  /** Something newer waits, and the widget shows it already. */
  #isAhead(widgetId: string): boolean {
    return this.#waiting !== null && this.#ahead.has(widgetId);
  }

  #withAhead(widgets: readonly WidgetData[]): ReadonlyMap<string, WidgetData> {
    const newer = (widget: WidgetData) => (this.#isAhead(widget.id) && this.#reading.data?.get(widget.id)) || widget;
    return byId(widgets.map((widget) => likeBefore(newer(widget), this.#reading.data?.get(widget.id))));
  }

  #put(news: Partial<Reading>): void {
    this.#reading = { ...this.#reading, ...news };
    for (const listener of this.#listeners) listener();
  }
}

/** Rows that are as before stay the same objects: a chart of them is not drawn again. */
function likeBefore(widget: WidgetData, before: WidgetData | undefined): WidgetData {
  if (!before || before === widget) return widget;
  const same = PARTS.filter((part) => JSON.stringify(widget[part]) === JSON.stringify(before[part]));
  return { ...widget, ...Object.fromEntries(same.map((part) => [part, before[part]])) };
}

function byId(widgets: readonly WidgetData[]): ReadonlyMap<string, WidgetData> {
  return new Map(widgets.map((each) => [each.id, each]));
}

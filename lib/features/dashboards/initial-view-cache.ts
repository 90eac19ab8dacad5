import "server-only";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { Binary, type ObjectId } from "mongodb";
import { toPresetDays } from "@/lib/base/values/date-presets";
import { log } from "@/lib/platform/log";
import { collections } from "./collections";
import type { DashboardDoc } from "./model";
import type { WidgetData } from "./schema";

/** The view of a page, as far as its initial view depends on it. */
type Look = { doc: DashboardDoc; zone: string; now: Date };
type Stands = ReadonlyMap<string, { kept: { table: { id: string } } | null; error: string | null }>;

/*
 * The unfiltered view of a dashboard, stored whole beside the rows. A viewer of a page whose tables are on no server
 * waits for one read only.
 */

const MIB = 1024 * 1024;
/** Far below the store's document limit. Sixty widgets of five thousand rows exceed it and are computed each time. */
const PAGE_BYTES_MAX = 4 * MIB;
/** Size as JSON: a page that decompresses to more is not legitimate. */
const PAGE_JSON_BYTES_MAX = 64 * MIB;
/** Increment when the data of widgets changes: pages stored by older versions are computed again. */
const PAGE_FORMAT = 3;
/** Maximum number of zones per dashboard: its viewers use a handful. */
const ZONES_MAX = 8;

/**
 * Returns a key of everything that an initial view depends on: the dashboard's text, the rows, and the day, since
 * ranges move with it. Null where a read failed: that may change at any moment.
 */
export function toPageKey(look: Look, stands: Stands): string | null {
  const parts: [string, string][] = [];
  for (const [name, { kept, error }] of stands) {
    if (!kept || error !== null) return null;
    parts.push([name, kept.table.id]);
  }
  if (parts.length === 0) return null;
  const today = toPresetDays("today", look.now, look.zone).from;
  const said = [PAGE_FORMAT, look.doc.version, look.zone, today, parts.sort(([a], [b]) => (a < b ? -1 : 1))];
  return createHash("sha256").update(JSON.stringify(said)).digest("base64");
}

/** Returns the initial view with this key; null when none is cached. A failed read counts as none. */
export async function findFirstPage({ doc, zone, now }: Look, key: string): Promise<WidgetData[] | null> {
  try {
    const kept = await collections.firstPages().findOne({ ...placeOf(doc, zone), key });
    if (!kept) return null;
    const text = await promisify(gunzip)(kept.page.buffer, { maxOutputLength: PAGE_JSON_BYTES_MAX });
    const widgets = JSON.parse(text.toString("utf8")) as WidgetData[];
    return widgets.map((widget) => ({ ...widget, ageMs: ageOf(widget, now) }));
  } catch (error) {
    log.warn({ err: error, dashboardId: doc._id.toHexString() }, "failed to read a cached initial view");
    return null;
  }
}

/**
 * Stores an initial view in place of the previous one. A page with a failed widget is not stored, so it is computed
 * each time.
 */
export async function keepFirstPage({ doc, zone }: Look, key: string, widgets: readonly WidgetData[]): Promise<void> {
  if (widgets.some(({ error }) => error !== undefined)) return;
  try {
    const json = Buffer.from(JSON.stringify(widgets));
    if (json.length > PAGE_JSON_BYTES_MAX) return;
    const page = await promisify(gzip)(json);
    if (page.length > PAGE_BYTES_MAX) return;
    const change = { $set: { key, page: new Binary(page), at: new Date() } };
    const { upsertedId } = await collections.firstPages().updateOne(placeOf(doc, zone), change, { upsert: true });
    if (upsertedId) await dropOldest(doc);
  } catch (error) {
    log.warn({ err: error, dashboardId: doc._id.toHexString() }, "failed to cache an initial view");
  }
}

/** Returns the time zones with cached initial views. */
export async function zonesOfPages({ _id, workspaceId }: DashboardDoc): Promise<string[]> {
  const kept = await collections
    .firstPages()
    .find({ workspaceId, dashboardId: _id }, { projection: { zone: 1 } })
    .limit(ZONES_MAX)
    .toArray();
  return kept.map(({ zone }) => zone);
}

/** Deletes the initial views of a deleted dashboard. */
export async function dropFirstPages(workspaceId: ObjectId, dashboardId: ObjectId): Promise<void> {
  await collections.firstPages().deleteMany({ workspaceId, dashboardId });
}

async function dropOldest({ _id, workspaceId }: DashboardDoc): Promise<void> {
  const place = { workspaceId, dashboardId: _id };
  const old = await collections
    .firstPages()
    .find(place, { projection: { _id: 1 } })
    .sort({ at: -1 })
    .skip(ZONES_MAX)
    .toArray();
  if (old.length > 0)
    await collections.firstPages().deleteMany({ ...place, _id: { $in: old.map(({ _id: id }) => id) } });
}

function ageOf({ cachedAt }: WidgetData, now: Date): number | null {
  return cachedAt === null ? null : Math.max(0, now.getTime() - Date.parse(cachedAt));
}

function placeOf({ _id, workspaceId }: DashboardDoc, zone: string) {
  return { workspaceId, dashboardId: _id, zone };
}

import { formatZoned } from "@/lib/base/values/clock-parts";
import "server-only";
import type { ObjectId } from "mongodb";
import { drawPage } from "@/lib/platform/engines/pictures/draw";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { collections } from "../collections";
import { readText } from "../content";
import { openPage, readDataOf } from "../data";
import type { DashboardDoc } from "../model";
import { OWNER_LEFT, readerOf } from "../parts";
import type { DataQuery, Filter } from "../schema";
import { toPicturePage, type WidgetWords } from "./page";
import type { PictureTheme } from "./paint";
import type { PagePeriod } from "./parts";

/** The view of a page: `filters` as in the request for its data, as JSON. */
export type PageLook = PagePeriod & { filters: string; timezone: string };
export type DrawnDashboard = {
  title: string;
  png: Buffer;
  pdf: Buffer | null;
  words: WidgetWords[];
};

/** Theme and file format of a picture. */
export type PictureForm = { theme: PictureTheme; withPdf: boolean };

/** The recipient of a picture may be outside the workspace, and database errors name tables and queries. */
const UNREADABLE = "Couldn't load this widget. Open the dashboard for details.";
const NOTHING_READ = "Couldn't load the dashboard. Open it for details.";

/**
 * Draws a dashboard as a picture and in words, read with its owner's rights.
 * @throws AppError `not_found` when it is deleted; `forbidden` when its owner has left; `query_failed` when nothing of
 * it could be read; `invalid_request` for filters that it no longer has; `unavailable`
 */
export async function drawDashboard(
  workspaceId: ObjectId,
  dashboardId: ObjectId,
  look: PageLook,
  { theme, withPdf }: PictureForm,
  at: Date,
  signal: AbortSignal,
): Promise<DrawnDashboard> {
  const doc = await collections.dashboards().findOne({ _id: dashboardId, workspaceId });
  if (!doc) throw new AppError("not_found", "The dashboard was deleted.");
  if (!(await readerOf(doc))) throw new AppError("forbidden", OWNER_LEFT);
  const { widgets: data } = await readDataOf(doc, toQuery(look), signal, () => UNREADABLE);
  if (data.length > 0 && data.every(({ cachedAt, error }) => cachedAt === null && error !== undefined)) {
    throw new AppError("query_failed", NOTHING_READ);
  }
  const { widgets, filters } = readText(doc.content);
  const { grain, compare, timezone } = look;
  const lines = [
    formatZoned(at, timezone),
    ...filterWords(filters, JSON.parse(look.filters) as Record<string, unknown>),
  ];
  const page = { title: doc.title, lines, widgets, data, zone: timezone, period: { grain, compare }, theme };
  const { page: toDraw, words } = toPicturePage(page);
  const { png, pdf, undrawn } = await drawPage(toDraw, withPdf);
  if (undrawn > 0) log.info({ dashboardId: dashboardId.toHexString(), undrawn }, "charts could not be drawn");
  return { title: doc.title, png, pdf, words };
}

/** @throws AppError invalid_request for an unknown filter, and for a value of another kind */
export function refuseBadLook(doc: DashboardDoc, look: PageLook): void {
  openPage(doc, toQuery(look), new AbortController().signal, String);
}

function toQuery({ filters, grain, compare, timezone }: PageLook): DataQuery {
  return { filters, timezone, ...(grain && { grain }), ...(compare && { compare }) };
}

/** Describes the filters of the page in words. */
function filterWords(filters: readonly Filter[], values: Record<string, unknown>): string[] {
  return filters.flatMap((filter) => {
    const value = Object.hasOwn(values, filter.id) ? values[filter.id] : filter.default;
    const words = wordsOf(value);
    return words === "" ? [] : [`${filter.title || filter.field}: ${words}`];
  });
}

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(String).join(" or ");
  if (typeof value !== "object")
    return String(value).replace(/([a-z])([A-Z0-9])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
  const { from, to } = value as { from?: string | null; to?: string | null };
  return from && to ? `${from} to ${to}` : from ? `from ${from}` : to ? `until ${to}` : "";
}

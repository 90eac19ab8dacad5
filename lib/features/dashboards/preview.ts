import "server-only";
import { ObjectId } from "mongodb";
import { isSameJson } from "@/lib/base/values/same-json";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { type DatasetLimits, keepNewest } from "@/lib/features/results/datasets/service";
import type { Caller } from "@/lib/platform/access/caller";
import { complete, partNameOf, readText, refuseUnfit, sourcesOf } from "./content";
import { asItIs, computeAll, type Shelf, type Stand, standParts, toLook } from "./data";
import { fillVariables } from "./filter-variables";
import { readsData } from "./kinds/traits";
import { allPartsOf, originOf, type Part } from "./parts";
import type { DashboardFile, Preview, PreviewBody } from "./schema";
import { getDashboardDocOrThrow } from "./service";
import { refuseUnreadable } from "./sources";
import { refuseBadSpecs } from "./specs";

const MIB = 1024 * 1024;
/** Limits of a source in preview: enough for a mostly accurate chart, at a fraction of a saved dataset's size. */
const TRIED_LIMITS: DatasetLimits = { rows: 200_000, bytes: 32 * MIB, workspaceBytes: 2048 * MIB };
/** Maximum number of preview datasets per user: enough for an afternoon of editing. */
const TRIED_MAX = 20;
/** Retention of preview data: the next day a draft is read again. */
const TRIED_MS = 24 * 60 * 60 * 1000;

/**
 * Returns the data of unsaved widgets, and the columns of their sources. Saved sources are computed from the
 * dashboard's cached rows, as for every viewer. All others are read with the caller's own rights, cached for the caller
 * only, and rejected where saving would reject them.
 * @throws AppError not_found for a dashboard, connection or console; invalid_request for parts that do not fit together
 */
export async function previewDashboard(caller: Caller, body: PreviewBody, signal: AbortSignal): Promise<Preview> {
  const doc = body.dashboardId ? await getDashboardDocOrThrow(caller, new ObjectId(body.dashboardId)) : null;
  const file: DashboardFile = {
    title: "",
    description: "",
    ...{ datasets: [], widgets: [], filters: [] },
    ...complete(body),
  };
  refuseUnfit(file);
  const saved = doc && readText(doc.content);
  refuseBadSpecs(file.widgets, saved?.widgets);
  const look = toLook(file, body.values, {
    isRows: false,
    isMeasured: true,
    zone: body.timezone,
    signal,
    toReader: asItIs,
  });
  const known = saved ? allPartsOf(saved) : [];
  const isKnown = ({ name, source, variables }: Part) =>
    // Filters of the draft may fill variables with other values.
    variables === undefined && known.some((part) => part.name === name && isSameJson(part.source, source));
  const parts = fillVariables(look, allPartsOf(file));
  const added = sourcesOf(file).filter(({ source }) => !known.some((part) => isSameJson(part.source, source)));
  await refuseUnreadable(caller, doc?.ownerId ?? caller.user._id, added);

  const { workspaceId } = caller;
  const owner = { workspaceId, kind: "draft" as const, id: caller.user._id };
  await keepNewest(owner, TRIED_MAX, new Date(Date.now() - TRIED_MS));
  const tried: Shelf = {
    reader: caller,
    owner,
    origin: { kind: "draft", id: doc?._id ?? null },
    signal,
    // Keyed by source: the same source in another widget, or in a new draft, is not read twice.
    nameOf: (_, sourceKey) => sourceKey,
    limits: TRIED_LIMITS,
  };
  const reader = doc && (await callerOfJob(workspaceId, doc.ownerId, doc._id));
  const kept: Shelf | null =
    doc && reader
      ? { reader, owner: { workspaceId, kind: "dashboard", id: doc._id }, origin: originOf(doc), signal }
      : null;
  const stand = async (wanted: readonly Part[]) => {
    const stands = new Map<string, Stand>();
    const ofPage = kept ? wanted.filter(isKnown) : [];
    if (kept) await standParts(kept, ofPage, stands);
    // Preview sources are truncated earlier than saved ones, so their totals are shown with the notice.
    await standParts(
      tried,
      wanted.filter((part) => !ofPage.includes(part)).map((part) => ({ ...part, acceptTruncated: true })),
      stands,
    );
    return stands;
  };
  const stands = await stand(parts);
  const drawn = file.widgets.filter(readsData);
  const widgets = await computeAll(look, drawn, stands, (widget) =>
    stand(parts.filter(({ name }) => name === partNameOf(widget))),
  );
  return { widgets, sources: parts.map(({ name }) => toSource(name, stands.get(name), look.now)) };
}

function toSource(name: string, stand: Stand | undefined, now: Date): Preview["sources"][number] {
  const { kept = null, error = null } = stand ?? {};
  return {
    name,
    fields: kept?.fields ?? [],
    rowCount: kept?.rowCount ?? null,
    cachedAt: kept?.at.toISOString() ?? null,
    ageMs: kept ? Math.max(0, now.getTime() - kept.at.getTime()) : null,
    truncated: kept?.truncated ?? false,
    ...(error !== null && { error }),
  };
}

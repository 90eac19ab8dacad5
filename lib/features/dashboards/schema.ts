import { z } from "zod";
import { NO_CUBE } from "@/lib/base/cubes/cube";
import { DATE_PRESETS } from "@/lib/base/values/date-presets";
import { FIELD_TYPES } from "@/lib/base/values/fields";
import { access, commitMessage, fileCommitSchema, seenDraftAt, version } from "@/lib/features/folders/schema";
import { metricSource } from "@/lib/features/metrics/schema";
import { params, query, variableName, timezone as zone } from "@/lib/features/query/schema";
import { FILTER_KINDS } from "@/lib/features/results/crossfilter/filters";
import { COMPARISONS, GRAINS } from "@/lib/features/results/crossfilter/words";
import { scheduleSchema } from "@/lib/features/runs/schedules/schema";
import { logLineSchema, runSchema } from "@/lib/features/runs/schema";
import {
  boundedText,
  exactNumber,
  isoDate,
  isShortJson,
  isStorable,
  objectIdText,
  STORABLE,
  shortJson,
  trimmedText,
} from "@/lib/platform/http/schema";
import { WIDGET_KINDS } from "./kinds/traits";
import { DATASETS_MAX, FILTERS_MAX, GRID_ROWS_MAX, TAB_CHARS_MAX, TITLE_CHARS_MAX, WIDGETS_MAX } from "./limits";

const DESCRIPTION_CHARS_MAX = 2_000;
const NAME_CHARS_MAX = 120;
/** A tab's name is a link: people must see it, and an address must hold it. */
const isTabName = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text) && /[^\p{C}\p{Z}]/u.test(text);
/** Longer than any column name that we have seen. */
const FIELD_CHARS_MAX = 500;
/** Maximum length of a value that a user picks or types. Lists of values omit longer ones. */
export const VALUE_CHARS_MAX = 1_000;
const VALUES_MAX = 200;
/** Same limit as for a console's chart: longer ones contain rows, which belong in a dataset. */
const SPEC_CHARS_MAX = 64 * 1024;
/** Longer than any readable query; twenty of them fit into a request body. */
const READ_CHARS_MAX = 256 * 1024;
/** Two texts as JSON fit into a request body of 1 MiB. Larger drafts stay in the browser. */
const DRAFT_CHARS_MAX = 400 * 1024;
/** Far beyond any screen's grid; anything larger is a mistake. */
const COLUMNS_MAX = 48;
const HEIGHT_MAX = 100;
/** After a month, a cached result is no longer useful. */
const AGE_MAX_S = 31 * 24 * 60 * 60;

const title = trimmedText(TITLE_CHARS_MAX, "Title is required.")
  .refine(isStorable, "The title contains an invalid character.")
  .meta({ allOf: [STORABLE] });
const description = boundedText(DESCRIPTION_CHARS_MAX)
  .refine(isStorable, "The description contains an invalid character.")
  .meta(STORABLE);

export const localId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "IDs must have 1 to 64 letters, digits, dashes or underscores.")
  .describe("Unique per type in the dashboard");
const ownId = localId.optional().describe("Default: generated");

const read = { query, params: params.optional() };
const isRead = (source: object) => isShortJson(source, READ_CHARS_MAX);
const READ_TOO_LONG = `Queries with parameters are limited to ${READ_CHARS_MAX / 1024} KiB of JSON.`;
const connectionSource = z.object({ connectionId: objectIdText, ...read }).refine(isRead, READ_TOO_LONG);
const consoleSource = z.object({ consoleId: objectIdText });
const metricsSource = metricSource
  .refine(isRead, READ_TOO_LONG)
  .describe("A question about metrics; each metric and dimension is a column");
const datasetSource = z.object({ datasetId: localId });
const readSource = z.union(
  [connectionSource, consoleSource, metricsSource],
  "source must be {connectionId, query}, {consoleId} or {metrics}.",
);
const source = z.union(
  [connectionSource, consoleSource, datasetSource, metricsSource],
  "source must be {connectionId, query}, {consoleId}, {datasetId} or {metrics}.",
);

const acceptTruncated = z.boolean().optional().describe("Allows totals of a truncated result. Default: rejected");

const dataset = z.object({
  id: ownId,
  name: trimmedText(NAME_CHARS_MAX, "Dataset name is required."),
  source: readSource,
  maxAgeS: z
    .int("maxAgeS must be a whole number of seconds.")
    .min(1, "maxAgeS must be at least 1 second.")
    .max(AGE_MAX_S, "maxAgeS must be at most 31 days.")
    .nullish()
    .describe("Cache duration in seconds; null: refresh on demand only"),
  acceptTruncated,
});

const layout = z.object({
  x: z.int().min(0).max(COLUMNS_MAX),
  y: z.int().min(0).max(GRID_ROWS_MAX),
  w: z.int().min(1).max(COLUMNS_MAX),
  h: z.int().min(1).max(HEIGHT_MAX),
});

const tab = trimmedText(TAB_CHARS_MAX, "Tab name is required.").refine(
  isTabName,
  "Enter a tab name of visible characters.",
);
const widget = z.object({
  id: ownId,
  kind: z.enum(WIDGET_KINDS),
  title: boundedText(TITLE_CHARS_MAX).nullish(),
  source: source.nullish().describe("Required except for text widgets"),
  spec: shortJson(SPEC_CHARS_MAX, `Widget specifications are limited to ${SPEC_CHARS_MAX / 1024} KiB of JSON.`)
    .nullish()
    .describe("Dimensions, measures and chart settings"),
  layout: layout.nullish().describe("Grid position. Default: below all other widgets"),
  tab: tab
    .nullish()
    .describe(
      "Name of the tab that shows it; tabs appear in the order of their first widgets. Default, and null: all tabs",
    ),
  acceptTruncated: acceptTruncated.describe("Same as for a dataset, for a widget with its own source"),
});

/** A number that no double can represent is sent as text, as lists of values offer it. */
const value = z.union([boundedText(VALUE_CHARS_MAX), z.number(), z.boolean(), exactNumber]).meta({
  reference: { anyOf: [{ type: "string", maxLength: VALUE_CHARS_MAX }, { type: "number" }, { type: "boolean" }] },
});
const day = z.iso.date("Use dates such as 2026-05-31.");
const dateRange = z.union(
  [
    z
      .object({ from: day.nullish(), to: day.nullish() })
      .refine(({ from, to }) => !from || !to || from <= to, "The range end is before its start."),
    z.enum(DATE_PRESETS),
  ],
  `Date ranges must be {from?, to?} with from ≤ to, or one of ${DATE_PRESETS.join(", ")}.`,
);
const filterFields = {
  id: ownId,
  field: boundedText(FIELD_CHARS_MAX).min(1, "Filter field is required."),
  title: boundedText(TITLE_CHARS_MAX).nullish().describe("Default: the field name"),
  datasets: z
    .union([z.array(localId).max(DATASETS_MAX), z.literal("all")])
    .optional()
    .describe("Default: all widgets that have the field"),
  exclude: z.array(localId).max(WIDGETS_MAX).optional().describe("Widgets that it does not filter"),
  columns: z
    .record(localId, boundedText(FIELD_CHARS_MAX).min(1, "Column is required."))
    .refine((value) => Object.keys(value).length <= WIDGETS_MAX + DATASETS_MAX, "Too many columns.")
    .optional()
    .describe("Column to filter by dataset ID, or by ID of a widget with its own source. Default: `field`"),
  variables: z
    .record(
      localId,
      z.strictObject(
        { value: variableName.optional(), from: variableName.optional(), to: variableName.optional() },
        "Use value, or from and to for a date range.",
      ),
    )
    .refine((value) => Object.keys(value).length <= WIDGETS_MAX + DATASETS_MAX, "Too many variables.")
    .optional()
    .describe(
      "Variables that it fills in a console, by ID of the dataset, or of the widget with its own source. Then it filters only a column in `columns` there",
    ),
};
const filter = z.discriminatedUnion("kind", [
  z.object({ ...filterFields, kind: z.literal("dateRange"), default: dateRange.nullish() }),
  z.object({ ...filterFields, kind: z.literal("select"), default: value.nullish() }),
  z.object({
    ...filterFields,
    kind: z.literal("multiSelect"),
    default: z.array(value.nullable()).max(VALUES_MAX).nullish(),
  }),
  z.object({ ...filterFields, kind: z.literal("search"), default: boundedText(VALUE_CHARS_MAX).nullish() }),
]);

const datasets = z.array(dataset).max(DATASETS_MAX, `Dashboards are limited to ${DATASETS_MAX} datasets.`);
const widgets = z.array(widget).max(WIDGETS_MAX, `Dashboards are limited to ${WIDGETS_MAX} widgets.`);
const filters = z.array(filter).max(FILTERS_MAX, `Dashboards are limited to ${FILTERS_MAX} filters.`);

/** Content of a dashboard in a request. */
const parts = { datasets: datasets.optional(), widgets: widgets.optional(), filters: filters.optional() };
const sentParts = z.object(parts);
export type SentParts = z.infer<typeof sentParts>;

export const createDashboardBody = z.object({
  title,
  description: description.nullish(),
  folderId: objectIdText.nullish(),
  access: access.optional().describe("Default: the folder's access, or private"),
  ...parts,
  message: commitMessage,
});
export type CreateDashboardBody = z.infer<typeof createDashboardBody>;

/** Properties that are not sent stay unchanged. */
export const updateDashboardBody = z.object({
  version,
  title: title.optional(),
  description: description.nullish(),
  folderId: objectIdText.nullish().describe("null is the top level"),
  access: access.optional(),
  ...parts,
  message: commitMessage,
});
export type UpdateDashboardBody = z.infer<typeof updateDashboardBody>;

const keptWidget = widget.extend({
  id: localId,
  title: z.string(),
  source: source.nullable(),
  spec: z.record(z.string(), z.unknown()),
  layout,
  tab: tab.optional(),
});
const keptDataset = dataset.extend({ id: localId, maxAgeS: z.int().nullable() });
const keptFilter = z.object({
  ...filterFields,
  id: localId,
  kind: z.enum(FILTER_KINDS),
  title: z.string().nullable(),
  datasets: z.union([z.array(localId), z.literal("all")]),
  exclude: z.array(localId),
  default: z.unknown().describe("null: no filter by default"),
});
export type Widget = z.infer<typeof keptWidget>;
export type Dataset = z.infer<typeof keptDataset>;
export type Filter = z.infer<typeof keptFilter>;
export type Source = NonNullable<Widget["source"]>;
export type Layout = z.infer<typeof layout>;

/** A dashboard's file in the repository. */
export const dashboardFileSchema = z.object({
  title,
  description,
  datasets: z.array(keptDataset).max(DATASETS_MAX),
  widgets: z.array(keptWidget).max(WIDGETS_MAX),
  filters: z.array(keptFilter).max(FILTERS_MAX),
});
export type DashboardFile = z.infer<typeof dashboardFileSchema>;

export const dashboardRunSchema = runSchema.extend({ logs: z.array(logLineSchema).describe("End of its log") });
export type DashboardRun = z.infer<typeof dashboardRunSchema>;

export const dashboardSchema = z.object({
  id: objectIdText,
  path: z.string().describe("Folder path and file name, without the extension"),
  title: z.string(),
  description: z.string(),
  folderId: objectIdText.nullable(),
  access,
  ownerId: objectIdText.describe("User whose permissions are used to read data"),
  version: z.int(),
  schedule: scheduleSchema.nullable().describe("Refresh schedule"),
  lastRun: runSchema.nullable().describe("Last refresh"),
  datasets: z.array(keptDataset),
  widgets: z.array(keptWidget),
  filters: z.array(keptFilter),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Dashboard = z.infer<typeof dashboardSchema>;

/** A dashboard as a link shows it, without its sources. */
export const sharedDashboardSchema = z.object({
  title: z.string(),
  description: z.string(),
  version: z.int(),
  widgets: z.array(keptWidget.omit({ source: true })),
  filters: z.array(keptFilter.omit({ datasets: true, columns: true, variables: true })),
});
export type SharedDashboard = z.infer<typeof sharedDashboardSchema>;

/** Lists omit the content: two hundred could be 200 MiB. */
export const dashboardSummarySchema = dashboardSchema.omit({ datasets: true, widgets: true, filters: true });
export type DashboardSummary = z.infer<typeof dashboardSummarySchema>;

export const dashboardCommitSchema = fileCommitSchema.extend({
  changes: z.array(z.string()).describe("Summary of changes per widget"),
});
export type DashboardCommit = z.infer<typeof dashboardCommitSchema>;

const draftText = boundedText(DRAFT_CHARS_MAX, "Drafts are limited to 400 KiB.");
/** Unsaved changes of a user. */
export const dashboardDraftSchema = z.object({
  content: z.string().describe("Content as the client sent it"),
  base: z.string().describe("Saved content that the draft changes"),
  version: z.int().describe("Dashboard version of `base`"),
  updatedAt: isoDate,
});
export type DashboardDraft = z.infer<typeof dashboardDraftSchema>;
export const putDashboardDraftBody = z.object({
  content: draftText,
  base: draftText.min(1, "Send the saved content that the draft changes."),
  version: z.int(),
  updatedAt: seenDraftAt,
});
export type PutDashboardDraftBody = z.infer<typeof putDashboardDraftBody>;

export const undeleteDashboardBody = z
  .object({
    folderId: objectIdText.nullish().describe("Target folder. Default: its old folder; null is the top level"),
  })
  .default({});

const connectionName = boundedText(NAME_CHARS_MAX + 20).describe("Connection name");
const exportedRead = z.object({ connection: connectionName, ...read }).refine(isRead, READ_TOO_LONG);
const exportedSource = z.union(
  [exportedRead, datasetSource],
  "source must be {connection, query} with the connection's name, or {datasetId}.",
);

/** A portable dashboard, without ids of other resources. */
export const exportedDashboardSchema = z.object({
  title,
  description: description.nullish(),
  datasets: z
    .array(dataset.extend({ source: exportedRead }))
    .max(DATASETS_MAX)
    .optional(),
  widgets: z
    .array(widget.extend({ source: exportedSource.nullish() }))
    .max(WIDGETS_MAX)
    .optional(),
  filters: filters.optional(),
});
export type ExportedDashboard = z.infer<typeof exportedDashboardSchema>;

export const importDashboardBody = z.object({
  dashboard: exportedDashboardSchema,
  connections: z
    .record(connectionName, objectIdText)
    .optional()
    .describe("Connection ID per name. Default: the connection with this name"),
  folderId: objectIdText.nullish(),
  access: access.optional().describe("Default: the folder's access, or private"),
});
export type ImportDashboardBody = z.infer<typeof importDashboardBody>;

/** A character takes up to nine bytes of an address, and the server accepts 128 KiB for the address and all headers. */
const FILTERS_CHARS_MAX = 8_000;
/** The length of a filter's id, or of a widget's id with its @. */
export const FILTER_KEY_CHARS_MAX = 65;
const TYPED_CHARS_MAX = 200;
const LIST_VALUES_MAX = 200;
const timezone = zone.default("UTC").describe("Time zone for days, weeks and hours");
const filterValues = z
  .string()
  .max(
    FILTERS_CHARS_MAX,
    `Filters in a URL are limited to ${FILTERS_CHARS_MAX} characters. Send longer ones in the body of a POST.`,
  )
  .optional()
  .describe("JSON: filter values by filter ID, null for none. Omitted filters use their default");
const sentFilters = z
  .record(boundedText(FILTER_KEY_CHARS_MAX), z.unknown())
  .optional()
  .describe("Filter values by filter ID, null for none. Omitted filters use their default");
/** Query of a shared page: the data of its widgets, and never the rows behind them (T95). */
export const sharedDataQuery = z.object({
  widget: localId.optional().describe("Returns only this widget"),
  filters: filterValues,
  timezone,
  grain: z.enum(GRAINS).optional().describe("Time unit that overrides the widgets' own"),
  compare: z.enum(COMPARISONS).optional().describe("Comparison with the previous period or the same period last year"),
});
const ZOOM = "Narrows the widget by its own selection too, as rows do";
export const dataQuery = sharedDataQuery
  .extend({
    rows: z.enum(["true", "false"]).optional().describe("First 1,000 underlying rows"),
    zoom: z.enum(["true", "false"]).optional().describe(ZOOM),
  })
  .refine(({ rows, widget }) => rows !== "true" || widget !== undefined, "rows=true requires widget.")
  .refine(({ zoom, widget }) => zoom !== "true" || widget !== undefined, "zoom=true requires widget.");
/** Filters are an object when they come from a body. */
type WithFilters<T> = Omit<T, "filters"> & { filters?: string | Record<string, unknown> | undefined };
export type DataQuery = WithFilters<z.output<typeof dataQuery>>;
export const cubeQuery = sharedDataQuery.omit({ widget: true });
export type CubeQuery = WithFilters<z.output<typeof cubeQuery>>;
/** The same as a body, for filters that are too long for an address. */
export const sharedDataBody = sharedDataQuery.extend({ filters: sentFilters });
export const dataBody = sharedDataBody
  .extend({
    rows: z.boolean().optional().describe("First 1,000 underlying rows"),
    zoom: z.boolean().optional().describe(ZOOM),
  })
  .refine(({ rows, widget }) => !rows || widget !== undefined, "rows=true requires widget.")
  .refine(({ zoom, widget }) => !zoom || widget !== undefined, "zoom=true requires widget.")
  .transform(({ rows, zoom, ...body }) => ({
    ...{ ...body, ...(rows && { rows: "true" as const }) },
    ...(zoom && { zoom: "true" as const }),
  }));
export const cubeBody = cubeQuery.extend({ filters: sentFilters });
export const valuesQuery = z.object({
  filters: filterValues,
  q: boundedText(TYPED_CHARS_MAX).optional().describe("Case-insensitive search text"),
  limit: z.coerce.number().int().min(1).max(LIST_VALUES_MAX).default(LIST_VALUES_MAX),
  timezone,
});
export type ValuesQuery = WithFilters<z.output<typeof valuesQuery>>;
export const valuesBody = valuesQuery.extend({
  filters: sentFilters,
  limit: z.int().min(1).max(LIST_VALUES_MAX).default(LIST_VALUES_MAX),
});

export const previewBody = z.object({
  dashboardId: objectIdText.optional().describe("Dashboard being edited; its cached data is reused"),
  ...parts,
  values: z
    .record(localId, z.unknown())
    .refine((values) => Object.keys(values).length <= FILTERS_MAX, "Too many filter values.")
    .default({})
    .describe("Filter values by filter ID, null for none. Omitted filters use their default"),
  timezone,
});
export type PreviewBody = z.output<typeof previewBody>;

const fieldSchema = z.object({ name: z.string(), type: z.enum(FIELD_TYPES), dbType: z.string() });
export const widgetDataSchema = z.object({
  id: z.string(),
  fields: z.array(fieldSchema),
  rows: z.array(z.record(z.string(), z.unknown())),
  cachedAt: isoDate.nullable().describe("Time of the cached rows; null if none"),
  ageMs: z.number().nullable(),
  truncated: z.boolean().describe("True if the cached or returned rows are truncated"),
  firstRows: z
    .int()
    .optional()
    .describe("Present if the dataset is truncated: the number of rows that the result covers"),
  trend: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe("Trend of a number widget: `at` and its measures per time unit"),
  before: z
    .object({ from: z.string(), to: z.string(), rows: z.array(z.record(z.string(), z.unknown())) })
    .optional()
    .describe("Comparison period, with times shifted to match `rows`"),
  pivot: z
    .object({
      rows: z.int().describe("Number of row fields, the first of `fields`"),
      columns: z.int().describe("Number of column fields, which follow; then come the measures"),
      levels: z
        .array(z.array(z.int()))
        .describe(
          "For each of `rows`, the numbers of row fields and column fields that it is grouped by. Fewer: a total",
        ),
      rowGroups: z.int().describe("Number of groups of all row fields, shown or not"),
      columnGroups: z.int().describe("Number of groups of all column fields, shown or not"),
    })
    .optional()
    .describe("Arrangement of a pivot table"),
  grain: z
    .enum(GRAINS)
    .optional()
    .describe("Present if the filtered days are at most one time unit of the widget: the finer unit of its times"),
  tookMs: z.number().optional().describe("Preview only: engine time in ms for rows in memory, as for a click"),
  error: z.string().optional().describe("Error of the last refresh"),
});
export type WidgetData = z.infer<typeof widgetDataSchema>;
export const dashboardDataSchema = z.object({ widgets: z.array(widgetDataSchema) });

const codes = z.array(z.int()).describe("Index of the value per cell");
const coded = z.object({
  values: z.array(z.unknown()).describe("Values in sort order, null last"),
  codes,
});
const arithmetic = z.enum(["whole", "decimal", "float"]);
const sums = z.array(z.unknown()).describe("Sum per cell; null if no row has a value");
const counts = z.array(z.int());
const cubeMeasure = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("count"), counts }),
  z.object({ kind: z.literal("sum"), arithmetic, sums }),
  z.object({ kind: z.literal("avg"), arithmetic, sums, counts }),
  coded.extend({ kind: z.literal("min") }),
  coded.extend({ kind: z.literal("max") }),
]);
const widgetCubeSchema = z.object({
  id: z.string(),
  fields: z.array(fieldSchema).describe("Result columns: dimensions, then measures"),
  axes: z
    .array(
      coded.extend({
        field: z.string(),
        type: z.enum(FIELD_TYPES),
        bin: z
          .enum(["day", "week", "month", "quarter", "year"])
          .nullable()
          .describe("Time unit of the buckets; values are their start dates"),
      }),
    )
    .describe("Dimensions that can be clicked"),
  dimensions: z.array(coded),
  measures: z.array(cubeMeasure),
  sort: z.array(z.object({ at: z.int().describe("Index into `fields`"), order: z.enum(["asc", "desc"]) })),
  limit: z.int(),
  cachedAt: isoDate.nullable(),
  ageMs: z.number().nullable(),
  truncated: z.boolean(),
  firstRows: z.int().optional(),
});
const noCubeSchema = z.object({ id: z.string(), none: z.enum(NO_CUBE).describe("Reason without a cube") });
export const cubeSchema = z.object({
  widgets: z.array(z.union([widgetCubeSchema, noCubeSchema])).describe("All other data widgets"),
});
export const previewSchema = z.object({
  widgets: z.array(widgetDataSchema),
  sources: z.array(
    z.object({
      name: z.string().describe("dataset:<id>, or widget:<id> for a widget with its own source"),
      fields: z.array(fieldSchema),
      rowCount: z.int().nullable().describe("null if not read yet"),
      cachedAt: isoDate.nullable(),
      ageMs: z.number().nullable(),
      truncated: z.boolean(),
      error: z.string().optional(),
    }),
  ),
});
export type Preview = z.infer<typeof previewSchema>;
export const filterValuesSchema = z.object({
  field: z.object({ name: z.string(), type: z.enum(FIELD_TYPES) }),
  values: z.array(z.object({ value: z.unknown(), count: z.int() })),
  isMore: z.boolean(),
  firstRows: z
    .int()
    .optional()
    .describe("Present if the dataset is truncated: the number of rows that the counts cover"),
});
export type FilterValues = z.infer<typeof filterValuesSchema>;

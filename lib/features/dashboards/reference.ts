import { ACCESS_REFUSAL } from "@/lib/features/folders/reference";

const UNFIT = "Duplicate IDs, and references to unknown datasets or widgets";
const SOURCE = "a connection that can't be queried, another member's private console, or a query over 256 KiB of JSON";
const FOLDER = "A folder that makes the path longer than 1,000 bytes";
export const DASHBOARD_REFUSALS = {
  access: ACCESS_REFUSAL,
  folderId: FOLDER,
  datasets: `${UNFIT}; ${SOURCE}`,
  widgets: `${UNFIT}; ${SOURCE}; a widget without a source that is not text, or a spec over 64 KiB of JSON`,
  filters: `${UNFIT}; a range whose end is before its start`,
};
/** A restored dashboard keeps its access. */
export const UNDELETE_REFUSALS = { folderId: `A folder with a different access. ${FOLDER}` };
export const IMPORT_REFUSALS = {
  dashboard: DASHBOARD_REFUSALS.widgets,
  connections: "A connection name with no match, or with several",
  access: ACCESS_REFUSAL,
  folderId: FOLDER,
};
export const DATA_REFUSALS = {
  timezone: "An unknown time zone",
  filters: "Invalid JSON, an unknown filter, a value of the wrong type, or a field that no dataset has",
};
/** Errors of a draft: those of saving it and those of reading it. */
export const PREVIEW_REFUSALS = {
  ...{
    datasets: DASHBOARD_REFUSALS.datasets,
    widgets: DASHBOARD_REFUSALS.widgets,
    filters: DASHBOARD_REFUSALS.filters,
  },
  values: "An unknown filter, or a value of the wrong type",
  timezone: DATA_REFUSALS.timezone,
};

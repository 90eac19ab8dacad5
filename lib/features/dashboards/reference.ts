import { ACCESS_REFUSAL } from "@/lib/features/folders/reference";

const UNFIT = "Two with one id, and one that names a dataset or widget that is not in the dashboard";
const SOURCE =
  "a connection that only flows read, another member's private console, a query of more than 256 KiB as JSON";
const FOLDER = "One in which its path is longer than 1,000 bytes";
export const DASHBOARD_REFUSALS = {
  access: ACCESS_REFUSAL,
  folderId: FOLDER,
  datasets: `${UNFIT}; ${SOURCE}`,
  widgets: `${UNFIT}; ${SOURCE}; one without a source that is no text, a spec of more than 64 KiB as JSON`,
  filters: `${UNFIT}; a range that ends before it begins`,
};
/** A restored dashboard keeps its access. */
export const UNDELETE_REFUSALS = { folderId: `One of another access than the dashboard's. ${FOLDER}` };
export const IMPORT_REFUSALS = {
  dashboard: DASHBOARD_REFUSALS.widgets,
  connections: "A name of the dashboard's that means no connection here, or several",
  access: ACCESS_REFUSAL,
  folderId: FOLDER,
};
export const DATA_REFUSALS = {
  timezone: "A name that no time zone has",
  filters:
    "No JSON object; a filter that is not there, a value of another kind, or a field that none of its datasets has",
};
/** Errors of a draft: those of saving it and those of reading it. */
export const PREVIEW_REFUSALS = {
  ...{
    datasets: DASHBOARD_REFUSALS.datasets,
    widgets: DASHBOARD_REFUSALS.widgets,
    filters: DASHBOARD_REFUSALS.filters,
  },
  values: "A filter that is not there, or a value of another kind",
  timezone: DATA_REFUSALS.timezone,
};

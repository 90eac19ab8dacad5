import { isUtf8 } from "node:buffer";
import { jsonErrorPlace, jsonLineOf } from "@/lib/base/values/json-error";
import { toPathText } from "@/lib/base/values/problem-path";
import type { FileKind } from "@/lib/features/repository/git/pushed-files";
import { AppError } from "@/lib/platform/http/errors";
import { parseFile, refuseUnfit } from "./content";
import { DASHBOARDS, ENDING } from "./item-kind";
import { dashboardFileSchema } from "./schema";
import { refuseBadSpecs } from "./specs";

/** Far more than sixty widgets and their queries need. */
const BYTES_MAX = 8 * 1024 * 1024;

/** Dashboards as files, which Git clients may have written. */
export const DASHBOARD_FILES: FileKind = {
  root: DASHBOARDS.root,
  bytesMax: BYTES_MAX,
  judge(path, content) {
    if (!path.endsWith(ENDING)) return `is not a dashboard. Dashboard files end in ${ENDING}.`;
    if (!isUtf8(content)) return "is not valid UTF-8.";
    const text = content.toString("utf8");
    try {
      const { data, error } = dashboardFileSchema.safeParse(parseFile(text));
      const [issue] = error?.issues ?? [];
      if (!data) return toInvalid(text, toPathText(issue?.path ?? []), issue?.message ?? "");
      refuseUnfit(data);
      refuseBadSpecs(data.widgets);
      return null;
    } catch (thrown) {
      if (thrown instanceof AppError) return toInvalid(text, pathOf(thrown), thrown.message);
      if (!(thrown instanceof SyntaxError)) throw thrown;
      const place = jsonErrorPlace(text);
      return place ? `is not valid JSON (line ${place.line}, column ${place.column}).` : "is not valid JSON.";
    }
  },
};

function pathOf({ details }: AppError): string {
  const [first] = Array.isArray(details) ? details : [];
  return typeof first?.path === "string" ? first.path : "";
}

/** @param path of the value, dotted; empty for the whole file */
function toInvalid(text: string, path: string, message: string): string {
  if (path === "") return `is not a valid dashboard: ${message}`;
  return `is not a valid dashboard (line ${jsonLineOf(text, path)}): ${path}: ${message}`;
}

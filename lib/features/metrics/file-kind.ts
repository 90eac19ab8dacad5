import { isUtf8 } from "node:buffer";
import type { FileKind } from "@/lib/features/repository/git/pushed-files";
import { sentenceOf } from "./content";
import { FILE_BYTES_MAX, parseMetricFile } from "./file";
import { ENDING, METRICS } from "./item-kind";
import { METRIC_NAME, NAME_RULE } from "./schema";

/** Metrics as files, which Git clients may have written. */
export const METRIC_FILES: FileKind = {
  root: METRICS.root,
  bytesMax: FILE_BYTES_MAX,
  judge(path, content) {
    const name = path.slice(METRICS.root.length + 1, -ENDING.length);
    if (!path.endsWith(ENDING)) return `is not a metric. Metric files end in ${ENDING}.`;
    if (!METRIC_NAME.test(name)) return `is not a metric. Move it to metrics/<name>${ENDING}. ${NAME_RULE}`;
    if (!isUtf8(content)) return "is not valid UTF-8.";
    const file = parseMetricFile(content.toString("utf8"));
    return "problems" in file ? `is not a valid metric: ${sentenceOf(file.problems[0])}` : null;
  },
};

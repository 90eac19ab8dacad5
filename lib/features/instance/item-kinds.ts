import "server-only";
import { CONSOLE_FILES } from "@/lib/features/consoles/file-kind";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { DASHBOARD_FILES } from "@/lib/features/dashboards/file-kind";
import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import type { ItemKind } from "@/lib/features/folders/item-kind";
import { METRIC_FILES } from "@/lib/features/metrics/file-kind";
import { METRICS } from "@/lib/features/metrics/item-kind";
import type { FileKind } from "@/lib/features/repository/git/pushed-files";

/** Every kind of item that is stored as files of the workspace's repository, with the rules for its files. */
export const ITEM_KINDS: readonly { items: ItemKind; files: FileKind }[] = [
  { items: CONSOLES, files: CONSOLE_FILES },
  { items: DASHBOARDS, files: DASHBOARD_FILES },
  { items: METRICS, files: METRIC_FILES },
];

import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { toPivotLayout, toPivotLines } from "@/lib/features/dashboards/kinds/pivot/layout";
import { toCopyText } from "@/lib/features/results/browser/copy-rows";
import { PivotBody } from "./pivot-body";

export const pivotView: KindView = {
  Body: PivotBody,
  toCsv(spec, data) {
    const layout = toPivotLayout(spec, data);
    if (layout === null) return null;
    const lines = toPivotLines(layout);
    const fields = (lines[0] ?? []).map((_, at) => ({ name: String(at), type: "string" as const }));
    return toCopyText(
      "csv",
      fields,
      lines.map((line) => Object.fromEntries(line.entries())),
      false,
    );
  },
};

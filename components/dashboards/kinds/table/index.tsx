import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { lazyComponent } from "@/components/ui/lazy-component";
import { later } from "@/lib/platform/browser/load-again";
import { WidgetTable } from "./widget-table";

// A page of charts loads no data grid.
const loadLarge = later(() => import("./table-large"));

export const tableView: KindView = {
  Body: ({ title, spec, data, rows, look, press, period }) => (
    <WidgetTable
      {...{ title, spec, rows, look, press }}
      fields={data.fields}
      isCut={data.truncated}
      before={data.before}
      compare={period.compare}
    />
  ),
  Large: lazyComponent(loadLarge, (module) => module.TableLarge),
};

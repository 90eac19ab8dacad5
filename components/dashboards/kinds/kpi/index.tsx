import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { WidgetFigure } from "./widget-figure";

export const kpiView: KindView = {
  Body: ({ spec, data, look, period }) => <WidgetFigure spec={spec} data={data} look={look} compare={period.compare} />,
  toPictureSpec: (spec) => ({ ...spec, mark: "kpi" }),
};

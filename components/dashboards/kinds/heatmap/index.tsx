import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { ShapesBody } from "@/components/dashboards/kinds/shapes-body";
import { layOutHeatmap } from "@/lib/features/dashboards/kinds/heatmap/layout";

export const heatmapView: KindView = {
  Body: (props) => <ShapesBody {...props} layOut={layOutHeatmap} dimensions={2} />,
  isPictured: true,
};

import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { ShapesBody } from "@/components/dashboards/kinds/shapes-body";
import { layOutSankey } from "@/lib/features/dashboards/kinds/sankey/layout";

export const sankeyView: KindView = {
  Body: (props) => <ShapesBody {...props} layOut={layOutSankey} dimensions={2} />,
  isPictured: true,
};

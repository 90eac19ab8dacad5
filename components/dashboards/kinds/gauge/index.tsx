import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { ShapesBody } from "@/components/dashboards/kinds/shapes-body";
import { layOutGauge } from "@/lib/features/dashboards/kinds/gauge/layout";

export const gaugeView: KindView = {
  Body: (props) => <ShapesBody {...props} layOut={layOutGauge} dimensions={0} />,
  isPictured: true,
};

import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { ShapesBody } from "@/components/dashboards/kinds/shapes-body";
import { layOutFunnel } from "@/lib/features/dashboards/kinds/funnel/layout";

export const funnelView: KindView = {
  Body: (props) => <ShapesBody {...props} layOut={layOutFunnel} dimensions={1} />,
  isPictured: true,
};

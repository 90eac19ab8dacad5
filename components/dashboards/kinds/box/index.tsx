import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { ShapesBody } from "@/components/dashboards/kinds/shapes-body";
import { layOutBox } from "@/lib/features/dashboards/kinds/box/layout";

export const boxView: KindView = {
  Body: (props) => <ShapesBody {...props} layOut={layOutBox} dimensions={1} />,
  isPictured: true,
};

import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { ShapesBody } from "@/components/dashboards/kinds/shapes-body";
import { layOutCombo } from "@/lib/features/dashboards/kinds/combo/layout";

export const comboView: KindView = {
  Body: (props) => <ShapesBody {...props} layOut={layOutCombo} dimensions={1} />,
  isPictured: true,
};

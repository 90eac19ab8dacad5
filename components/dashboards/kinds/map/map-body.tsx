"use client";

import type { KindBodyProps } from "@/components/dashboards/kinds/kind-view";
import { ShapesBody } from "@/components/dashboards/kinds/shapes-body";
import { layOutMap } from "@/lib/features/dashboards/kinds/map/layout";

export function MapBody(props: KindBodyProps) {
  return <ShapesBody {...props} layOut={layOutMap} dimensions={props.spec.mark === "points" ? 3 : 1} />;
}

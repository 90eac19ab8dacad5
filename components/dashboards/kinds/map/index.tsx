import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { WidgetSkeleton } from "@/components/dashboards/widget-skeleton";
import { lazyComponent } from "@/components/ui/lazy-component";
import { later } from "@/lib/platform/browser/load-again";

// The borders load only where a map is shown.
const loadBody = later(() => import("./map-body"));

export const mapView: KindView = {
  Body: lazyComponent(loadBody, (module) => module.MapBody, WidgetSkeleton),
  isPictured: true,
};

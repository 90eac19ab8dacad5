import type { ClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { Grain } from "@/lib/features/results/crossfilter/words";

/**
 * The selection in a widget, and a way to change it; null clears it. The change is computed from the latest selection:
 * the address may update later than the user clicks.
 */
export type WidgetPress = {
  value: ClickValue | null;
  put: (change: (before: ClickValue | null) => ClickValue | null) => void;
  /** Shows the rows behind a mark, null for all of the widget; omitted where viewers see no rows. */
  showRows?: ((click: ClickValue | null) => void) | undefined;
  /** Shows the widget at a finer grain, for one mark; omitted where viewers cannot. */
  zoomIn?: ((click: ClickValue, grain: Grain) => void) | undefined;
};

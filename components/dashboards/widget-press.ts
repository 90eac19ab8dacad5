import type { ClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";

/**
 * What was pressed in a widget, and how to press something else; null takes it back. What is made of it is made of what
 * is pressed by then: the address, where it stands, is drawn later than one presses.
 */
export type WidgetPress = {
  value: ClickValue | null;
  put: (change: (before: ClickValue | null) => ClickValue | null) => void;
};

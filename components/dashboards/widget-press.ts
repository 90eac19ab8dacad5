import type { ClickValue } from "@/lib/ui/dashboard-choice";

/** What was pressed in a widget, and how to press something else; null takes it back. */
export type WidgetPress = { value: ClickValue | null; put: (value: ClickValue | null) => void };

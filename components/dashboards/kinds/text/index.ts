import type { KindView } from "@/components/dashboards/kinds/kind-view";
import { TextBody } from "./text-body";

export const textView: KindView = { Static: TextBody };

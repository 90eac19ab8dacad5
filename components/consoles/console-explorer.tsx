"use client";

import { Checklist } from "@/components/consoles/checklist";
import { ConsoleSection } from "@/components/consoles/console-section";
import { FindField } from "@/components/palette/find-field";
import { SchemaSection } from "@/components/schema/schema-section";

/** Explorer of the console area: consoles, the schema, and the first steps. */
export function ConsoleExplorer() {
  return (
    <>
      <FindField />
      <ConsoleSection />
      <SchemaSection />
      <Checklist />
    </>
  );
}

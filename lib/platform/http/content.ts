import type { z } from "zod";

/** Content types with the shape of each; null if the type says it all. */
export type ContentShapes = Readonly<Record<string, z.ZodType | null>>;

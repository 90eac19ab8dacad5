/** The Vega modules of a chart, bundled as one chunk. */

export { Error as ERROR_LEVEL, loader, logger, parse, View } from "vega";
export { expressionInterpreter } from "vega-interpreter";
export { compile } from "vega-lite";
export { findDrawProblems, toProblemWords } from "@/lib/base/charts/spec-rules";

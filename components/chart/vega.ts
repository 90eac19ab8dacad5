/** What draws a chart, as one part of the page. */

export { Error as ERROR_LEVEL, loader, logger, parse, View } from "vega";
export { expressionInterpreter } from "vega-interpreter";
export { compile } from "vega-lite";
export { findDrawProblems, toProblemWords } from "@/lib/base/charts/spec-rules";

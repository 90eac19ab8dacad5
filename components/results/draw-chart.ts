import type { TopLevelSpec } from "vega-lite";

/**
 * Draws a chart into an element. The library is loaded with the first chart; expressions are interpreted, since the
 * page's policy lets nothing be made into code.
 * @returns what ends the chart and empties its element
 */
export async function drawChart(host: HTMLElement, spec: TopLevelSpec): Promise<() => void> {
  const [vega, vegaLite, { expressionInterpreter }] = await Promise.all([
    import("vega"),
    import("vega-lite"),
    import("vega-interpreter"),
  ]);
  const runtime = vega.parse(vegaLite.compile(spec, { logger: quiet(vega) }).spec, undefined, { ast: true });
  const element = document.createElement("div");
  host.replaceChildren(element);
  const view = new vega.View(runtime, {
    expr: expressionInterpreter,
    renderer: "svg",
    container: element,
    hover: true,
    logLevel: vega.Error,
    // Nothing is ever fetched for a chart: its points are all here.
    loader: { ...vega.loader(), load: () => Promise.reject(new Error("A chart loads nothing.")) },
  });
  await view.runAsync();
  // The frame around it has a name and says in words what there is to see.
  element.querySelector("svg")?.setAttribute("aria-hidden", "true");
  return () => {
    view.finalize();
    element.remove();
  };
}

function quiet(vega: typeof import("vega")) {
  return vega.logger(vega.Error);
}

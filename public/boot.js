/* Runs before the first paint: the theme and the frame's measures of this browser, so that nothing jumps. */
(function () {
  var root = document.documentElement;
  var stored = {};
  try {
    stored = JSON.parse(localStorage.getItem("millrace:frame") || "{}") || {};
  } catch {
    stored = {};
  }
  var dark = matchMedia("(prefers-color-scheme: dark)");
  var choice = stored.theme === "light" || stored.theme === "dark" ? stored.theme : "system";
  root.dataset.themeChoice = choice;
  root.dataset.theme = choice === "system" ? (dark.matches ? "dark" : "light") : choice;
  root.dataset.density = stored.density === "compact" || stored.density === "roomy" ? stored.density : "normal";
  // On a narrow page the explorer lies over the work, so it waits until it is asked for.
  var narrow = matchMedia("(max-width: 900px)").matches;
  root.dataset.explorer = narrow || stored.explorerOpen === false ? "hidden" : "shown";
  if (typeof stored.explorerWidth === "number" && stored.explorerWidth >= 200 && stored.explorerWidth <= 420) {
    root.style.setProperty("--w-explorer", stored.explorerWidth + "px");
  }
  dark.addEventListener("change", function (event) {
    if (root.dataset.themeChoice === "system") root.dataset.theme = event.matches ? "dark" : "light";
  });
})();

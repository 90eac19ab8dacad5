/*
 * Runs before the first paint: the theme and the frame's measures of this browser, so that nothing jumps; and keeps the
 * keys and clicks that come before the page is awake.
 */
(() => {
  var root = document.documentElement;
  // A page that is not there asks for it once more (components/ui/late-boot.tsx).
  if (root.dataset.themeChoice !== undefined) return;
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
    root.style.setProperty("--w-explorer", `${stored.explorerWidth}px`);
  }
  // The agent lies over the work below this width, and waits until it is asked for. Above it stands beside consoles and
  // flows unless somebody put it away, and elsewhere when they asked for it.
  var close = matchMedia("(max-width: 1200px)").matches;
  var beside = /^\/w\/[^/]+(?:\/?$|\/(?:consoles|flows)(?:\/|$))/.test(location.pathname);
  var open = beside ? stored.agentBesideWork !== false : stored.agentElsewhere === true;
  root.dataset.agent = open && !close ? "shown" : "hidden";
  if (typeof stored.agentWidth === "number" && stored.agentWidth >= 320 && stored.agentWidth <= 640) {
    root.style.setProperty("--w-agent", `${stored.agentWidth}px`);
  }
  dark.addEventListener("change", (event) => {
    if (root.dataset.themeChoice === "system") root.dataset.theme = event.matches ? "dark" : "light";
  });
  // What a person can press before a page on a slow machine is awake; more is a key that is held down.
  var EARLY_KEYS_MAX = 20;
  var early = [];
  function keep(event) {
    if (!location.pathname.startsWith("/w/") || event.isComposing || event.repeat) return;
    if (early.length < EARLY_KEYS_MAX) early.push(event);
    // Else the browser's own search, print and save answer to what the page is about to do.
    if ((event.ctrlKey || event.metaKey) && !event.altKey && /^[bjkps]$/i.test(event.key)) event.preventDefault();
  }
  // On the way down and before React, which stops a key on a page that it has not taken over yet.
  window.addEventListener("keydown", keep, true);
  // For the frame (components/shell/early-keys.ts), which listens itself from then on.
  window.takeEarlyKeys = () => {
    window.removeEventListener("keydown", keep, true);
    return early.splice(0);
  };
  // More clicks than a person makes while a page loads are a click that is repeated because nothing happens.
  var EARLY_CLICKS_MAX = 3;
  var clicks = [];
  function keepClick(event) {
    var button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!location.pathname.startsWith("/w/") || button === null || button.type === "submit") return;
    var isRepeated = clicks.length > 0 && clicks[clicks.length - 1].button === button;
    if (!isRepeated && clicks.length < EARLY_CLICKS_MAX) clicks.push({ event, button });
  }
  window.addEventListener("click", keepClick, true);
  // For the frame (components/shell/early-clicks.ts): the page handles clicks from then on.
  window.takeEarlyClicks = () => {
    window.removeEventListener("click", keepClick, true);
    return clicks.splice(0);
  };
})();

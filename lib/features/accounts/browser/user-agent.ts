// The first match decides: every browser of the Chromium family also names Chrome, and Chrome also names Safari.
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
  [/\bcurl\//, "curl"],
];
const SYSTEMS: [RegExp, string, isHandheld: boolean][] = [
  [/\biPhone\b/, "iPhone", true],
  [/\biPad\b/, "iPad", true],
  [/\bAndroid\b/, "Android", true],
  [/\bWindows\b/, "Windows", false],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS", false],
  [/\bCrOS\b/, "ChromeOS", false],
  [/\bLinux\b/, "Linux", false],
];

/** Describes a session's client in words people recognise: "Firefox on Windows". */
export function describeUserAgent(userAgent: string | null): { name: string; isHandheld: boolean } {
  const text = userAgent ?? "";
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(text));
  const isHandheld = system?.[2] ?? false;
  if (browser && system) return { name: `${browser} on ${system[1]}`, isHandheld };
  return { name: browser ?? system?.[1] ?? "Unknown client", isHandheld };
}

/*
 * Writes the countries of the map widget: codes, names, and simplified borders.
 *
 * Usage: npm install --prefix /tmp/map world-atlas@2.0.2 i18n-iso-countries@7.14.0
 *        node scripts/world-map.mjs /tmp/map/node_modules
 */
import { readFileSync, writeFileSync } from "node:fs";

const TARGET = "lib/base/geo/world.json";
/** Steps per degree. The borders are drawn for a scale of 1:110 million. */
const STEPS = 50;

/** Short names where the usual list has longer or dated ones. */
const NAMES = {
  CD: "DR Congo",
  CG: "Republic of the Congo",
  HK: "Hong Kong",
  MM: "Myanmar",
  MO: "Macao",
  PS: "Palestine",
};
/** Names that data often has and no list contains. */
const ALSO = {
  AE: ["UAE", "Emirates"],
  BA: ["Bosnia"],
  BN: ["Brunei Darussalam"],
  BO: ["Bolivia, Plurinational State of"],
  CD: ["Congo, Democratic Republic of the", "Congo, Dem. Rep.", "Democratic Republic of Congo", "DRC", "Zaire"],
  CG: ["Congo", "Congo, Rep.", "Congo, Republic of the"],
  CI: ["Ivory Coast", "Cote d'Ivoire"],
  CN: ["Mainland China", "PRC"],
  CV: ["Cape Verde"],
  CZ: ["Czech Republic", "Czechia"],
  EG: ["Egypt, Arab Rep."],
  FM: ["Micronesia, Fed. Sts."],
  FK: ["Falkland Islands"],
  GB: ["UK", "U.K.", "Great Britain", "Britain"],
  GM: ["Gambia, The"],
  HK: ["Hong Kong SAR", "Hong Kong SAR, China"],
  IR: ["Iran, Islamic Republic of", "Iran, Islamic Rep."],
  KG: ["Kyrgyz Republic"],
  KP: ["North Korea", "Korea, Democratic People's Republic of", "Korea, Dem. People's Rep."],
  KR: ["South Korea", "Korea", "Korea, Republic of", "Korea, Rep.", "Republic of Korea"],
  LA: ["Laos", "Lao PDR"],
  LC: ["St. Lucia"],
  MD: ["Moldova, Republic of"],
  MK: ["Macedonia", "North Macedonia", "FYROM"],
  MM: ["Burma"],
  NL: ["Holland", "The Netherlands"],
  PS: ["Palestinian Territories", "West Bank and Gaza"],
  RU: ["Russia", "Russian Federation"],
  SK: ["Slovak Republic", "Slovakia"],
  SY: ["Syria", "Syrian Arab Republic"],
  SZ: ["Swaziland", "Eswatini"],
  TL: ["East Timor"],
  TR: ["Turkey", "Türkiye", "Turkiye"],
  TW: ["Taiwan", "Taiwan, Province of China", "Taiwan, China"],
  TZ: ["Tanzania", "Tanzania, United Republic of"],
  US: ["USA", "U.S.A.", "U.S.", "America", "United States of America"],
  VA: ["Vatican", "Vatican City", "Holy See"],
  VE: ["Venezuela", "Venezuela, RB", "Venezuela, Bolivarian Republic of"],
  VN: ["Vietnam", "Viet Nam"],
  YE: ["Yemen, Rep."],
};
/** Places of countries that no map has: degrees east and north. */
const PLACES = {
  BV: [3.4, -54.4],
  CX: [105.6, -10.5],
  CC: [96.8, -12.2],
  GF: [-53.1, 3.9],
  GP: [-61.6, 16.2],
  MQ: [-61, 14.6],
  YT: [45.2, -12.8],
  RE: [55.5, -21.1],
  SJ: [17.9, 78.6],
  TK: [-171.8, -9.2],
  BQ: [-68.3, 12.2],
  UM: [166.6, 19.3],
};

const folder = process.argv[2];
if (folder === undefined) throw new Error("Name the folder of the two packages.");
const read = (path) => JSON.parse(readFileSync(`${folder}/${path}`, "utf8"));
const coarse = read("world-atlas/countries-110m.json");
const fine = read("world-atlas/countries-50m.json");
const finest = read("world-atlas/countries-10m.json");
const codes = read("i18n-iso-countries/codes.json");
const { countries: names } = read("i18n-iso-countries/langs/en.json");
const english = new Intl.DisplayNames("en", { type: "region" });

/** Returns the outer rings of a country in degrees; holes are other countries, which are drawn over it. */
function ringsOf(atlas, isWanted) {
  const { scale, translate } = atlas.transform;
  const arcs = atlas.arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]) => {
      x += dx;
      y += dy;
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
  });
  return atlas.objects.countries.geometries.filter(isWanted).flatMap(({ type, arcs: own }) => {
    const polygons = type === "Polygon" ? [own] : own;
    return polygons.map(([outer]) =>
      unwrap(outer.flatMap((index) => (index < 0 ? arcs[~index].toReversed() : arcs[index]).slice(0, -1))),
    );
  });
}

/** Continues an outline beyond 180 degrees instead of jumping to the other side; one around the pole includes it. */
function unwrap(ring) {
  let turn = 0;
  const points = ring.map(([x, y], at) => {
    const before = ring[at - 1]?.[0] ?? x;
    if (Math.abs(x - before) > 180) turn += x < before ? 360 : -360;
    return [x + turn, y];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (Math.abs(first[0] - last[0]) < 180) return points;
  const pole = first[1] < 0 ? -90 : 90;
  const end = first[0] + Math.sign(last[0] - first[0]) * 360;
  return [...points, [end, first[1]], [end, pole], [first[0], pole]];
}

function areaOf(ring) {
  let twice = 0;
  for (const [at, [x, y]] of ring.entries()) {
    const [nextX, nextY] = ring[(at + 1) % ring.length];
    twice += x * nextY - nextX * y;
  }
  return Math.abs(twice) / 2;
}

/** Returns the middle of the largest ring. */
function middleOf(rings) {
  const ring = rings.toSorted((a, b) => areaOf(b) - areaOf(a))[0];
  const mean = (axis) => ring.reduce((sum, point) => sum + point[axis], 0) / ring.length;
  return [mean(0), mean(1)].map((value) => Math.round(value * 10) / 10);
}

/** Writes the differences of neighbouring points as text: five bits a character, the lowest bit is the sign. */
function encode(ring) {
  let text = "";
  let before = [0, 0];
  for (const point of ring) {
    const at = point.map((value) => Math.round(value * STEPS));
    if (text !== "" && at[0] === before[0] && at[1] === before[1]) continue;
    for (const axis of [0, 1]) {
      const difference = at[axis] - before[axis];
      let value = difference < 0 ? ~(difference << 1) : difference << 1;
      for (; value >= 32; value >>= 5) text += String.fromCharCode((32 | (value & 31)) + 63);
      text += String.fromCharCode(value + 63);
    }
    before = at;
  }
  return text;
}

const ofCode = (numeric) => (shape) => shape.id === numeric;
const known = codes.map(([alpha2, alpha3, numeric]) => {
  const isKosovo = (shape) => alpha2 === "XK" && shape.properties.name === "Kosovo";
  const isWanted = (shape) => ofCode(numeric)(shape) || isKosovo(shape);
  const rings = ringsOf(coarse, isWanted);
  const exact = [fine, finest].map((atlas) => ringsOf(atlas, isWanted)).find((found) => found.length > 0);
  const name = NAMES[alpha2] ?? english.of(alpha2) ?? alpha2;
  const listed = [names[alpha2] ?? []].flat();
  const also = [...new Set([english.of(alpha2) ?? "", ...listed, ...(ALSO[alpha2] ?? [])])];
  return {
    codes: [alpha2, alpha3, numeric],
    name,
    also: also.filter((each) => each !== "" && each !== name && each.length < 60),
    at: PLACES[alpha2] ?? middleOf(rings.length > 0 ? rings : (exact ?? [])),
    rings: rings.map(encode),
  };
});
const land = ["N. Cyprus", "Somaliland"].map((name) =>
  ringsOf(coarse, (shape) => shape.properties.name === name).map(encode),
);
const sorted = known.toSorted((a, b) => (a.codes[0] < b.codes[0] ? -1 : 1));
writeFileSync(TARGET, `${JSON.stringify({ steps: STEPS, countries: sorted, land: land.flat() })}\n`);

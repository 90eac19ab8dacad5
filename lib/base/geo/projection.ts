import { px } from "@/lib/base/charts/shapes";
import type { Ring } from "./world";

/* The Equal Earth projection (Šavrič, Patterson and Jenny, 2018), in which areas keep their proportions. */

const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796];
const M = Math.sqrt(3) / 2;
const RADIAN = Math.PI / 180;

/** Part of the Earth, in degrees. `east` may be above 180, beyond the antimeridian. */
export type Extent = { west: number; east: number; south: number; north: number };

/** All land but the Antarctic. */
export const WORLD: Extent = { west: -180, east: 180, south: -57, north: 83 };
/** A wider range of longitudes is shown as the world. */
const WIDEST = 180;
/** Space around the shown places, as a share of their extent. */
const MARGIN = 0.08;

/** Returns the height of a parallel, and the width of a degree on it. */
function parallel(north: number): { y: number; perDegree: number } {
  const angle = Math.asin(M * Math.sin(north * RADIAN));
  const [two, six] = [angle ** 2, angle ** 6];
  return {
    y: angle * (A1 + A2 * two + six * (A3 + A4 * two)),
    perDegree: (Math.cos(angle) / (M * (A1 + 3 * A2 * two + six * (7 * A3 + 9 * A4 * two)))) * RADIAN,
  };
}

/**
 * Returns the smallest extent of several, across the antimeridian where that is narrower, with a margin.
 * @param least minimum width and height in degrees, so that one place shows its surroundings
 */
export function toExtent(parts: readonly Extent[], least: { width: number; height: number }): Extent {
  if (parts.length === 0) return WORLD;
  const spans = parts
    .map(({ west, east }) => {
      const start = ((((west + 180) % 360) + 360) % 360) - 180;
      return { west: start, east: start + east - west };
    })
    .sort((a, b) => a.west - b.west);
  // The widest gap between neighbours is what the map leaves out.
  let gap = { from: 0, size: Number.NEGATIVE_INFINITY };
  let end = Number.NEGATIVE_INFINITY;
  for (const [at, { east }] of spans.entries()) {
    end = Math.max(end, east);
    const next = spans[at + 1]?.west ?? (spans[0]?.west ?? 0) + 360;
    if (next - end > gap.size) gap = { from: end, size: next - end };
  }
  const width = 360 - gap.size;
  const [south, north] = [Math.min(...parts.map((each) => each.south)), Math.max(...parts.map((each) => each.north))];
  if (width > WIDEST) return { ...WORLD, south: Math.min(WORLD.south, south) };
  const shown = Math.max(least.width, width * (1 + 2 * MARGIN));
  const west = gap.from + gap.size - (shown - width) / 2;
  const tall = Math.max(least.height, (north - south) * (1 + 2 * MARGIN));
  const middle = (south + north) / 2;
  const from = west >= 180 ? west - 360 : west;
  return {
    ...{ west: from, east: from + shown },
    ...{ south: Math.max(-90, middle - tall / 2), north: Math.min(90, middle + tall / 2) },
  };
}

export type Projection = {
  /** Returns the pixel of a place. */
  toPoint: (east: number, north: number) => { x: number; y: number };
  /** Returns the path of an outline, wherever the extent shows it; empty out of sight. */
  toPath: (ring: Ring) => string;
};

/** Fits an extent into a box in pixels. */
export function toProjection({ west, east, south, north }: Extent, box: { width: number; height: number }): Projection {
  const middle = (west + east) / 2;
  const [top, bottom] = [parallel(north), parallel(south)];
  const widest = parallel(Math.max(south, Math.min(north, 0)));
  const scale = Math.min(
    box.width / ((east - west) * widest.perDegree),
    box.height / (top.y - bottom.y || Number.EPSILON),
  );
  const centre = (top.y + bottom.y) / 2;
  const place = (fromMiddle: number, at: number) => {
    const { y, perDegree } = parallel(at);
    return {
      x: px(box.width / 2 + fromMiddle * perDegree * scale),
      y: px(box.height / 2 - (y - centre) * scale),
    };
  };
  return {
    toPoint: (at, up) => place(((((at - middle + 180) % 360) + 360) % 360) - 180, up),
    toPath(ring) {
      let path = "";
      for (const turn of [-360, 0, 360]) {
        const shift = turn - middle;
        if (ring.east + shift <= -180 || ring.west + shift >= 180) continue;
        const points = clip(clip(shifted(ring.points, shift), -1), 1);
        for (const [at, [across, up]] of points.entries()) {
          const { x, y } = place(across, up);
          path += `${at === 0 ? "M" : "L"}${x} ${y}`;
        }
        path += "Z";
      }
      return path;
    },
  };
}

type Place = readonly [east: number, north: number];

function shifted(points: readonly number[], shift: number): Place[] {
  const places: Place[] = [];
  for (let at = 0; at < points.length; at += 2) places.push([(points[at] ?? 0) + shift, points[at + 1] ?? 0]);
  return places;
}

/** Cuts an outline at half a turn to one side, where the map ends. */
function clip(places: readonly Place[], side: -1 | 1): Place[] {
  const edge = side * 180;
  const isInside = ([east]: Place) => east * side <= 180;
  return places.flatMap((place, at) => {
    const before = places.at(at - 1) ?? place;
    const shown = isInside(place) ? [place] : [];
    if (isInside(place) === isInside(before)) return shown;
    const share = (edge - before[0]) / (place[0] - before[0]);
    return [[edge, before[1] + (place[1] - before[1]) * share] as const, ...shown];
  });
}

/** More do not fit any screen, and each is a query of its own at a click (docs/develop/api.md, Dashboards). */
export const WIDGETS_MAX = 60;
/** Each is a whole result that is read and kept. */
export const DATASETS_MAX = 20;
/** A bar of filters that somebody still reads. */
export const FILTERS_MAX = 40;
/** As long as a heading. */
export const TITLE_CHARS_MAX = 200;
/** Cells from the top at which a widget may begin; what is further down is a mistake. */
export const GRID_ROWS_MAX = 10_000;

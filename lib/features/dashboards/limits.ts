/** More fit no screen, and each is a separate query at a click (docs/develop/api.md, Dashboards). */
export const WIDGETS_MAX = 60;
/** Each is a complete result that is read and cached. */
export const DATASETS_MAX = 20;
/** A longer bar of filters is hard to read. */
export const FILTERS_MAX = 40;
/** A longer name leaves no room for other tabs. */
export const TAB_CHARS_MAX = 60;
/** The length of a heading. */
export const TITLE_CHARS_MAX = 200;
/** Maximum row at which a widget may begin; anything further down is a mistake. */
export const GRID_ROWS_MAX = 10_000;

/** Each measure has a colour. */
export const COMBO_MEASURES_MAX = 8;

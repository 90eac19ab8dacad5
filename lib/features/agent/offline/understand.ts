import type { Frame } from "./frame";
import type { Linked } from "./link";
import { readComparisons } from "./reading/comparisons";
import { finish, leftOver } from "./reading/ending";
import { readGroups, readShares } from "./reading/groups";
import { readMeasures } from "./reading/measures";
import { readMissing } from "./reading/missing";
import { readRanking } from "./reading/ranking";
import { Reading } from "./reading/reading";
import { chooseTarget, readUnknowns, readWhoever } from "./reading/target";
import { readDates } from "./reading/times";
import { readBooleans, readTexts, readValues } from "./reading/values";
import type { Schema, Table } from "./schema";

/** Reads a linked question and finds the meaning of its words. */
export function understand(linked: Linked, schema: Schema, focus: readonly Table[] = []): Frame {
  const reading = new Reading(linked, schema, focus);
  readComparisons(reading);
  readShares(reading);
  readRanking(reading);
  readGroups(reading);
  readUnknowns(reading);
  chooseTarget(reading);
  readMeasures(reading);
  readWhoever(reading);
  readMissing(reading);
  readTexts(reading);
  readValues(reading);
  readBooleans(reading);
  readDates(reading);
  finish(reading);
  const { frame } = reading;
  frame.ignored = leftOver(reading);
  return frame;
}

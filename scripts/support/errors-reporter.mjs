import { writeFileSync } from "node:fs";

/** Writes the errors that no test of a run has, which Vitest's JSON report lacks, to the file ERRORS_REPORT. */
export default class ErrorsReporter {
  onTestRunEnd(_files, errors) {
    writeFileSync(process.env.ERRORS_REPORT, JSON.stringify(errors.map(({ message }) => message)));
  }
}

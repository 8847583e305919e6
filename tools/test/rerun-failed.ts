import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { FailedFile, TestReport } from './tell-failures.ts'

const FLAKY_FILES_MAX = 2
/** With more failures than this, the cause is the change. */
const RERUNS_MAX = 10
const RERUN_MS = 15 * 60_000

/**
 * `rerun-failed.ts REPORT COUNTS COMMAND…` runs each test file that failed once more, alone, as `COMMAND… FILE`. A file
 * that passes then is printed as flaky. Its tests count as passed, unless more than two files of the run are flaky. An
 * error outside any test counts as a failure. Writes the numbers of passed and failed tests to the file COUNTS.
 */
const [reportPath = '', countsPath = '', command = '', ...args] = process.argv.slice(2)
const { passed, unhandled, failed } = JSON.parse(readFileSync(reportPath, 'utf8')) as TestReport

const isRerun = failed.length <= RERUNS_MAX
const flaky = failed.filter(({ file }) => isRerun && passesAlone(file))
for (const { file, first } of flaky) console.log(`FLAKY: ${file}, ${first.test}, ${first.error}`)
const forgiven = flaky.length > FLAKY_FILES_MAX ? [] : flaky
if (flaky.length > 0) console.log(`${flaky.length} flaky files. A run with more than ${FLAKY_FILES_MAX} fails.`)
const countOf = (files: FailedFile[]) => files.reduce((sum, { tests }) => sum + tests, 0)
writeFileSync(countsPath, `${passed + countOf(forgiven)} ${countOf(failed) - countOf(forgiven) + unhandled}\n`)

function passesAlone(file: string): boolean {
  console.log(`\n== again, alone: ${file}`)
  const { status } = spawnSync(command, [...args, file], { stdio: ['ignore', 'inherit', 'inherit'], timeout: RERUN_MS })
  return status === 0
}

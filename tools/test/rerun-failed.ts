import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'

/** What `--reporter=json` of vitest writes, as far as this program reads it. */
interface Report {
  numPassedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

const FLAKY_FILES_MAX = 2
/** With more failures than this, the cause is the change. */
const RERUNS_MAX = 10
const RERUN_MS = 15 * 60_000

/**
 * `rerun-failed.ts REPORT COUNTS COMMAND…` runs each test file that failed once more, alone, as `COMMAND… FILE`. A file
 * that passes then is printed as flaky. Its tests count as passed, unless more than two files of the run are flaky.
 * Writes the numbers of passed and failed tests to the file COUNTS.
 */
const [reportPath = '', countsPath = '', command = '', ...args] = process.argv.slice(2)
const { numPassedTests, testResults } = JSON.parse(readFileSync(reportPath, 'utf8')) as Report

const failures = testResults
  .filter(({ status }) => status === 'failed')
  .map(({ name, message, assertionResults }) => {
    const tests = assertionResults.filter(({ status }) => status === 'failed')
    const [first = { fullName: 'the file itself', failureMessages: [message] }] = tests
    const [error = ''] = first.failureMessages.join('\n').split('\n')
    return { file: relative('.', name), test: first.fullName, error, count: Math.max(1, tests.length) }
  })
const isRerun = failures.length <= RERUNS_MAX
const flaky = failures.filter(({ file }) => isRerun && passesAlone(file))
for (const { file, test, error } of flaky) console.log(`FLAKY: ${file}, ${test}, ${error}`)
const forgiven = flaky.length > FLAKY_FILES_MAX ? [] : flaky
if (flaky.length > 0) console.log(`${flaky.length} flaky files. A run with more than ${FLAKY_FILES_MAX} fails.`)
const countOf = (files: typeof failures) => files.reduce((sum, { count }) => sum + count, 0)
writeFileSync(countsPath, `${numPassedTests + countOf(forgiven)} ${countOf(failures) - countOf(forgiven)}\n`)

function passesAlone(file: string): boolean {
  console.log(`\n== again, alone: ${file}`)
  const { status } = spawnSync(command, [...args, file], { stdio: ['ignore', 'inherit', 'inherit'], timeout: RERUN_MS })
  return status === 0
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestReport } from './tell-failures.ts'

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'tideport-rerun-'))
})
afterAll(() => rmSync(cwd, { recursive: true }))

const report: TestReport = { passed: 10, unhandled: 0, failed: [] }

/** Reruns files of which each has two tests that failed, and of which those named `flaky…` pass alone. */
function rerunFiles(...files: string[]) {
  const first = { test: 'keeps a file', error: 'Error: too slow' }
  return rerun({ ...report, failed: files.map((file) => ({ file, tests: 2, first })) })
}

function rerun(report: TestReport) {
  writeFileSync(join(cwd, 'report.json'), JSON.stringify(report))
  const program = join(import.meta.dirname, 'rerun-failed.ts')
  const command = ['bash', '-c', 'echo "ran $0"; [[ $0 == flaky* ]]']
  const { stdout } = spawnSync(process.execPath, [program, 'report.json', 'counts', ...command], {
    cwd,
    encoding: 'utf8',
  })
  return { stdout, counts: readFileSync(join(cwd, 'counts'), 'utf8').trim() }
}

it('counts the tests of a file that passes alone as passed, and names the file and its first error', () => {
  const { stdout, counts } = rerunFiles('flaky.test.ts', 'broken.test.ts')
  expect(counts).toBe('12 2')
  expect(stdout).toContain('FLAKY: flaky.test.ts, keeps a file, Error: too slow\n')
  expect(stdout).not.toContain('FLAKY: broken')
  expect(stdout.match(/ran /g)).toHaveLength(2)
})

it('fails a run with more than two flaky files', () => {
  expect(rerunFiles('flaky-1.test.ts', 'flaky-2.test.ts').counts).toBe('14 0')
  expect(rerunFiles('flaky-1.test.ts', 'flaky-2.test.ts', 'flaky-3.test.ts').counts).toBe('10 6')
})

it('reruns nothing if no file failed', () => {
  expect(rerun(report)).toEqual({ stdout: '', counts: '10 0' })
})

it('counts an error outside any test as a failure, which no rerun forgives', () => {
  expect(rerun({ ...report, unhandled: 1 }).counts).toBe('10 1')
})

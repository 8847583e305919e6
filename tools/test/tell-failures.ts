import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** The contents of the file that the environment variable TEST_REPORT names. */
export interface TestReport {
  passed: number
  /** Errors outside any file, for example of an unawaited promise. */
  unhandled: number
  failed: FailedFile[]
}

export interface FailedFile {
  file: string
  /** At least 1: a file that cannot be loaded counts as one failed test. */
  tests: number
  first: { test: string; error: string }
}

interface Failure {
  message: string
  stack?: string | undefined
  diff?: string | undefined
  cause?: unknown
}

/** Prints each failure immediately, because a run that is killed prints no summary. */
export default class TellFailures implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    if (state === 'failed') tell(`${test.module.relativeModuleId} > ${test.fullName}`, errors)
  }

  onTestModuleEnd(module: TestModule): void {
    if (module.errors().length > 0) tell(module.relativeModuleId, module.errors())
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly Failure[]): void {
    tell('outside any test', unhandled)
    const path = process.env.TEST_REPORT
    if (path === undefined) return
    const passed = modules.reduce((sum, module) => sum + [...module.children.allTests('passed')].length, 0)
    const failed = modules.filter((module) => module.state() === 'failed').map(failedFile)
    writeFileSync(path, JSON.stringify({ passed, unhandled: unhandled.length, failed } satisfies TestReport))
  }
}

function failedFile(module: TestModule): FailedFile {
  const tests = [...module.children.allTests('failed')]
  const [first] = tests
  const [error] = first?.result().errors ?? module.errors()
  return {
    file: module.relativeModuleId,
    tests: Math.max(1, tests.length),
    first: { test: first?.fullName ?? 'the file itself', error: error?.message.split('\n', 1)[0] ?? '' },
  }
}

function tell(what: string, failures: readonly Failure[]): void {
  for (const failure of failures)
    process.stdout.write(`\nFAILED ${what}\n${stripVTControlCharacters(textOf(failure))}\n\n`)
}

const framesOfLibraries = /^ +at .*node_modules.*\n?/gm

function textOf({ message, stack, diff, cause }: Failure): string {
  const lines = [(stack ?? message).replaceAll(framesOfLibraries, ''), diff]
  if (typeof cause === 'object' && cause !== null && 'message' in cause)
    lines.push(`Cause: ${textOf(cause as Failure)}`)
  return lines.filter(Boolean).join('\n')
}

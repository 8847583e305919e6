import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

interface Failure {
  message: string
  stack?: string | undefined
  diff?: string | undefined
  cause?: unknown
}

/** Prints why a test failed when it does: of a run that is ended before its summary one would never know. */
export default class TellFailures implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    if (state === 'failed') tell(`${test.module.relativeModuleId} > ${test.fullName}`, errors)
  }

  onTestModuleEnd(module: TestModule): void {
    if (module.errors().length > 0) tell(module.relativeModuleId, module.errors())
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

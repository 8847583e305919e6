import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10

/** Prints the test files that took longest, from loading them to their last hook: where time is to be won. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const all = modules.map((module) => ({ name: module.relativeModuleId, seconds: secondsOf(module) }))
    const total = all.reduce((sum, { seconds }) => sum + seconds, 0)
    const slowest = all.toSorted((one, other) => other.seconds - one.seconds).slice(0, SHOWN)
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`)
    process.stdout.write(`\nThe slowest of ${all.length} files, ${total.toFixed(0)} s in all:\n${lines.join('\n')}\n`)
  }
}

function secondsOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic()
  return (collectDuration + setupDuration + duration) / 1000
}

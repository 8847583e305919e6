import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10

/** Prints the test files that took longest, from loading to their last hook, and those that used the most CPU. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const all = modules.map((module) => ({
      name: module.relativeModuleId,
      seconds: secondsOf(module),
      processorSeconds: module.meta().processorSeconds ?? 0,
    }))
    tell(`Slowest of ${all.length} files`, all, ({ seconds }) => seconds)
    tell('Files with the most CPU time', all, ({ processorSeconds }) => processorSeconds)
  }
}

function tell<File extends { name: string }>(what: string, files: File[], secondsOf: (file: File) => number): void {
  const total = files.reduce((sum, file) => sum + secondsOf(file), 0)
  const most = files.toSorted((one, other) => secondsOf(other) - secondsOf(one)).slice(0, SHOWN)
  const lines = most.map((file) => `${secondsOf(file).toFixed(1).padStart(7)} s  ${file.name}`)
  process.stdout.write(`\n${what}, ${total.toFixed(0)} s in total:\n${lines.join('\n')}\n`)
}

function secondsOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic()
  return (collectDuration + setupDuration + duration) / 1000
}

import { median, type Variant } from '../measure.ts'
import type { CpuByProcess, System } from './start-system.ts'

/** Runs a task in rounds that alternate with others, and records the CPU of each process for one file. */
export function withCpu(system: System, files: number, { name, run }: Variant): { variant: Variant; tell: () => void } {
  const rounds: CpuByProcess[] = []
  return {
    variant: {
      name,
      async run() {
        const before = await system.cpu()
        const figure = await run()
        const after = await system.cpu()
        rounds.push(new Map([...after].map(([process, us]) => [process, (us - (before.get(process) ?? 0)) / files])))
        return figure
      },
    },
    tell() {
      // Excludes the first round, which warms up. The rate excludes it too.
      const [first = new Map(), ...counted] = rounds
      const of = (process: string) => median(counted.map((cpu) => cpu.get(process) ?? 0)) / 1000
      const cells = [...first.keys()].map((process) => `${process} ${of(process).toFixed(2)}`)
      console.log(`  ms of CPU a file, ${name}: ${cells.join(', ')}`)
    },
  }
}

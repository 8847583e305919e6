import { BaseSequencer, type TestSpecification } from 'vitest/node'

const projects = ['e2e', 'deploy', 'integration', 'unit']

/**
 * Which test file is taken up next. The longest of each project go first, one project after the other, because a worker
 * keeps its modules for the next file of the same. Only the faults are spread over the end-to-end tests: each brings a
 * whole system with it and mostly waits.
 */
export class MixedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const faults = sorted.filter(({ project }) => project.name === 'faults')
    const order = projects.flatMap((name) => sorted.filter(({ project }) => project.name === name))
    const e2e = order.filter(({ project }) => project.name === 'e2e')
    const gap = Math.floor(e2e.length / Math.max(1, faults.length))
    for (const [index, fault] of faults.entries()) order.splice(index * (gap + 1), 0, fault)
    return order
  }
}

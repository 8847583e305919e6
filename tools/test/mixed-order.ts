import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Tests of images and Compose mostly wait for builds and starts. Short files run last, so that workers finish together.
 */
const projects = ['e2e', 'deploy', 'integration', 'unit', 'live', 'cluster']

/** Files that take at least half a minute. If one started last, the other workers would be idle until it finished. */
const longest = [
  'changing-networks',
  'examples',
  'operator',
  'private-vaults',
  'vault-keys',
  'broker',
  'image',
  'random-kills',
  'conformance',
  'compose',
  'demo',
  'process',
  'export-to-bucket',
  'main',
  'outages',
  'killed-at-copies',
  'slow-buckets',
  'stack',
  'hung-disk',
  'kill',
  'killed-processes',
  'leaving-readers',
  'dependencies',
  'lost-stores',
  'alerts',
  'foreign-objects',
  'account-jobs',
  'chart-objects',
  'memory',
  'sdk-memory',
]
const isOne = (names: readonly string[]) => (file: TestSpecification) =>
  names.some((name) => /\/([^/.]+)(\.full)?\.test\.ts$/.exec(file.moduleId)?.[1] === name)
const isLong = isOne(longest)

/**
 * The order of the test files: project by project, because a worker keeps its modules for the next file of a project,
 * and the longest files of each project first. The faults are spread among the end-to-end tests, because each starts a
 * complete system and mostly waits.
 */
export class MixedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files)
    // Vitest sorts by cached durations, which a clean checkout lacks.
    const sorted = [...all.filter(isLong), ...all.filter((file) => !isLong(file))]
    const faults = sorted.filter(({ project }) => project.name === 'faults')
    const order = projects.flatMap((name) => sorted.filter(({ project }) => project.name === name))
    if (order.length + faults.length < sorted.length) throw new Error('A project of vitest.config.ts has no place here')
    const e2e = order.filter(({ project }) => project.name === 'e2e')
    const gap = Math.floor(e2e.length / Math.max(1, faults.length))
    for (const [index, fault] of faults.entries()) order.splice(index * (gap + 1), 0, fault)
    return order
  }
}

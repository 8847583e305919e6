import { afterAll, afterEach } from 'vitest'

/** Setup of all tests: a test fails if Node emits a warning during it. */
const warnings: Error[] = []
const note = (warning: Error) => void warnings.push(warning)

process.on('warning', note)
afterEach(failWhenWarned)
afterAll(() => {
  process.off('warning', note)
  failWhenWarned()
})

function failWhenWarned(): void {
  const stacks = warnings.splice(0).map(({ stack }) => stack)
  if (stacks.length > 0) throw new Error(`Node warned:\n${stacks.join('\n')}`)
}

import { expect, it } from 'vitest'
import { runProgram } from '../../src/run-program.ts'

it('starts no program after the command was stopped', async () => {
  const signal = AbortSignal.abort(new Error('Stopped.'))
  const run = runProgram('services/webhooks/src/refused-audit-entries.ts', [], { env: {}, signal })
  await expect(run).rejects.toThrow('Stopped.')
})

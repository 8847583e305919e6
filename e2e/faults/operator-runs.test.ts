import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault, newAccount } from '../support/account.ts'
import { createApiClient } from '../support/api-client.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { untilStatus, uploadFile } from '../support/uploads.ts'
import { endDeadClaims } from './support/end-dead-claims.ts'
import { killProcess } from './support/processes.ts'

interface Run {
  id: string
  state: string
  counts: Record<string, number>
  findings: object[]
}

test('a verify that an operator started goes on where it was when its process is killed, and counts nothing twice', async () => {
  // So slow that reading 20 KiB holds the run up for longer than the kill takes.
  const env = { DEVELOPMENT_OPERATOR: 'ops', COPY_CHECK_BYTES_PER_SECOND: '1024' }
  await using stack = await startTestStack({ env })
  const gateway = stack.describe().gatewayUrls[0] as string
  const operator = createApiClient(gateway, { 'X-Dev-Provider-Id': 'ops' })
  const owner = newAccount(gateway)
  const { id: vaultId } = await createVault(owner, 'public')
  const bytes = [1, 2].map((n) => Buffer.alloc(10_240, n))
  for (const body of bytes) {
    const { id } = await uploadFile(owner, { vaultId, bytes: body })
    await untilStatus(owner, id, 'cold')
  }
  const started = await operator.post<Run>('/api/operator/runs', { kind: 'verify', dryRun: false })
  expect(started.status).toBe(201)
  const read = async () => (await operator.get<Run>(`/api/operator/runs/${started.body.id}`)).body
  const until = (what: string, isSo: (run: Run) => boolean) =>
    waitFor(
      async () => {
        const run = await read()
        return isSo(run) && run
      },
      { what, timeoutMs: 150_000 },
    )
  const begun = await until('its first batch', ({ counts }) => counts.proved === 2)
  expect(begun.state).toBe('running')
  await killProcess(stack, 'eviction')
  await endDeadClaims(stack)

  const done = await until('its end', ({ state }) => state === 'done')
  expect(done).toMatchObject({ counts: { proved: 2, failed: 0, bytes: 20_480 }, findings: [] })
  const again = await operator.post<Run>('/api/operator/runs', { kind: 'reconcile' })
  expect(again.status).toBe(201)
}, 300_000)

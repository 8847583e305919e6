import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { holdProcesses } from './support/hold-processes.ts'
import { publicBlobUrl } from './support/reading.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'

type Copy = {
  network: string
  driver: string | null
  blobId: string | null
  state: string
  storedAt: string | null
  provedAt: string | null
  checkedAt: string | null
  checks: { ok: number; failed: number }
  leaseExpiresAt: string | null
}

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test.concurrent('a file’s copies are told to its owner alone, from plan to proof, and what a purge does to each', async () => {
  const [stack, client] = [sharedStack(), freshAccount()]
  await using held = await holdProcesses(stack, 'sync', 'eviction')
  const { id: vaultId } = await createVault(client, 'public')
  const { id } = await uploadFile(client, { vaultId, bytes: uniqueBytes() })
  const copies = async () => (await client.get<{ copies: Copy[] }>(`/api/files/${id}/copies`)).body.copies
  const planned = {
    ...{ network: 'embedded', driver: 'embedded', blobId: null, state: 'planned' },
    ...{ storedAt: null, provedAt: null, checkedAt: null, checks: { ok: 0, failed: 0 }, leaseExpiresAt: null },
  }
  expect(await copies()).toEqual([planned])
  expect((await freshAccount().get(`/api/files/${id}/copies`)).status).toBe(404)

  await held.release('sync')
  const { storageNetworkBlobId: blobId } = await untilStatus(client, id, 'synced')
  expect(await copies()).toEqual([{ ...planned, blobId, state: 'stored', storedAt: instant }])
  await held.release('eviction')
  await untilStatus(client, id, 'cold')
  const proved = { state: 'proved', storedAt: instant, provedAt: instant, checkedAt: instant }
  expect(await copies()).toEqual([{ ...planned, blobId, ...proved, checks: { ok: expect.any(Number), failed: 0 } }])

  const { body } = await client.delete<{ networkCopies: object[] }>(`/api/files/${id}?permanent=true`)
  expect(body.networkCopies).toEqual([{ network: 'embedded', outcome: 'released', expiresAt: null }])
  expect((await client.get(`/api/files/${id}/copies`)).status).toBe(404)
  expect((await fetch(publicBlobUrl(client, String(blobId)))).status).toBe(404)
})

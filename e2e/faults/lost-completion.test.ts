import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault, newAccount } from '../support/account.ts'
import { fetchBytes, publicFileUrl } from '../support/reading.ts'
import type { ErrorBody, FileRecord } from '../support/resources.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { putBytes, readFile, requestUpload, uniqueBytes, untilStatus } from '../support/uploads.ts'
import { killProcess, type TestStack } from './support/processes.ts'

/** Large enough for the store to be seen at work: it copies the bytes to complete an upload. */
const sizeBytes = 256 * 1024 * 1024
const env = { CONFIRM_WAIT_SECONDS: '5', CONFIRM_LOST_SECONDS: '20' }

/** versitygw moves an upload aside while it completes it. */
async function isCompleting({ dataDir }: TestStack): Promise<boolean> {
  const aside = glob('objects/*/.sgwtmp/multipart/*/*.inprogress', { cwd: join(dataDir, 's3') })
  return (await aside.next()).done === false
}

test('the store is killed twice while Complete of a large object is unanswered: hot with all bytes, or 409 upload_lost', async () => {
  await using stack = await startTestStack({ env })
  const client = newAccount(stack.describe().gatewayUrls[0] as string, { takes503: true })
  const bytes = Buffer.alloc(sizeBytes, uniqueBytes(1024 * 1024))
  const upload = await requestUpload(client, { vaultId: (await createVault(client, 'public')).id, bytes })
  expect(await putBytes(upload, bytes)).toBe(200)
  const confirm = () => client.post<FileRecord & ErrorBody>(`/api/files/${upload.fileId}/confirm`)

  for (let kill = 0; kill < 2; kill++) {
    let isAnswered = false
    const unanswered = confirm().finally(() => {
      isAnswered = true
    })
    await waitFor(() => isCompleting(stack), { what: 'the store to be completing', everyMs: 2 })
    const restarted = killProcess(stack, 's3')
    expect(isAnswered).toBe(false)
    const { status } = await unanswered
    expect([200, 503], 'the answer of a confirm whose store died').toContain(status)
    await restarted
    if (status === 200) break
  }

  const last = await waitFor(
    async () => {
      const answer = await confirm()
      return answer.status < 500 && answer
    },
    { what: 'confirm to be decided', timeoutMs: 120_000, everyMs: 250 },
  )
  if (last.status === 200) {
    const byId = async () => (await fetchBytes(publicFileUrl(client, upload.fileId))).bytes.equals(bytes)
    expect(await byId(), 'all bytes while hot').toBe(true)
    await untilStatus(client, upload.fileId, 'cold')
    expect(await byId(), 'all bytes when cold').toBe(true)
  } else {
    expect([last.status, last.body.code]).toEqual([409, 'upload_lost'])
    expect(await readFile(client, upload.fileId)).toMatchObject({ status: 'uploading' })
  }
})

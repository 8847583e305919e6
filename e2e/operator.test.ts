import { expect, test } from 'vitest'
import { createApiClient } from './support/api-client.ts'
import { fileWithoutBytes } from './support/file-without-bytes.ts'
import { freshAccount, sharedOperator, sharedStack } from './support/shared-stack.ts'
import { untilStatus } from './support/uploads.ts'

const operator = (gateway = 0) =>
  createApiClient(sharedStack().gatewayUrls[gateway] as string, { 'X-Dev-Provider-Id': sharedOperator })

test.concurrent('an operator sees files by state, the oldest due work, and each network with its free space', async ({
  expect,
}) => {
  const { status, body } = await operator(1).get<{ files: object; due: { queue: string }[] }>('/api/operator/overview')
  expect(status).toBe(200)
  expect(Object.keys(body.files).toSorted()).toEqual(['cold', 'error', 'hot', 'synced', 'uploading'])
  expect(body.due.map(({ queue }) => queue)).toEqual(expect.arrayContaining(['evict', 'rehydrate']))
  const networks = async () => (await operator().get<{ networks: object[] }>('/api/operator/networks')).body.networks
  // A slow network may not have responded yet.
  await expect.poll(networks).toMatchObject([{ role: 'required', works: true, freeBytes: expect.any(Number) }])
})

test.concurrent('an operator finds and retries a file in error until it is cold, and its owner sees who did it', async () => {
  const owner = freshAccount()
  using file = await fileWithoutBytes(owner)
  const { id } = file
  expect(await deadLetters('hot_copy_missing')).toContain(id)
  const redrive = async (dryRun: boolean) => {
    const { body } = await operator().post<{ redriven: object[] }>('/api/operator/redrive', { fileIds: [id], dryRun })
    return body.redriven
  }
  expect(await redrive(true)).toMatchObject([{ fileId: id, outcome: 'would_be_tried' }])
  expect(await redrive(false)).toMatchObject([{ fileId: id, outcome: 'no_bytes' }])
  await file.putBack()
  expect(await redrive(false)).toMatchObject([{ fileId: id, outcome: 'retried' }])
  await untilStatus(owner, id, 'cold')
  const { body } = await owner.get<{ events: object[] }>(`/api/account/file-events?subjectId=${id}&kind=retry.accepted`)
  expect(body.events).toMatchObject([{ actor: { method: 'operator', subject: null } }])
  expect((await operator().get('/api/operator/events')).text).toContain('"kind":"redrive"')
})

/** The IDs of the files that failed permanently for this reason. */
async function deadLetters(error: string): Promise<string[]> {
  const found: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const path: string = `/api/operator/dead-letters?kind=files&error=${error}${next && `&cursor=${next}`}`
    const { body } = await operator().get<{ deadLetters: { id: string }[]; nextCursor: string | null }>(path)
    found.push(...body.deadLetters.map(({ id }) => id))
    next = body.nextCursor
  }
  return found
}

import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anonymous, createKey, createVault, newAccount, withToken } from '../support/account.ts'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { connectionsByService } from '../support/database.ts'
import { fillPath, guardedOperations } from '../support/operations.ts'
import { fetchBytes, publicFileUrl } from '../support/reading.ts'
import type { ErrorBody, FileRecord, Vault } from '../support/resources.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { confirm, putBytes, readFile, requestUpload, uniqueBytes, untilStatus, uploadFile } from '../support/uploads.ts'
import { holdPostgres } from './support/hold-postgres.ts'
import { killProcess, type TestStack } from './support/processes.ts'

/** Short, so that a confirm whose store was killed is decided during the test. */
const env = { CONFIRM_WAIT_SECONDS: '5', CONFIRM_LOST_SECONDS: '20' }
/** Large enough to observe the store, which copies the bytes to complete an upload. */
const LARGE_BYTES = 128 * 1024 * 1024

const parts = new AsyncDisposableStack()
let stack: TestStack
let gateway: string

beforeAll(async () => {
  stack = parts.use(await startTestStack({ together: [], env }))
  gateway = stack.describe().gatewayUrls[0] as string
})

afterAll(() => parts.disposeAsync())

function expectUnavailable({ status, headers, body, text }: Answer<object>, what: string) {
  expect([what, status, (body as ErrorBody | null)?.code, text]).toEqual([what, 503, 'unavailable', text])
  expect(Number(headers.get('retry-after')), what).toBeGreaterThan(0)
}

/** An account with a key, a vault, a confirmed file, and an unconfirmed upload with its bytes. */
async function prepare() {
  const owner = newAccount(gateway, { takes503: true })
  const byKey = withToken(owner, (await createKey(owner)).key)
  const vault = await createVault(owner, 'public')
  const bytes = uniqueBytes()
  const file = await uploadFile(owner, { vaultId: vault.id, bytes })
  const upload = await requestUpload(owner, { vaultId: vault.id, bytes })
  expect(await putBytes(upload, bytes)).toBe(200)
  return { owner, byKey, vault, file, upload, bytes }
}

/** Calls every operation that needs an account, on existing objects and without a body. */
const askAll = (client: ApiClient, ids: Record<string, string>) =>
  guardedOperations.map(async (operation) => ({
    operation,
    answer: await client.call<object>(operation.method, fillPath(operation, ids)),
  }))

test('warnings of a service appear on the terminal', () => {
  expect(stack.said).toContainEqual(expect.stringMatching(/^gateway-0 warning: DEVELOPMENT MODE IS ON/))
})

test('while Postgres is unresponsive, every route returns 503 with Retry-After; afterwards all work without a restart or leaked connections', async () => {
  const { owner, byKey, vault, file, upload, bytes } = await prepare()
  const ids = { vaultId: vault.id, fileId: file.id }
  const pids = stack.describe().processes.map(({ pid }) => pid)
  const createOnce = () =>
    owner.call<Vault>('POST', '/api/vaults', {
      body: { name: 'Once', visibility: 'public' },
      headers: { 'Idempotency-Key': 'once' },
    })
  {
    await using _postgres = await holdPostgres(stack)
    for (const { operation, answer } of await Promise.all(askAll(byKey, ids))) {
      expectUnavailable(answer, `${operation.id} by key`)
    }
    // The gateway has cached this session, so the service behind it detects the outage.
    for (const { operation, answer } of await Promise.all(askAll(owner, ids))) {
      if (answer.status !== 400) expectUnavailable(answer, `${operation.id} by session`)
    }
    expectUnavailable(await createOnce(), 'createVault')
    expectUnavailable(await confirm(owner, upload.fileId), 'confirm')
    expectUnavailable(await anonymous(owner).get(`/api/public/files/${file.id}`), 'publicFileBytes')
    expect((await fetch(`${gateway}/ready`)).status).toBe(200)
    const told = () => stack.said.some((line) => /^files-0 warning: request not served: \w/.test(line))
    await waitFor(told, { what: 'the warning on the terminal' })
  }
  expect((await waitFor(async () => answered(await createOnce()), { what: 'a response' })).status).toBe(201)
  expect((await createOnce()).status).toBe(201)
  const burst = await Promise.all(Array.from({ length: 30 }, () => byKey.get<FileRecord>(`/api/files/${file.id}`)))
  expect(burst.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([])
  const { body } = await owner.get<{ vaults: Vault[] }>('/api/vaults')
  expect(body.vaults.filter(({ name }) => name === 'Once')).toHaveLength(1)
  expect((await confirm(owner, upload.fileId)).body.status).not.toBe('uploading')
  expect((await fetchBytes(publicFileUrl(owner, upload.fileId))).bytes.equals(bytes)).toBe(true)

  const perProcess = 10
  await waitFor(async () => Object.values(await connectionsByService(stack.describe())).every((n) => n <= perProcess), {
    what: 'the connections that hung to be closed',
  })
  expect(stack.describe().processes.map(({ pid }) => pid)).toEqual(pids)
})

test('killing Postgres causes only 503 with Retry-After, and all routes work afterwards', async () => {
  const { owner, byKey, file } = await prepare()
  const restarted = killProcess(stack, 'postgres')
  let isBack = false
  void restarted.then(() => (isBack = true))
  while (!isBack) {
    for (const client of [byKey, owner]) {
      const answer = await client.get<object>(`/api/files/${file.id}`)
      if (answer.status !== 200) expectUnavailable(answer, 'readFile')
    }
  }
  await waitFor(async () => answered(await byKey.get(`/api/files/${file.id}`)), { what: 'a response' })
})

test('killing the store during the completion of a large upload leaves the file hot with all bytes or returns 409 upload_lost', async () => {
  const client = newAccount(gateway, { takes503: true })
  const bytes = Buffer.alloc(LARGE_BYTES, uniqueBytes(1024 * 1024))
  const vaultId = (await createVault(client, 'public')).id
  const begin = async () => {
    const begun = await requestUpload(client, { vaultId, bytes })
    expect(await putBytes(begun, bytes)).toBe(200)
    return begun
  }
  let upload = await begin()
  const confirm = () => client.post<FileRecord & ErrorBody>(`/api/files/${upload.fileId}/confirm`)

  for (let kills = 0; kills < 2; ) {
    let isAnswered = false
    const unanswered = confirm().finally(() => {
      isAnswered = true
    })
    const seen = async () => (await isCompleting()) || isAnswered
    await waitFor(seen, { what: 'the store to complete the upload, or a response', everyMs: 2 })
    if (isAnswered) {
      // If the first kill lost the upload, nothing remains to complete.
      if (kills > 0) break
      // The completion finished before it was observed.
      upload = await begin()
      continue
    }
    const restarted = killProcess(stack, 's3')
    kills += 1
    const { status } = await unanswered
    expect([200, 503], 'the response to a confirm whose store was killed').toContain(status)
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

/** versitygw moves an upload aside while it completes it. */
async function isCompleting(): Promise<boolean> {
  const aside = glob('objects/*/.sgwtmp/multipart/*/*.inprogress', { cwd: join(stack.dataDir, 's3') })
  return (await aside.next()).done === false
}

/** A final response, unlike one that requests a later retry. */
const answered = <A extends { status: number }>(answer: A) => answer.status < 500 && answer

import { randomBytes } from 'node:crypto'
import { ChecksumError, download, NotFoundError, upload, waitFor } from '@tideport/sdk'
import { expect, test } from 'vitest'
import { cutAfter } from './support/sdk/cut-after.ts'
import { sdkAccount } from './support/sdk/sdk-account.ts'

const read = async (body: ReadableStream) => Buffer.from(await new Response(body).arrayBuffer())
const MIB = 1024 ** 2

/** A client whose byte responses the test modifies. */
function meddling(
  account: Awaited<ReturnType<typeof sdkAccount>>,
  meddle: (response: Response, number: number) => Response,
) {
  let number = 0
  const ranges: (string | null)[] = []
  const client = account.again({
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      if (response.headers.get('content-type')?.startsWith('application/json')) return response
      ranges.push(new Headers(init.headers).get('range'))
      return meddle(response, ++number)
    },
  })
  return { client, ranges }
}

test.concurrent('a file is read completely or in part, hot and cold', async () => {
  const { client, vaultId } = await sdkAccount()
  const bytes = randomBytes(3 * MIB)
  const { id } = await upload(client, bytes, { vaultId, name: 'a' })
  for (const state of ['hot', 'cold'] as const) {
    await waitFor(client, id, state)
    const whole = await download(client, id)
    expect(whole).toMatchObject({ sizeBytes: bytes.length, file: { id } })
    expect(bytes.equals(await read(whole.body))).toBe(true)
    const part = await download(client, { id }, { start: 100, end: 2 * MIB })
    expect(bytes.subarray(100, 2 * MIB).equals(await read(part.body))).toBe(true)
    expect(await read((await download(client, id, { start: 9 * MIB })).body)).toHaveLength(0)
  }
  await expect(download(client, crypto.randomUUID())).rejects.toThrow(NotFoundError)
})

test.concurrent('an interrupted download resumes, even with an expired URL', async () => {
  const account = await sdkAccount()
  const bytes = randomBytes(2 * MIB)
  const { id } = await upload(account.client, bytes, { vaultId: account.vaultId, name: 'a' })
  const { client, ranges } = meddling(account, (response, number) => {
    if (number === 1) return cutAfter(response, MIB)
    return number === 2 ? new Response('<Error/>', { status: 403 }) : response
  })
  expect(bytes.equals(await read((await download(client, id)).body))).toBe(true)
  expect(ranges).toEqual([null, `bytes=${MIB}-${bytes.length - 1}`, `bytes=${MIB}-${bytes.length - 1}`])
})

test.concurrent('bytes that do not match the stored file fail the stream', async () => {
  const account = await sdkAccount()
  const bytes = randomBytes(1000)
  const { id } = await upload(account.client, bytes, { vaultId: account.vaultId, name: 'a' })
  const { client } = meddling(account, ({ status, headers }) => new Response(randomBytes(1000), { status, headers }))
  const { file, body } = await download(client, id)
  expect(file.checksumSha256).not.toBeNull()
  await expect(read(body)).rejects.toThrow(ChecksumError)
})

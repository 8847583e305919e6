import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { type ApiClient, createApiClient } from './support/api-client.ts'
import { readByEveryRoute } from './support/reading.ts'
import type { ErrorBody, Upload } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { confirm, putBytes, readFile, uniqueBytes, untilStatus } from './support/uploads.ts'

const MIB = 1024 ** 2
const partSizeBytes = 5 * MIB

type Part = { partNumber: number; uploadUrl: string; offsetBytes: number; sizeBytes: number }
type PartedUpload = Upload & { parts: Part[] }
type Arrived = { partSizeBytes: number | null; partCount: number; parts: Pick<Part, 'partNumber' | 'sizeBytes'>[] }

async function requestParts(client: ApiClient, sizeBytes: number, size: unknown = partSizeBytes) {
  const { id: vaultId } = await createVault(client, 'public')
  const fields = { name: 'film.bin', mimeType: 'video/mp4', sizeBytes, vaultId, partSizeBytes: size }
  return await client.post<PartedUpload & ErrorBody>('/api/files/upload', fields)
}

/** A client that dies in the middle of a PUT. */
async function putHalf({ headers }: Upload, { uploadUrl, sizeBytes }: Part, bytes: Buffer): Promise<void> {
  const outgoing = request(uploadUrl, { method: 'PUT', headers: { ...headers, 'Content-Length': sizeBytes } })
  const cutOff = once(outgoing, 'error')
  outgoing.write(bytes.subarray(0, sizeBytes / 2), () => outgoing.destroy(new Error('The client died')))
  await cutOff
}

test('an upload that broke off goes on where it was, over the other gateway with fresh URLs, and lives the whole life', async () => {
  const [owner, bytes] = [freshAccount(), uniqueBytes(11 * MIB)]
  const { status, body: upload } = await requestParts(owner, bytes.length)
  expect(status).toBe(201)
  expect(upload.parts.map(({ uploadUrl: _, ...place }) => place)).toEqual([
    { partNumber: 1, offsetBytes: 0, sizeBytes: partSizeBytes },
    { partNumber: 2, offsetBytes: partSizeBytes, sizeBytes: partSizeBytes },
    { partNumber: 3, offsetBytes: 2 * partSizeBytes, sizeBytes: MIB },
  ])
  const bytesOf = ({ offsetBytes, sizeBytes }: Part) => bytes.subarray(offsetBytes, offsetBytes + sizeBytes)
  const [first, second] = upload.parts as [Part, Part, Part]
  expect(await putBytes({ ...upload, uploadUrl: first.uploadUrl }, bytesOf(first))).toBe(200)
  await putHalf(upload, second, bytesOf(second))

  // All that the next process knows is the file's id.
  const client = createApiClient(sharedStack().gatewayUrls[1] as string, owner.identity)
  const path = `/api/files/${upload.fileId}`
  const arrived = (await client.get<Arrived>(`${path}/parts`)).body
  expect(arrived).toEqual({ partSizeBytes, partCount: 3, parts: [{ partNumber: 1, sizeBytes: partSizeBytes }] })
  const early = await client.post<ErrorBody>(`${path}/confirm`)
  expect([early.status, early.body.code]).toEqual([409, 'upload_incomplete'])
  const { body: fresh } = await client.post<PartedUpload>(`${path}/upload-urls`, { partNumbers: [3, 2] })
  const put = ({ uploadUrl }: Part, body: Buffer) => putBytes({ ...fresh, uploadUrl }, body)
  const [third, again] = fresh.parts as [Part, Part]
  expect([third.partNumber, again.partNumber]).toEqual([3, 2])
  expect([0, 400, 403], 'a part of another size').toContain(await put(third, bytesOf(again)))
  expect(await Promise.all([put(third, bytesOf(third)), put(again, uniqueBytes(partSizeBytes))])).toEqual([200, 200])
  expect(await put(again, bytesOf(again)), 'the part once more').toBe(200)
  expect((await client.get<Arrived>(`${path}/parts`)).body.parts.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3])

  expect((await confirm(client, upload.fileId)).body).toMatchObject({ status: 'hot', sizeBytes: bytes.length })
  expect((await client.get(`${path}/parts`)).status).toBe(409)
  const read = await readByEveryRoute(client, await untilStatus(client, upload.fileId, 'cold'))
  for (const [route, content] of Object.entries(read)) expect(content.equals(bytes), route).toBe(true)
})

test('parts that the store could not take are refused, and so are numbers that an upload does not have', async () => {
  const client = freshAccount()
  const refusals: [unknown, number, number][] = [
    [partSizeBytes - 1, 20 * MIB, 400],
    [5 * 1024 * MIB + 1, 20 * MIB, 400],
    [partSizeBytes, 10_000 * partSizeBytes + 1, 400],
    [1.5, 20 * MIB, 400],
    ['5242880', 20 * MIB, 400],
    [1024 * MIB, 50 * 1024 * MIB + 1, 413],
  ]
  for (const [size, sizeBytes, expected] of refusals) {
    expect((await requestParts(client, sizeBytes, size)).status, `parts of ${size}`).toBe(expected)
  }
  const { body } = await requestParts(client, 6 * MIB)
  for (const partNumbers of [[], [0], [3], [1.5], ['1'], undefined, Array(1001).fill(1)]) {
    const refused = await client.post<ErrorBody>(`/api/files/${body.fileId}/upload-urls`, { partNumbers })
    expect([refused.status, refused.body.code], String(partNumbers)).toEqual([400, 'validation_failed'])
  }
  expect(await readFile(client, body.fileId)).toMatchObject({ status: 'uploading' })
})

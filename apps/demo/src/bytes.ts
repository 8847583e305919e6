import type { Readable } from 'node:stream'
import { request } from 'undici'

/** Streams bytes to a presigned URL, exactly as many as announced. */
export async function putBytes(
  url: string,
  body: Readable,
  headers: Record<string, string>,
  sizeBytes: number,
): Promise<void> {
  const answer = await request(url, {
    method: 'PUT',
    body,
    headers: { 'Content-Length': String(sizeBytes), ...headers },
    headersTimeout: 0,
  })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`The PUT of the bytes answered ${answer.statusCode}: ${text}`)
}

/** The status of a GET, its body thrown away. */
export async function statusOf(url: string): Promise<number> {
  const answer = await request(url)
  await answer.body.dump()
  return answer.statusCode
}

/** Opens the bytes behind a URL. */
export async function getBytes(url: string): Promise<Readable> {
  const answer = await request(url, { bodyTimeout: 60_000, headersTimeout: 60_000 })
  if (answer.statusCode === 200) return answer.body
  throw new Error(`A read answered ${answer.statusCode}: ${await answer.body.text()}`)
}

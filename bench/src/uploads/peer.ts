import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Pool } from 'undici'

/** Uploads to a supabase/storage that somebody has started, to a bucket of this name there. */
export interface Peer extends AsyncDisposable {
  pid: number
  signAndPut(bytes: Buffer): Promise<void>
  post(bytes: Buffer): Promise<void>
}

const BUCKET = 'bench'

/** The file has `{ "url", "key", "pid" }`, the key one of its service role. Null without one. */
export async function openPeer(file: string | undefined): Promise<Peer | null> {
  if (file === undefined) return null
  const { url, key, pid } = JSON.parse(await readFile(file, 'utf8')) as { url: string; key: string; pid: number }
  const pool = new Pool(url, { connections: 64, pipelining: 1 })
  const authorization = `Bearer ${key}`

  async function call(method: 'POST' | 'PUT', path: string, body: string | Buffer, type: string): Promise<string> {
    const answer = await pool.request({ method, path, body, headers: { authorization, 'content-type': type } })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`The peer answered ${answer.statusCode} to ${path}: ${text}`)
    return text
  }

  await call('POST', '/bucket', JSON.stringify({ name: BUCKET }), 'application/json').catch((error: Error) => {
    if (!error.message.includes('already exists')) throw error
  })
  return {
    pid,
    async signAndPut(bytes) {
      const signed = await call('POST', `/object/upload/sign/${BUCKET}/${randomUUID()}`, '{}', 'application/json')
      await call('PUT', (JSON.parse(signed) as { url: string }).url, bytes, 'application/octet-stream')
    },
    async post(bytes) {
      await call('POST', `/object/${BUCKET}/${randomUUID()}`, bytes, 'application/octet-stream')
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}

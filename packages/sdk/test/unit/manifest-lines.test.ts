import { createServer } from 'node:http'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, type ManifestLine, manifestLines, NetworkError, ProtocolError } from '../../src/tideport.ts'

const head = [
  { type: 'tideport-manifest', version: 1 },
  { type: 'vault', id: 'one' },
  { type: 'vault', id: 'two' },
]
const files = Array.from({ length: 10 }, (_, n) => ({ type: 'file', id: `ä${n}`, cursor: String(n) }))
const end = { type: 'end', vaults: 2, files: files.length, bytes: 0 }
const text = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

/** A service that continues after the cursor. `cut` lists after how many bytes each response breaks. */
async function serve(
  cuts: number[],
  all = (from: number): object[] => [...(from ? [] : head), ...files.slice(from), end],
) {
  const asked: (string | null)[] = []
  const server = createServer((request, response) => {
    const cursor = new URL(request.url ?? '', 'http://x').searchParams.get('cursor')
    asked.push(cursor)
    const bytes = Buffer.from(text(all(cursor === null ? 0 : Number(cursor) + 1)))
    const cut = cuts.shift()
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    if (cut === undefined || cut >= bytes.length) return void response.end(bytes)
    response.write(bytes.subarray(0, cut), () => response.destroy())
  })
  onTestFinished(() => closeAtOnce(server))
  const baseUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`
  return { client: createClient({ baseUrl, apiKey: 'k', attempts: 3 }), asked }
}

async function read(client: Parameters<typeof manifestLines>[0], cursor?: string): Promise<ManifestLine[]> {
  const lines: ManifestLine[] = []
  for await (const line of manifestLines(client, { cursor })) lines.push(line)
  return lines
}

it('yields each line of a manifest once, wherever the response breaks', async () => {
  const whole = [...head, ...files, end]
  const upTo = (count: number) => Buffer.byteLength(text(whole.slice(0, count)))
  const cutBehind = async (lines: number) => {
    // Then in the middle of the first two-byte character.
    const { client, asked } = await serve([upTo(lines), 22])
    expect(await read(client), String(lines)).toEqual(whole)
    expect(asked.length).toBeGreaterThan(1)
  }
  await Promise.all(whole.slice(1).map((_, index) => cutBehind(index + 1)))
})

it('continues from a stored cursor', async () => {
  const { client, asked } = await serve([])
  expect(await read(client, '7')).toEqual([...files.slice(8), end])
  expect(asked).toEqual(['7'])
})

it('fails without progress, and for a lying service', async () => {
  await expect(read((await serve([5, 5, 5, 5])).client)).rejects.toBeInstanceOf(NetworkError)
  const circle = await serve([], (from) => (from ? [files[from - 1] as object] : [...head, ...files.slice(0, 3)]))
  await expect(read(circle.client)).rejects.toBeInstanceOf(ProtocolError)
  const none = await serve([], () => [{ type: 1 }])
  await expect(read(none.client)).rejects.toBeInstanceOf(ProtocolError)
})

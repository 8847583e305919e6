import { expect, it } from 'vitest'
import { encryptSource } from '../../src/crypto/private-file.ts'
import { createVaultKey, downloadPrivate } from '../../src/crypto.ts'
import { createClient, download, type FileRecord } from '../../src/tideport.ts'
import { bytesOf, sourceOf } from '../../src/transfer/source.ts'

/** A service with one file, and the requests that it received. */
function serviceWith(bytes: Uint8Array<ArrayBuffer>, more: object = {}) {
  const asked: string[] = []
  const record = { id: 'f', vaultId: 'v', sizeBytes: bytes.length, checksumSha256: null, ...more } as FileRecord
  const client = createClient({
    baseUrl: 'https://files.example',
    fetch: async (url) => {
      const { pathname } = new URL(url)
      asked.push(pathname)
      if (pathname === '/bytes') return new Response(bytes)
      return Response.json(pathname.endsWith('/download') ? { downloadUrl: 'https://files.example/bytes' } : record)
    },
  })
  return { client, record, asked }
}
const hello = new TextEncoder().encode('Hello')

it('requests the record of a file only if it is not given', async () => {
  const { client, record, asked } = serviceWith(hello)
  const ways: [file: Parameters<typeof download>[1], asked: string[]][] = [
    ['f', ['/api/files/f', '/api/files/f/download', '/bytes']],
    [{ id: 'f' }, ['/api/files/f', '/api/files/f/download', '/bytes']],
    [record, ['/api/files/f/download', '/bytes']],
  ]
  for (const [file, expected] of ways) {
    asked.length = 0
    const opened = await download(client, file)
    expect(opened).toMatchObject({ file: record, sizeBytes: 5 })
    expect(await new Response(opened.body).text()).toBe('Hello')
    expect(asked).toEqual(expected)
  }
})

it('requests the record of a private file once', async () => {
  const vaultKey = createVaultKey()
  const { encrypted, fields } = await encryptSource(sourceOf(new Blob([hello])), vaultKey)
  const bytes = new Uint8Array(await bytesOf(await encrypted.slice(0, encrypted.size)))
  const { client, record, asked } = serviceWith(bytes, fields)
  const { body } = await downloadPrivate(client, record, { vaultKey })
  expect(await new Response(body).text()).toBe('Hello')
  expect(asked).toEqual(['/api/files/f', '/api/files/f/download', '/bytes'])
})

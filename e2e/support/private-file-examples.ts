import { Readable } from 'node:stream'
import { openPrivateFile } from '@tideport/sdk/crypto'
import { expect } from 'vitest'
import { type DocExample, exampleOf } from './doc-examples.ts'
import { runSdkExample } from './run-sdk-example.ts'

/** The program on the page decrypts the test vector on the page. */
export async function decryptsTheVector({ code }: DocExample) {
  const { vaultKey, record, encrypted, plaintext } = JSON.parse(
    exampleOf('docs/reference/private-file-format.md json 1'),
  )
  const files = {
    'vault-key.txt': vaultKey,
    'record.json': JSON.stringify(record),
    'encrypted.bin': Buffer.from(encrypted, 'base64'),
  }
  expect(await runSdkExample([code], {}, files)).toBe(plaintext)
}

/** The SDK decrypts the test vector too. */
export async function isOpenedByTheSdk({ code }: DocExample) {
  const { vaultKey, record, encrypted, plaintext } = JSON.parse(code)
  const bytes = Buffer.from(encrypted, 'base64')
  const key = new Uint8Array(Buffer.from(vaultKey.split(':')[1], 'base64url'))
  const opened = await openPrivateFile(record, key, (start, end) => Readable.from([bytes.subarray(start, end)]))
  let text = ''
  for await (const piece of opened.read()) text += Buffer.from(piece)
  expect(text).toBe(plaintext)
}

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, uploadMany } from '@tideport/sdk'
import { createVaultKey, uploadPrivate } from '@tideport/sdk/crypto'
import { openFile, openJournal } from '@tideport/sdk/node'

/**
 * Resumes after a kill. Arguments: service, key, folder with `a`, `b`, and `c`, a public vault, and a private vault.
 */
const [baseUrl = '', apiKey = '', folder = '', vaultId = '', secretId = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, apiKey, attempts: 12 })
const names = ['a', 'b', 'c']
const partSizeBytes = 5 * 1024 ** 2

const journal = await openJournal(join(folder, 'journal'))
const items = names.map((name) => ({
  key: name,
  source: () => openFile(join(folder, name)),
  ...(name !== 'a' && { partSizeBytes }),
}))
for await (const { error } of uploadMany(client, items, { vaultId, files: 2, parallel: 2, journal }))
  if (error) throw error
await journal.close()

/** The stored state. Undefined: none is stored. */
function kept(name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return undefined
  }
}
/** Stores a state atomically. */
function keep(name: string, text: string): string {
  writeFileSync(join(folder, `${name}.new`), text)
  renameSync(join(folder, `${name}.new`), join(folder, name))
  return text
}

const keyText = kept('key') ?? keep('key', Buffer.from(createVaultKey()).toString('hex'))
const source = await openFile(join(folder, 'c'))
const { id } = await uploadPrivate(client, source, {
  vaultId: secretId,
  vaultKey: new Uint8Array(Buffer.from(keyText, 'hex')),
  partSizeBytes,
  resume: kept('token'),
  onToken: (token) => void keep('token', token),
})
console.log(id)

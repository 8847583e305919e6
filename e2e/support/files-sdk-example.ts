import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { createKey } from './account.ts'
import { examplesOf } from './doc-examples.ts'
import { runSdkExample } from './run-sdk-example.ts'
import { freshAccount, sharedStack } from './shared-stack.ts'

/** The version that the guide names. */
const filesSdk = 'files-sdk@2.6.0'

/** Runs the guide's adapter and its program, and then every other method of the adapter. */
export async function storesFilesBySdk(): Promise<void> {
  const { key } = await createKey(freshAccount())
  const pieces = [...examplesOf('docs/guides/import.md js', [2, 3]), callsOfFilesSdk]
  const env = { TIDEPORT_URL: sharedStack().gatewayUrls[0], TIDEPORT_API_KEY: key }
  const printed = await runSdkExample(pieces, env, {}, installFilesSdk)
  expect(printed).toBe("Hello { color: 'red' }\nall methods work\n")
}

/** Installs files-sdk in the folder of an example. As a dependency, it would add its peers to the lockfile: 70 packages. */
async function installFilesSdk(folder: string): Promise<void> {
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional']
  await promisify(execFile)('npm', ['install', ...options, filesSdk], { cwd: folder })
}

const callsOfFilesSdk = `
import { deepEqual, equal, rejects } from 'node:assert/strict'

const keys = async (options) => {
  const { items, prefixes, cursor } = await files.list(options)
  return { keys: items.map(({ key }) => key), prefixes, more: cursor !== undefined }
}
await files.upload('notes/today.txt', new Blob(['Hello again']), { contentType: 'text/markdown' })
await files.upload('notes/old/a.bin', new Uint8Array([1, 2, 3]))
await files.upload('notes/today.txt.bak', new Blob(['x'.repeat(20 * 1024 * 1024)]).stream())
await files.copy('notes/today.txt', 'copy.txt')
await files.move('copy.txt', 'moved.txt')
deepEqual(await keys({}), { keys: ['moved.txt', 'notes/old/a.bin', 'notes/today.txt', 'notes/today.txt.bak'], prefixes: undefined, more: false })
deepEqual(await keys({ prefix: 'notes/', delimiter: '/' }), { keys: ['notes/today.txt', 'notes/today.txt.bak'], prefixes: ['notes/old/'], more: false })
equal((await keys({ limit: 1 })).more, true)

const { items: all } = await files.list({ prefix: 'notes/today.txt', limit: 1 })
equal(await all[0].text(), 'Hello again')
const head = await files.head('moved.txt')
deepEqual([head.size, head.type, await head.text()], [11, 'text/markdown', 'Hello again'])
const part = await files.download('notes/today.txt', { range: { start: 6, end: 9 } })
deepEqual([part.size, await part.text()], [4, 'agai'])
equal(await (await files.download('notes/today.txt', { range: { start: 6, end: 99 } })).text(), 'again')
equal(await (await fetch(await files.url('moved.txt'))).text(), 'Hello again')

await files.delete('moved.txt')
await files.delete('moved.txt')
deepEqual([await files.exists('moved.txt'), await files.exists('notes/today.txt')], [false, true])
await rejects(files.download('moved.txt'), { name: 'FilesError', code: 'NotFound' })

const text = 'Sent by a browser'
await rejects(files.signedUploadUrl('later.txt', { expiresIn: 60, maxSize: 100 }), { code: 'Provider' })
const { url, method, headers } = await files.signedUploadUrl('later.txt', { expiresIn: 60, minSize: text.length, maxSize: text.length, contentType: 'text/plain' })
equal((await fetch(url, { method, headers, body: text })).status, 200)
const wrong = new Files({ adapter: tideport(createClient({ baseUrl: process.env.TIDEPORT_URL, apiKey: 'tdp_' + 'x'.repeat(43) }), vaults[0].id) })
await rejects(wrong.exists('notes/today.txt'), { code: 'Unauthorized' })
console.log('all methods work')
`

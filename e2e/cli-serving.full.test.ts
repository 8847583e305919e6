import { chmod, symlink } from 'node:fs/promises'
import { listFiles } from '@tideport/sdk'
import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

test.concurrent('doctor reports healthy and failed checks, and leaves nothing behind', async () => {
  await using user = await cliAccount()
  const { tideport, client, baseUrl, key } = user
  const well = await tideport(['doctor', '--vault', 'default', '--json'])
  expect(well.code).toBe(0)
  expect(well.values().map(({ check, state }) => [check, state])).toEqual([['key', 'ok'], ['proxy', 'ok'], ['service', 'warning'], ['clock', 'ok'], ['account', 'ok'], ['storage', 'ok']]) // biome-ignore format: one claim
  for (const trashed of [false, true]) {
    expect((await listFiles(client, { trashed }).page()).files).toEqual([])
  }

  const refused = await tideport(['doctor'], { environment: { TIDEPORT_API_KEY: 'tdp_wrong' } })
  expect(refused).toMatchObject({ code: 4, stdout: expect.stringContaining('failed   account: ') })
  await using stranger = await startReceiver()
  const other = await tideport(['doctor', '--url', stranger.url, '--json'])
  expect(other.code).toBe(1)
  expect(other.values().at(-1)).toMatchObject({ check: 'service', state: 'failed', error: expect.stringContaining('is not Tideport') }) // biome-ignore format: one claim
  expect(stranger.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
  const closed = await tideport(['doctor', '--url', 'http://127.0.0.1:9'])
  expect(closed).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/failed {3}service: .*(ECONNREFUSED|bad port)/),
  })
  const environment = { HTTP_PROXY: 'http://me:secret@127.0.0.1:9', http_proxy: '', NO_PROXY: '', no_proxy: '' }
  const behind = await tideport(['doctor', '--url', 'http://files.example'], { environment })
  expect(behind.stdout).toContain('Requests to http://files.example go through the proxy http://127.0.0.1:9\n')
  expect(behind.stdout + behind.stderr).not.toContain('secret')

  const keyless = { TIDEPORT_API_KEY: '', TIDEPORT_URL: '' }
  const login = ['login', '--url', baseUrl, '--token-stdin', '--no-keyring', '--json']
  const [{ keyIn }] = (await tideport(login, { stdin: key, environment: keyless })).values()
  await chmod(keyIn, 0o644)
  expect((await tideport(['doctor'], { environment: keyless })).stdout).toContain('which other users can read')
})

test.concurrent('a language model lists files, reads files, and uploads only from the allowed folder', async () => {
  await using user = await cliAccount()
  const { tideport, at, write } = user
  await write({ 'open/a.txt': 'for all', 'secret.txt': 'for nobody' })
  await symlink('../secret.txt', at('open/link.txt'))
  const call = (id: number, name: string, given: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } }) // biome-ignore format: one message
  const ask = async (args: string[], messages: (object | string)[]) => {
    const lines = messages.map((message) => (typeof message === 'string' ? message : JSON.stringify(message)))
    const { code, values, stderr } = await tideport(['mcp', ...args], { stdin: `${lines.join('\n')}\n` })
    expect([code, stderr]).toEqual([0, ''])
    return new Map(values().map((answer) => [answer.id, answer.result ?? answer.error]))
  }

  const outside = ['link.txt', '../secret.txt', at('secret.txt'), '.', '']
  const uploads = await ask(['--allow', 'open'], [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-03-26' } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    call(3, 'upload_file', { path: 'a.txt', to: 'default:in' }),
    ...outside.map((path, index) => call(10 + index, 'upload_file', { path, to: 'default:' })),
    { jsonrpc: '2.0', id: 4, method: 'resources/list' },
    '{not json',
  ]) // biome-ignore format: a list
  expect(uploads.get(1)).toMatchObject({ protocolVersion: '2025-03-26', serverInfo: { name: 'tideport' } })
  expect(uploads.get(2).tools.map(({ name }: { name: string }) => name)).toEqual(['list_vaults', 'list_files', 'read_file', 'upload_file']) // biome-ignore format: one claim
  expect(JSON.parse(uploads.get(3).content[0].text)).toMatchObject({ path: 'default:in/a.txt', status: 'hot' })
  expect(outside.map((_, index) => uploads.get(10 + index).isError)).toEqual(outside.map(() => true))
  expect([uploads.get(4).code, uploads.get(null).code]).toEqual([-32_601, -32_700])

  const reads = await ask([], [
    call(1, 'list_files', { folder: 'default' }),
    call(2, 'read_file', { file: 'default:in/a.txt', start: 4 }),
    call(3, 'read_file', { file: 'default:none' }),
    call(4, 'upload_file', { path: 'open/a.txt', to: 'default:' }),
    call(5, 'delete_file', {}),
  ]) // biome-ignore format: a list
  expect(JSON.parse(reads.get(1).content[0].text)).toMatchObject({ folders: ['in/'], files: [] })
  expect(reads.get(2).content).toEqual([{ type: 'text', text: 'all' }])
  expect(reads.get(3)).toMatchObject({ isError: true, content: [{ text: 'File default:none does not exist' }] })
  expect(reads.get(4)).toMatchObject({ isError: true })
  expect(reads.get(5)).toMatchObject({ code: -32_602 })
})

import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import type { Context } from '../../src/grammar/context.ts'
import { readSecret } from '../../src/terminal/ask.ts'

const program = join(import.meta.dirname, '../../src/main.ts')
const vault = { id: '01a21349-feb8-7198-a97b-f286c865d481', name: 'A', description: '', visibility: 'public', slug: 'a', isDefault: true, isExport: false, fileCount: 0, storageBytes: 0, filesExpireAfterSeconds: null, keyId: null, createdAt: 'x', updatedAt: 'x', deletedAt: null } // biome-ignore format: one record

it('stops an upload of stdin although its input stays open', async () => {
  await using home = await createTemporaryDirectory('open-input')
  const asked = Promise.withResolvers<void>()
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ vaults: [vault], nextCursor: null }), () => asked.resolve())
  })
  const environment = { HOME: home.path, TIDEPORT_URL: `http://127.0.0.1:${await listenOnLoopback(server)}`, TIDEPORT_API_KEY: 'tdp_x' } // biome-ignore format: one record
  const args = [program, 'upload', '-', '--name', 'x', '--to', 'a']
  const child = spawn(process.execPath, args, { env: { ...nodeEnvironment(), ...environment } })
  try {
    const stderr = text(child.stderr)
    const code = new Promise((resolve) => child.once('exit', resolve))
    await asked.promise
    child.kill('SIGINT')
    expect([await code, await stderr]).toEqual([2, expect.stringContaining('Stopped')])
  } finally {
    child.kill('SIGKILL')
    await closeAtOnce(server)
  }
})

it('stops waiting for a secret on stdin when the command is stopped', async () => {
  const stop = new AbortController()
  const context = { stdin: new PassThrough(), signal: stop.signal } as never as Context
  const secret = readSecret(context, 'API key', true, '')
  stop.abort(new Error('Stopped'))
  await expect(secret).rejects.toThrow()
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { operatorProgram, startSystem } from '../start-system.ts'

it('restores the backup of a lost installation into a new one, while that runs', async () => {
  await using dir = await createTemporaryDirectory('restore')
  const ADMIN_PORT = String(await freePort())
  const port = await freePort()
  const keyFile = join(dir.path, 'key')
  const start = (name: string, ...args: string[]) =>
    startSystem({ ADMIN_PORT }, ['--data', join(dir.path, name), '--port', String(port), ...args])
  async function operate(name: string, ...args: string[]) {
    const program = spawnProgram(operatorProgram, { TIDEPORT_DATA: join(dir.path, name) }, args)
    expect(await program.ended, program.printed()).toMatchObject({ code: 0 })
  }
  const request = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${(await readFile(keyFile, 'utf8')).trim()}` }
    return await fetch(`http://localhost:${port}/api/${path}`, { headers, ...init })
  }

  await using lost = await start('lost', '--key-file', keyFile)
  const { vaults } = (await (await request('vaults')).json()) as { vaults: { id: string }[] }
  const sent = await request(`vaults/${vaults[0]?.id}/content/a.txt`, { method: 'PUT', body: 'restored' })
  const { id } = (await sent.json()) as { id: string }
  await operate('lost', 'backup', '--unencrypted', '--to', join(dir.path, 'backup'))
  await lost.stop()

  await using first = await start('new')
  await operate('new', 'restore', '--from', join(dir.path, 'backup'))
  await first.stop()
  await using second = await start('new')
  const { downloadUrl } = (await (await request(`files/${id}/download`)).json()) as { downloadUrl: string }
  expect(await (await fetch(downloadUrl)).text()).toBe('restored')
  await operate('new', 'reconcile')
  await second.stop()
})
